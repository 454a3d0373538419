package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.codec.internal.BinaryMessageCodec;
import io.parley.common.AsyncCloseable;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.TestSeed;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A messenger whose service several peers offer, over {@code mem://} in manual time. In the campaigns the peers lose their
 * connection, vanish for a while, and close the service at moments that the seed determines. A failing seed is in the message of
 * the failure, and gives the same run again.
 */
class MessengerFailoverTest {

    private static final int SEEDS = Integer.getInteger("parley.test.seeds", 60);

    private static final int HOLDERS = 3;
    private static final int MESSAGES = 60;
    private static final int FAULTS = 6;
    private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

    private static final List<Identity> IDENTITIES = IntStream.rangeClosed(0, HOLDERS)
            .mapToObj(MessengerFailoverTest::identity)
            .toList();

    private static Identity identity(int number) {
        return Identity.generate(new java.security.SecureRandom() {
            private static final long serialVersionUID = 1L;

            @Override
            public void nextBytes(byte[] bytes) {
                Arrays.fill(bytes, (byte) (number + 1));
            }
        });
    }

    /** A peer that offers the service. */
    private static final class Holder {
        private PeerEndpoint endpoint;
        private final List<Integer> received = new ArrayList<>();
        private @Nullable AsyncCloseable registration;
        private boolean isolated;

        Holder(PeerEndpoint endpoint) {
            this.endpoint = endpoint;
        }

        void open() {
            registration = endpoint.listen(SERVICE, message -> {
                received.add(Integer.parseInt(message.message().text("number").orElseThrow()));
                message.release();
            });
        }

        boolean isUp() {
            return !isolated && registration != null;
        }
    }

    private static final class Run {

        private final ManualScheduler scheduler;
        private final Random random;
        private final InMemoryNetwork network;
        private final PeerEndpoint sender;
        private final List<Holder> holders = new ArrayList<>();
        private final List<CompletableFuture<Void>> sends = new ArrayList<>();
        private final List<PeerId> redirections = new ArrayList<>();
        private int searches;
        private int runningSearches;

        Run(long seed) {
            this.random = new Random(seed);
            this.scheduler = new ManualScheduler(new ManualClock(START), new Random(seed));
            this.network = new InMemoryNetwork(new ManualEventLoops(scheduler, 3), Duration.ofMillis(2));
            this.sender = start(0);
            for (int i = 1; i <= HOLDERS; i++) {
                Holder holder = new Holder(start(i));
                holder.open();
                sender.addPeerAddress(holder.endpoint.peerAddress());
                holders.add(holder);
            }
        }

        PeerEndpoint start(int number) {
            EndpointMetrics metrics = new EndpointMetrics();
            Identity identity = IDENTITIES.get(number);
            Transport transport = network.transportProvider()
                    .create(new TransportContext(
                            identity, TransportSecurity.TLS, EndpointLimits.DEFAULTS.transport(), metrics, scheduler));
            PeerEndpoint endpoint = new PeerEndpoint(
                    identity.peerId(),
                    List.of(transport),
                    List.of(new BinaryMessageCodec()),
                    EndpointLimits.DEFAULTS,
                    metrics,
                    scheduler,
                    new ManualEventLoops(scheduler, 1).next(),
                    Runnable::run);
            endpoint.listen(EndpointAddress.parse("mem://peer" + number));
            return endpoint;
        }

        /** Returns a messenger that is connected to the first holder. */
        PeerMessenger connect(Supplier<CompletableFuture<PeerId>> successor, boolean resending) {
            PeerMessenger messenger = sender.messenger(peer(0), SERVICE);
            messenger.onPeerLost(successor, resending, redirections::add);
            messenger.resolve();
            scheduler.advance(Duration.ofSeconds(1));
            assertThat(messenger.codec()).isPresent();
            return messenger;
        }

        /** Returns the link to the first holder. */
        Link activeLink() {
            return Objects.requireNonNull(EndpointFixture.activeLink(sender, holders.get(0).endpoint));
        }

        PeerId peer(int holder) {
            return holders.get(holder).endpoint.peerId();
        }

        void send(PeerMessenger messenger, int count) {
            for (int i = 0; i < count; i++) {
                sends.add(messenger.send(Message.of("number", Integer.toString(sends.size()))));
            }
        }

        void run(boolean resending) {
            PeerMessenger messenger = connect(this::search, resending);
            Executor saboteur = scheduler.newExecutor();
            int planned = 0;
            while (sends.size() < MESSAGES) {
                if (messenger.isWritable()) {
                    int size = random.nextInt(8) == 0 ? random.nextInt(700_000) : random.nextInt(200);
                    sends.add(messenger.send(Message.builder()
                            .add("number", Integer.toString(sends.size()))
                            .add("content", new byte[size])
                            .build()));
                }
                if (planned < FAULTS && random.nextInt(MESSAGES) < FAULTS) {
                    planned++;
                    // At a moment among the events that are ready then.
                    saboteur.execute(() -> disturb(messenger.peer()));
                }
                if (random.nextInt(3) == 0) {
                    scheduler.advance(Duration.ofMillis(random.nextInt(random.nextInt(10) == 0 ? 60_000 : 4)));
                }
            }
            scheduler.advance(Duration.ofMinutes(10));
            if (redirections.isEmpty()) { // no fault of this seed has replaced a peer
                close(messenger.peer());
                send(messenger, 1);
                scheduler.advance(Duration.ofMinutes(10));
                assertThat(redirections).as("redirections after a certain loss").isNotEmpty();
            }
            check(resending);
            messenger.closeAsync();
            scheduler.advance(Duration.ofMinutes(1));
            assertThat(messenger.isClosed()).isTrue();
        }

        /** Finds any peer that is up now, after some time. */
        private CompletableFuture<PeerId> search() {
            searches++;
            assertThat(++runningSearches).as("searches at a time").isEqualTo(1);
            CompletableFuture<PeerId> found = new CompletableFuture<>();
            scheduler.schedule(Duration.ofMillis(random.nextInt(500)), () -> {
                runningSearches--;
                List<Holder> up = holders.stream().filter(Holder::isUp).toList();
                found.complete(up.get(random.nextInt(up.size())).endpoint.peerId());
            });
            return found;
        }

        private Holder holder(PeerId peer) {
            return holders.stream()
                    .filter(each -> each.endpoint.peerId().equals(peer))
                    .findAny()
                    .orElseThrow();
        }

        /** Closes the service of a peer, which stays closed. */
        private void close(PeerId peer) {
            Holder holder = holder(peer);
            Objects.requireNonNull(holder.registration).closeAsync();
            holder.registration = null;
        }

        private void disturb(PeerId present) {
            Holder holder = holder(present);
            Association association = sender.association(present);
            Link link = association == null ? null : association.activeLink();
            boolean replaceable = holders.stream().filter(Holder::isUp).count() > 1;
            Duration later = Duration.ofMillis(random.nextInt(120_000));
            AsyncCloseable registration = holder.registration;
            switch (random.nextInt(4)) {
                case 0 -> {
                    if (link != null) {
                        link.abort(null);
                    }
                }
                case 1 -> {
                    if (!holder.isolated) { // the connections carry nothing from now on
                        network.isolate(present);
                        network.restore(present);
                    }
                }
                case 2 -> {
                    if (holder.isUp() && replaceable) {
                        holder.isolated = true;
                        network.isolate(present);
                        scheduler.schedule(later, () -> {
                            network.restore(present);
                            holder.isolated = false;
                        });
                    }
                }
                default -> {
                    if (holder.isUp() && replaceable && registration != null) {
                        registration.closeAsync();
                        holder.registration = null;
                        scheduler.schedule(later, holder::open);
                    }
                }
            }
        }

        private void check(boolean resending) {
            Set<Integer> all = new HashSet<>();
            holders.forEach(holder -> all.addAll(holder.received));
            int total =
                    holders.stream().mapToInt(holder -> holder.received.size()).sum();
            for (int i = 0; i < sends.size(); i++) {
                String outcome = outcome(sends.get(i));
                if (resending) {
                    assertThat(outcome).as("message %d", i).isEqualTo("sent");
                } else {
                    assertThat(outcome).as("message %d", i).isIn("sent", "LOST");
                }
                if (outcome.equals("sent")) {
                    assertThat(all).contains(i);
                }
            }
            if (!resending) {
                assertThat(total).as("messages that arrived twice").isEqualTo(all.size());
                assertThat(holders)
                        .allSatisfy(holder -> assertThat(holder.received).isSorted());
            }
        }

        private static String outcome(CompletableFuture<Void> send) {
            return send.isDone()
                    ? send.handle((done, failure) -> failure == null
                                    ? "sent"
                                    : failure instanceof ParleyException known && known.code() == ErrorCode.LOST
                                            ? "LOST"
                                            : failure.toString())
                            .join()
                    : "pending";
        }

        void close() {
            List<PeerEndpoint> all = new ArrayList<>(List.of(sender));
            holders.forEach(holder -> all.add(holder.endpoint));
            all.forEach(PeerEndpoint::closeAsync);
            scheduler.advance(Duration.ofMinutes(10));
            assertThat(all).allMatch(PeerEndpoint::isClosed);
            assertThat(sender.associationCount()).as("associations").isZero();
            assertThat(scheduler.pending()).as("timers").isZero();
        }
    }

    private static int simulate(boolean resending, String name) {
        long first = TestSeed.next(name);
        int redirections = 0;
        for (int i = 0; i < SEEDS; i++) {
            long seed = first + i;
            Run run = new Run(seed);
            try {
                run.run(resending);
                run.close();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
            redirections += run.redirections.size();
        }
        return redirections;
    }

    /** Runs the test with a new seed, and closes everything. */
    private static void with(Consumer<Run> test) {
        Run run = new Run(TestSeed.next("one messenger"));
        test.accept(run);
        run.close();
    }

    private static List<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    @Test
    void connectionLostForAMoment_peerReconnects_isNotReplaced() {
        with(run -> {
            PeerMessenger messenger = run.connect(run::search, false);
            run.send(messenger, 10);
            run.scheduler.advance(Duration.ofMillis(3)); // some messages are on their way
            run.activeLink().abort(null);
            run.send(messenger, 10);
            run.scheduler.advance(Duration.ofMinutes(1));

            assertThat(run.sends.stream().map(Run::outcome).distinct()).containsExactly("sent");
            assertThat(run.holders.get(0).received).isEqualTo(numbers(20));
            assertThat(run.searches).isZero();
        });
    }

    @Test
    void peerReconnectsDuringTheSearch_isNotReplaced() {
        with(run -> {
            CompletableFuture<PeerId> search = new CompletableFuture<>();
            PeerMessenger messenger = run.connect(() -> search, false);
            run.network.isolate(run.peer(0));
            run.activeLink().abort(null);
            run.send(messenger, 10);
            run.scheduler.advance(Duration.ofSeconds(1));
            run.network.restore(run.peer(0));
            run.scheduler.advance(Duration.ofSeconds(20));
            assertThat(run.holders.get(0).received).isEqualTo(numbers(10));

            search.complete(run.peer(1));
            run.send(messenger, 10);
            run.scheduler.advance(Duration.ofSeconds(1));

            assertThat(run.holders.get(0).received).isEqualTo(numbers(20));
            assertThat(run.redirections).isEmpty();
        });
    }

    /** A link handles a wake-up later than it was scheduled; the messenger may have another peer by then. */
    @Test
    void wakeUpAtALinkOfTheFormerPeer_isForTheNewPeer() {
        with(run -> {
            PeerMessenger messenger = run.connect(() -> CompletableFuture.completedFuture(run.peer(1)), false);
            run.network.isolate(run.peer(1));
            Objects.requireNonNull(run.holders.get(0).registration).closeAsync();
            run.scheduler.advance(Duration.ofSeconds(1));
            run.send(messenger, 1);
            run.scheduler.advance(Duration.ofSeconds(1));
            assertThat(messenger.peer()).isEqualTo(run.peer(1));
            run.holders.get(0).open();

            run.activeLink().wake(messenger);
            run.scheduler.advance(Duration.ofSeconds(1));
            run.network.restore(run.peer(1));
            run.scheduler.advance(Duration.ofMinutes(1));

            assertThat(run.holders.get(0).received).isEmpty();
            assertThat(run.holders.get(1).received).containsExactly(0);
        });
    }

    @Test
    void peerVanishes_withResending_nextPeerGetsTheUnacknowledgedMessagesInOrder() {
        with(run -> {
            PeerMessenger messenger = run.connect(() -> CompletableFuture.completedFuture(run.peer(1)), true);
            run.network.isolate(run.peer(0));
            run.send(messenger, 50);
            run.scheduler.advance(Duration.ofMinutes(2)); // silence is noticed after 45 s

            assertThat(run.sends.stream().map(Run::outcome).distinct()).containsExactly("sent");
            assertThat(run.holders.get(1).received).isEqualTo(numbers(50));
            assertThat(run.redirections).containsExactly(run.peer(1));
            assertThat(messenger.peer()).isEqualTo(run.peer(1));
            run.network.restore(run.peer(0));
        });
    }

    @Test
    void peerVanishes_lostMessagesHaveFailedWhenTheChangeIsReported() {
        with(run -> {
            List<String> outcomes = new ArrayList<>();
            PeerMessenger messenger = run.sender.messenger(run.peer(0), SERVICE);
            messenger.onPeerLost(
                    () -> CompletableFuture.completedFuture(run.peer(1)),
                    false,
                    peer -> run.sends.subList(0, 20).forEach(sent -> outcomes.add(Run.outcome(sent))));
            messenger.resolve();
            run.scheduler.advance(Duration.ofSeconds(1));
            run.network.isolate(run.peer(0));
            run.send(messenger, 20); // less than the first window
            run.scheduler.advance(Duration.ofSeconds(1));
            run.send(messenger, 5);
            run.scheduler.advance(Duration.ofMinutes(2));

            assertThat(outcomes).hasSize(20).containsOnly("LOST");
            assertThat(run.sends.subList(20, 25).stream().map(Run::outcome).distinct())
                    .containsExactly("LOST");
            run.send(messenger, 5);
            run.scheduler.advance(Duration.ofSeconds(1));
            assertThat(run.holders.get(1).received).containsExactly(25, 26, 27, 28, 29);
            run.network.restore(run.peer(0));
        });
    }

    /** The receiver has no memory of the channel, so only a messenger that may send twice continues. */
    @Test
    void peerRestarts_withResending_getsTheUnacknowledgedMessages() {
        with(run -> {
            PeerMessenger messenger = run.connect(run::search, true);
            PeerId peer = run.peer(0);
            Holder holder = run.holders.get(0);
            run.network.isolate(peer);
            run.send(messenger, 10);
            run.scheduler.advance(Duration.ofSeconds(1));
            holder.endpoint.closeAsync();
            run.scheduler.advance(Duration.ofSeconds(30));
            assertThat(holder.endpoint.isClosed()).isTrue();
            run.network.restore(peer);
            holder.endpoint = run.start(1);
            holder.open();
            run.scheduler.advance(Duration.ofMinutes(2));

            assertThat(holder.received).isEqualTo(numbers(10));
            assertThat(run.sends.stream().map(Run::outcome).distinct()).containsExactly("sent");
            assertThat(run.redirections).isEmpty();
        });
    }

    @Test
    void noSuccessor_messagesFail_andTheNextMessageStartsAnotherSearch() {
        with(run -> {
            List<CompletableFuture<PeerId>> searches = new ArrayList<>();
            PeerMessenger messenger = run.connect(
                    () -> {
                        searches.add(new CompletableFuture<>());
                        return searches.get(searches.size() - 1);
                    },
                    false);
            AsyncCloseable registration = Objects.requireNonNull(run.holders.get(0).registration);
            registration.closeAsync();
            run.scheduler.advance(Duration.ofSeconds(1));
            run.send(messenger, 2);
            run.scheduler.advance(Duration.ofMinutes(5));
            assertThat(searches).hasSize(1);
            assertThat(run.sends).noneMatch(CompletableFuture::isDone);

            searches.get(0).completeExceptionally(ErrorCode.UNREACHABLE.exception("no holder"));
            run.scheduler.advance(Duration.ofSeconds(1));
            EndpointFixture.assertFails(run.sends.get(0), ErrorCode.UNREACHABLE, "no holder");
            EndpointFixture.assertFails(run.sends.get(1), ErrorCode.UNREACHABLE, "no holder");

            run.send(messenger, 1);
            run.scheduler.advance(Duration.ofSeconds(1));
            assertThat(searches).hasSize(2);
            searches.get(1).complete(run.peer(2));
            run.scheduler.advance(Duration.ofSeconds(1));
            assertThat(run.holders.get(2).received).containsExactly(2);
        });
    }

    @Test
    void successorThrows_messagesFail() {
        with(run -> {
            PeerMessenger messenger = run.connect(
                    () -> {
                        throw new IllegalStateException("cannot search");
                    },
                    false);
            Objects.requireNonNull(run.holders.get(0).registration).closeAsync();
            run.scheduler.advance(Duration.ofSeconds(1));
            run.send(messenger, 1);
            run.scheduler.advance(Duration.ofSeconds(1));
            EndpointFixture.assertFails(run.sends.get(0), ErrorCode.UNREACHABLE, "cannot search");
        });
    }

    @Test
    void successorWithoutAFuture_messagesFail_andTheNextMessageStartsAnotherSearch() {
        with(run -> {
            List<Supplier<CompletableFuture<PeerId>>> searches = new ArrayList<>(List.of(
                    () -> null,
                    () -> {
                        throw new NoClassDefFoundError("on purpose");
                    },
                    () -> CompletableFuture.completedFuture(run.peer(1))));
            PeerMessenger messenger = run.connect(() -> searches.remove(0).get(), false);
            Objects.requireNonNull(run.holders.get(0).registration).closeAsync();
            run.scheduler.advance(Duration.ofSeconds(1));
            for (int i = 0; i < 3; i++) {
                run.send(messenger, 1);
                run.scheduler.advance(Duration.ofSeconds(1));
            }
            EndpointFixture.assertFails(run.sends.get(0), ErrorCode.UNREACHABLE);
            EndpointFixture.assertFails(run.sends.get(1), ErrorCode.UNREACHABLE, "on purpose");
            assertThat(run.holders.get(1).received).containsExactly(2);
        });
    }

    @Test
    void listenerOfRedirectionsThrows_messagesAreSent() {
        with(run -> {
            PeerMessenger messenger = run.sender.messenger(run.peer(0), SERVICE);
            messenger.onPeerLost(() -> CompletableFuture.completedFuture(run.peer(1)), false, peer -> {
                throw new IllegalStateException("on purpose");
            });
            Objects.requireNonNull(run.holders.get(0).registration).closeAsync();
            run.send(messenger, 1);
            run.scheduler.advance(Duration.ofSeconds(1));
            assertThat(run.holders.get(1).received).containsExactly(0);
            assertThat(run.sender.metrics().get(EndpointMetrics.Counter.LISTENER_FAILURES))
                    .isEqualTo(1);
        });
    }

    @Test
    void listenerOfFailuresThrows_otherMessengersFailToo() {
        with(run -> {
            run.network.isolate(run.peer(0));
            PeerMessenger first = run.sender.messenger(run.peer(0), SERVICE);
            first.onFailed(cause -> {
                throw new IllegalStateException("on purpose");
            });
            run.send(first, 1);
            run.send(run.sender.messenger(run.peer(0), SERVICE), 1);
            run.scheduler.advance(Duration.ofMinutes(2));
            assertThat(run.sends).allMatch(CompletableFuture::isCompletedExceptionally);
            assertThat(run.sender.metrics().get(EndpointMetrics.Counter.LISTENER_FAILURES))
                    .isEqualTo(1);
            run.network.restore(run.peer(0));
        });
    }

    @Test
    void close_duringASearch_failsTheMessagesAndCancelsTheSearch() {
        with(run -> {
            CompletableFuture<PeerId> search = new CompletableFuture<>();
            PeerMessenger messenger = run.connect(() -> search, false);
            Objects.requireNonNull(run.holders.get(0).registration).closeAsync();
            run.scheduler.advance(Duration.ofSeconds(1));
            run.send(messenger, 1);
            messenger.closeAsync();
            run.scheduler.advance(Duration.ofMinutes(1));

            EndpointFixture.assertFails(run.sends.get(0), ErrorCode.CLOSED);
            assertThat(messenger.isClosed()).isTrue();
            assertThat(search).isCancelled();
        });
    }

    @Test
    void close_duringASearchThatSucceeds_sendsTheMessagesFirst() {
        with(run -> {
            CompletableFuture<PeerId> search = new CompletableFuture<>();
            PeerMessenger messenger = run.connect(() -> search, false);
            Objects.requireNonNull(run.holders.get(0).registration).closeAsync();
            run.scheduler.advance(Duration.ofSeconds(1));
            run.send(messenger, 3);
            messenger.closeAsync();
            run.scheduler.advance(Duration.ofMillis(100));
            search.complete(run.peer(1));
            run.scheduler.advance(Duration.ofSeconds(1));

            assertThat(run.holders.get(1).received).isEqualTo(numbers(3));
            assertThat(messenger.isClosed()).isTrue();
        });
    }

    @Test
    void lostPeers_eachMessageArrivesOnceInOrderOrFailsAsLost() {
        assertThat(simulate(false, "lost peers")).as("redirections").isGreaterThan(SEEDS);
    }

    @Test
    void lostPeersWithResending_eachMessageArrives() {
        assertThat(simulate(true, "lost peers with resending"))
                .as("redirections")
                .isGreaterThan(SEEDS);
    }
}

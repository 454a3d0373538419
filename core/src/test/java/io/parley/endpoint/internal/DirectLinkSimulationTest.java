package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.codec.internal.BinaryMessageCodec;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.TestSeed;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two endpoints with relayed and direct addresses in manual time, whose dials take random times, and whose connections are cut at
 * random moments: also before and during the handshake of a direct connection.
 */
@Tag("extended")
class DirectLinkSimulationTest {

    private static final int SEEDS = Integer.getInteger("parley.test.seeds", 200);
    private static final int MESSAGES = 20;
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final ServiceAddress BEST_EFFORT = ServiceAddress.of("best-effort");
    private static final List<Identity> IDENTITIES = EndpointFixture.identities(2);

    /** One run of two endpoints. */
    private static final class Run {

        private final Random random;
        private final ManualScheduler scheduler;

        /** Runs disturbances at moments among the events that are ready then. */
        private final Executor disturber;

        private final InMemoryNetwork network;
        private final List<Transport> transports = new ArrayList<>();
        private final List<PeerEndpoint> endpoints = new ArrayList<>();
        private final List<List<String>> events = List.of(new ArrayList<>(), new ArrayList<>());
        private final List<List<Integer>> received = List.of(new ArrayList<>(), new ArrayList<>());
        private final List<List<Integer>> receivedAtBest = List.of(new ArrayList<>(), new ArrayList<>());
        private final List<CompletableFuture<Void>> sends = new ArrayList<>();
        private final boolean[] listensDirectly;
        private final int maxDialMillis;
        private boolean unreliable;
        private boolean directFailed;
        private boolean connected;
        private boolean relayed;
        private int relayedDials;
        private int moves;

        Run(long seed) {
            this.random = new Random(seed);
            this.scheduler = new ManualScheduler(new ManualClock(START), new Random(seed));
            this.disturber = scheduler.newExecutor();
            this.network =
                    new InMemoryNetwork(new ManualEventLoops(scheduler, 3), Duration.ofMillis(random.nextInt(30)));
            this.maxDialMillis = random.nextBoolean() ? 20 : 400;
            this.unreliable = random.nextBoolean();
            this.listensDirectly = new boolean[] {random.nextInt(4) > 0, random.nextInt(4) > 0};
            for (int i = 0; i < 2; i++) {
                endpoints.add(start(i));
            }
        }

        private PeerEndpoint start(int self) {
            Identity identity = IDENTITIES.get(self);
            PeerEndpoint endpoint = EndpointFixture.startInManualTime(
                    identity,
                    EndpointLimits.DEFAULTS,
                    new BinaryMessageCodec(),
                    network,
                    scheduler,
                    new RelayedMemoryTransport(slow(transport(identity))));
            endpoint.listen(EndpointAddress.parse("relay+mem://peer" + self)).join();
            if (listensDirectly[self]) {
                endpoint.listen(EndpointAddress.parse("mem://peer" + self + "-direct"))
                        .join();
            }
            endpoint.listen(SERVICE, message -> {
                received.get(self).add(number(message.message()));
                message.release();
            });
            endpoint.listen(BEST_EFFORT, message -> {
                receivedAtBest.get(self).add(number(message.message()));
                message.release();
            });
            endpoint.addPeerConnectionListener(new PeerConnectionListener() {
                @Override
                public void onConnected(PeerId peer) {
                    events.get(self).add("connected");
                }

                @Override
                public void onDisconnected(PeerId peer) {
                    events.get(self).add("disconnected");
                }
            });
            return endpoint;
        }

        private static int number(Message message) {
            return Integer.parseInt(message.text("text").orElseThrow());
        }

        private Transport transport(Identity identity) {
            Transport transport = network.transportProvider()
                    .create(new TransportContext(
                            identity,
                            TransportSecurity.TLS,
                            TransportLimits.DEFAULTS,
                            new EndpointMetrics(),
                            scheduler));
            transports.add(transport);
            return transport;
        }

        /** Returns a transport whose dials take a random time, and fail sometimes. */
        private Transport slow(Transport memory) {
            return (Transport) Proxy.newProxyInstance(
                    Transport.class.getClassLoader(),
                    new Class<?>[] {Transport.class},
                    (proxy, method, arguments) -> method.getName().equals("dial")
                            ? dialLater(memory, (EndpointAddress) arguments[0])
                            : method.invoke(memory, arguments));
        }

        private CompletableFuture<Connection> dialLater(Transport memory, EndpointAddress address) {
            CompletableFuture<Connection> result = new CompletableFuture<>();
            boolean direct = address.host().endsWith("-direct");
            relayedDials += direct ? 0 : 1;
            boolean failing = direct && unreliable && random.nextInt(3) == 0;
            directFailed |= failing;
            scheduler.schedule(Duration.ofMillis(random.nextInt(maxDialMillis)), () -> {
                if (failing) {
                    result.completeExceptionally(ErrorCode.UNREACHABLE.exception("on purpose"));
                    return;
                }
                memory.dial(address, null).whenComplete((connection, failure) -> {
                    if (failure != null) {
                        result.completeExceptionally(failure);
                    } else if (!result.complete(connection)) {
                        connection.abort(null);
                    } else if (direct && unreliable && connected) {
                        disturb(connection);
                    }
                });
            });
            return result;
        }

        /** Cuts a direct connection, the relayed link, or both, at a moment near its handshake. */
        private void disturb(Connection direct) {
            if (random.nextInt(3) == 0) {
                directFailed = true;
                disturbLater(() -> direct.abort(null));
            }
            if (random.nextInt(3) == 0) {
                disturbLater(this::cut);
            }
        }

        private void disturbLater(Runnable task) {
            scheduler.schedule(Duration.ofMillis(random.nextInt(100)), () -> disturber.execute(task));
        }

        private void cut() {
            Link link = link(random.nextInt(2));
            if (link != null) {
                link.abort(null);
            }
        }

        private PeerEndpoint other(int self) {
            return endpoints.get(1 - self);
        }

        private PeerAddress addressOfOther(int self, boolean direct) {
            String relayed = "relay+mem://peer" + (1 - self);
            return direct
                    ? EndpointFixture.at(other(self), "mem://peer" + (1 - self) + "-direct", relayed)
                    : EndpointFixture.at(other(self), relayed);
        }

        private @Nullable Link link(int self) {
            return EndpointFixture.activeLink(endpoints.get(self), other(self));
        }

        /** @param awaited whether the link must be there: a peer that was connected before is dialed repeatedly */
        void connect(boolean awaited) {
            for (int i = 0; i < 2; i++) {
                endpoints.get(i).addPeerAddress(addressOfOther(i, random.nextInt(4) == 0));
            }
            int first = random.nextInt(2);
            CompletableFuture<Void> connecting =
                    endpoints.get(first).connect(other(first).peerId());
            if (random.nextInt(4) == 0) {
                endpoints.get(1 - first).connect(other(1 - first).peerId());
            }
            scheduler.advance(Duration.ofMillis(random.nextInt(500)));
            if (awaited) {
                scheduler.advance(Duration.ofSeconds(2));
                assertThat(connecting).isCompleted();
            }
            connected = true;
        }

        /** Sends in both directions, while direct addresses become known and connections are cut. */
        void sendAll(int cuts) {
            List<PeerMessenger> messengers =
                    IntStream.range(0, 2).mapToObj(i -> messenger(i, SERVICE)).toList();
            List<PeerMessenger> atBest = IntStream.range(0, 2)
                    .mapToObj(i -> messenger(i, BEST_EFFORT))
                    .toList();
            for (int number = 0; number < MESSAGES; number++) {
                for (int i = 0; i < 2; i++) {
                    sends.add(messengers.get(i).send(Message.of("text", Integer.toString(number))));
                    atBest.get(i).send(Message.of("text", Integer.toString(number)));
                }
                if (number == MESSAGES / 4) {
                    addDirectAddresses();
                }
                if (random.nextInt(MESSAGES) < cuts) {
                    disturbLater(this::cut);
                }
                scheduler.advance(Duration.ofMillis(random.nextInt(40)));
                Link link = link(0);
                relayed |= link != null && link.isRelayed();
            }
        }

        void addDirectAddresses() {
            for (int i = 0; i < 2; i++) {
                int self = i;
                disturber.execute(() -> endpoints.get(self).addPeerAddress(addressOfOther(self, true)));
            }
        }

        /** Lets the peers move without messengers, and asserts that none of them dials again when its link is lost. */
        void moveIdle() {
            relayedDials = 0;
            addDirectAddresses();
            scheduler.advance(Duration.ofSeconds(10));
            assertThat(relayedDials).isZero();
            assertEvents(link(0) != null);
            assertThat(link(0) == null).isEqualTo(link(1) == null);
            Link link = link(random.nextInt(2));
            if (link != null) {
                link.abort(null);
            }
            scheduler.advance(Duration.ofMinutes(2));
            assertThat(relayedDials).isZero();
            for (PeerEndpoint endpoint : endpoints) {
                assertThat(endpoint.associationCount()).isZero();
            }
            assertEvents(false);
        }

        private PeerMessenger messenger(int from, ServiceAddress service) {
            MessengerOptions options = service.equals(SERVICE)
                    ? MessengerOptions.DEFAULTS
                    : MessengerOptions.DEFAULTS.withDelivery(MessengerOptions.Delivery.DROP_NEWEST);
            return endpoints.get(from).messenger(other(from).peerId(), service, options);
        }

        void assertAllArrived() {
            unreliable = false;
            scheduler.advance(Duration.ofMinutes(2));
            for (int i = 0; i < 2; i++) {
                CompletableFuture<Void> connected = endpoints.get(i).connect(other(i).peerId());
                scheduler.advance(Duration.ofMinutes(1));
                connected.join();
            }
            assertThat(sends).allMatch(send -> send.isDone() && !send.isCompletedExceptionally());
            for (int i = 0; i < 2; i++) {
                List<Integer> numbers = IntStream.range(0, MESSAGES).boxed().toList();
                assertThat(received.get(i)).containsExactlyElementsOf(numbers);
                assertThat(receivedAtBest.get(i)).doesNotHaveDuplicates().isSorted();
                CompletableFuture<Void> last =
                        messenger(1 - i, BEST_EFFORT).send(Message.of("text", Integer.toString(MESSAGES)));
                scheduler.advance(Duration.ofSeconds(1));
                assertThat(last).isCompleted();
                assertThat(receivedAtBest.get(i)).endsWith(MESSAGES);
            }
        }

        void assertOneLink() {
            Link link = Objects.requireNonNull(link(0));
            assertThat(link.connectionId())
                    .isEqualTo(Objects.requireNonNull(link(1)).connectionId());
            if ((listensDirectly[0] || listensDirectly[1]) && !directFailed) {
                assertThat(link.isRelayed()).isFalse();
                moves += relayed ? 1 : 0;
            }
            for (PeerEndpoint endpoint : endpoints) {
                assertThat(open(endpoint)).isEqualTo(1);
                assertThat(count(endpoint, Counter.CONNECTIONS_DROPPED)).isZero();
            }
        }

        private static long open(PeerEndpoint endpoint) {
            return count(endpoint, Counter.CONNECTIONS_OPENED) - count(endpoint, Counter.CONNECTIONS_CLOSED);
        }

        /** Asserts that connects and disconnects alternate, and that the last event is the state. */
        void assertEvents(boolean last) {
            for (List<String> shown : events) {
                for (int i = 0; i < shown.size(); i++) {
                    assertThat(shown.get(i)).isEqualTo(i % 2 == 0 ? "connected" : "disconnected");
                }
                assertThat(shown.size() % 2 == 1).as("connected").isEqualTo(last);
            }
        }

        /** Ends a peer without notice, and starts it again with the same identity and addresses; its former end closes late. */
        void restart() {
            int self = random.nextInt(2);
            PeerEndpoint former = endpoints.get(self);
            List<String> shownToOther = events.get(1 - self);
            int before = shownToOther.size();
            network.isolate(former.peerId());
            former.closeAsync();
            scheduler.advance(Duration.ofMillis(random.nextInt(2) * 30_000)); // before and after it is closed
            network.restore(former.peerId());
            scheduler.advance(Duration.ofSeconds(30));
            assertThat(former.whenClosed()).isCompleted();
            List<String> shown = events.get(self);
            assertThat(shown.size() % 2).as("%s", shown).isZero();
            unreliable = false;
            directFailed = false;
            endpoints.set(self, start(self));
            endpoints.get(self).addPeerAddress(addressOfOther(self, true));
            CompletableFuture<Void> connecting =
                    endpoints.get(self).connect(other(self).peerId());
            scheduler.advance(Duration.ofSeconds(5));
            assertThat(connecting).isCompleted();
            assertThat(shownToOther.subList(before, shownToOther.size()))
                    .as("the new run")
                    .contains("connected");
        }

        /** Sends through new messengers, because those of a peer that has ended are closed. */
        void sendAfterRestart() {
            for (int i = 0; i < 2; i++) {
                received.get(i).clear();
                CompletableFuture<Void> sent = messenger(1 - i, SERVICE).send(Message.of("text", "0"));
                scheduler.advance(Duration.ofMinutes(1));
                assertThat(sent).isCompleted();
                assertThat(received.get(i)).endsWith(0);
            }
        }

        /** Closes both endpoints; one of them is the first at a moment that is random if it is called during a run. */
        void close() {
            int first = random.nextInt(2);
            endpoints.get(first).closeAsync();
            scheduler.advance(Duration.ofMillis(random.nextInt(100)));
            if (random.nextBoolean()) {
                scheduler.advance(Duration.ofMinutes(2));
                assertThat(endpoints.get(first).whenClosed()).isCompleted();
            }
            other(first).closeAsync();
            transports.forEach(Transport::closeAsync);
            scheduler.advance(Duration.ofMinutes(2));
            for (PeerEndpoint endpoint : endpoints) {
                assertThat(endpoint.whenClosed()).isCompleted();
                assertThat(endpoint.associationCount()).isZero();
                assertThat(endpoint.reservedBytes()).isZero();
                assertThat(open(endpoint)).isZero();
            }
            assertThat(sends).allMatch(CompletableFuture::isDone);
            assertThat(scheduler.pending()).as("timers").isZero();
            assertEvents(false);
        }
    }

    private interface Scenario {
        void run(Run run);
    }

    private static int forEachSeed(String purpose, Scenario scenario) {
        Random seeds = TestSeed.random(purpose);
        int moves = 0;
        for (int i = 0; i < SEEDS; i++) {
            long seed = seeds.nextLong();
            Run run = new Run(seed);
            try {
                scenario.run(run);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
            moves += run.moves;
        }
        return moves;
    }

    @Test
    void relayedLink_becomesDirect_andNothingAboveItNotices() {
        int moves = forEachSeed("moves", run -> {
            run.unreliable = false;
            run.connect(run.random.nextBoolean());
            run.sendAll(0);
            run.assertAllArrived();
            run.assertOneLink();
            assertThat(run.events).containsOnly(List.of("connected"));
            run.close();
        });
        assertThat(moves).isGreaterThan(SEEDS / 8);
    }

    @Test
    void connectionsAreCut_eachMessageArrivesOnce_andOneLinkIsLeft() {
        forEachSeed("cut connections", run -> {
            run.connect(true);
            run.sendAll(3);
            run.assertAllArrived();
            run.assertOneLink();
            run.assertEvents(true);
            run.close();
        });
    }

    /** Without messengers no peer needs the other one, so that none dials again when its link is lost. */
    @Test
    void connectionsOfIdlePeersAreCut_noneIsDialedAgain_andNothingIsLeft() {
        forEachSeed("cut connections of idle peers", run -> {
            run.connect(true);
            run.moveIdle();
            run.close();
        });
    }

    @Test
    void peerThatRestarts_isConnectedByOneLink() {
        forEachSeed("restarts", run -> {
            run.connect(true);
            if (run.random.nextBoolean()) {
                run.sendAll(1);
            } else {
                run.addDirectAddresses();
                run.scheduler.advance(Duration.ofMillis(run.random.nextInt(200)));
            }
            run.restart();
            run.sendAfterRestart();
            run.assertOneLink();
            run.assertEvents(true);
            run.close();
        });
    }

    @Test
    void endpointThatCloses_atAnyMoment_leavesNothing() {
        forEachSeed("closing endpoints", run -> {
            run.connect(run.random.nextBoolean());
            run.close();
        });
        forEachSeed("closing endpoints that send", run -> {
            run.connect(run.random.nextBoolean());
            run.sendAll(3);
            run.close();
        });
    }
}

package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.codec.MessageCodec;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.SequenceCodec;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two endpoints that send to each other over {@code mem://} in manual time, while their connections are aborted or silenced at
 * moments that the seed determines. A failing seed is in the message of the failure, and gives the same run again.
 */
@Tag("extended")
class ResumptionSimulationTest {

    private static final int SEEDS = Integer.getInteger("parley.test.seeds", 60);
    private static final int MESSAGES = 40;
    private static final int CUTS = 6;
    private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

    private static final List<Identity> IDENTITIES = List.of(identity(1), identity(2));

    private static Identity identity(int number) {
        return Identity.generate(new java.security.SecureRandom() {
            private static final long serialVersionUID = 1L;

            @Override
            public void nextBytes(byte[] bytes) {
                Arrays.fill(bytes, (byte) number);
            }
        });
    }

    /** One run: what was sent in each direction, what arrived, and the result of each send. */
    private static final class Run {

        private final ManualScheduler scheduler;
        private final Random random;
        private final InMemoryNetwork network;
        private final List<PeerEndpoint> endpoints = new ArrayList<>();
        private final List<List<String>> received = List.of(new ArrayList<>(), new ArrayList<>());
        private final List<List<String>> sent = List.of(new ArrayList<>(), new ArrayList<>());
        private final List<CompletableFuture<Void>> sends = new ArrayList<>();
        private final MessageCodec codec;
        private int cuts;

        Run(long seed) {
            this.random = new Random(seed);
            // Detects each change of the order. Some runs decode nearly all messages on another thread.
            this.codec =
                    new HookedCodec(new SequenceCodec("sequence"), random.nextBoolean() ? 150 : 300_000, size -> {});
            this.scheduler = new ManualScheduler(new ManualClock(START), new Random(seed));
            this.network = new InMemoryNetwork(new ManualEventLoops(scheduler, 3), Duration.ofMillis(2));
            for (int i = 0; i < 2; i++) {
                int self = i;
                PeerEndpoint endpoint = EndpointFixture.startInManualTime(
                        IDENTITIES.get(i), EndpointLimits.DEFAULTS, codec, network, scheduler);
                endpoint.listen(EndpointAddress.parse("mem://peer" + i));
                endpoint.listen(SERVICE, message -> {
                    received.get(self).add(describe(message.message()));
                    message.release();
                });
                endpoints.add(endpoint);
            }
            endpoints.get(0).addPeerAddress(endpoints.get(1).peerAddress());
            endpoints.get(1).addPeerAddress(endpoints.get(0).peerAddress());
            endpoints
                    .get(0)
                    .connect(endpoints.get(1).peerId()); // a peer that was connected before is dialed repeatedly
            scheduler.advance(Duration.ofSeconds(1));
        }

        private static String describe(Message message) {
            return message.text("number").orElseThrow() + " with " + message.payloadBytes() + " bytes";
        }

        void run() {
            List<PeerMessenger> messengers = List.of(messenger(0), messenger(1));
            int[] next = new int[2];
            int planned = 0;
            Executor cutter = scheduler.newExecutor();
            while (next[0] < MESSAGES || next[1] < MESSAGES) {
                int from = random.nextInt(2);
                if (next[from] < MESSAGES && messengers.get(from).isWritable()) {
                    send(from, messengers.get(from), next[from]++);
                }
                if (planned < CUTS && random.nextInt(2 * MESSAGES) < CUTS) {
                    planned++;
                    cutter.execute(this::cut); // at a moment among the events that are ready then
                }
                if (random.nextInt(3) == 0) {
                    scheduler.advance(Duration.ofMillis(random.nextInt(4)));
                }
            }
            scheduler.advance(Duration.ofMinutes(5)); // silence is noticed after 45 s
            assertThat(sends.stream().map(Run::outcome).distinct()).containsExactly("sent");
            assertThat(received.get(1)).isEqualTo(sent.get(0));
            assertThat(received.get(0)).isEqualTo(sent.get(1));
        }

        private static String outcome(CompletableFuture<Void> send) {
            return send.isDone()
                    ? send.handle((done, failure) -> failure == null ? "sent" : failure.toString())
                            .join()
                    : "pending";
        }

        private PeerMessenger messenger(int from) {
            return endpoints.get(from).messenger(endpoints.get(1 - from).peerId(), SERVICE);
        }

        private void send(int from, PeerMessenger messenger, int number) {
            int size = random.nextInt(8) == 0 ? random.nextInt(700_000) : random.nextInt(200);
            Message message = Message.builder()
                    .add("number", Integer.toString(number))
                    .add("content", new byte[size])
                    .build();
            sent.get(from).add(describe(message));
            sends.add(messenger.send(message));
        }

        private void cut() {
            int victim = random.nextInt(2);
            if (random.nextBoolean()) {
                network.isolate(endpoints.get(victim).peerId()); // the connections carry nothing from now on
                network.restore(endpoints.get(victim).peerId());
                cuts++;
            } else {
                Link link = link(victim);
                if (link != null) {
                    link.abort(null);
                    cuts++;
                }
            }
        }

        private @Nullable Link link(int victim) {
            Association association =
                    endpoints.get(victim).association(endpoints.get(1 - victim).peerId());
            return association == null ? null : association.activeLink();
        }

        long resent() {
            return endpoints.stream()
                    .mapToLong(endpoint -> endpoint.metrics().get(Counter.MESSAGES_RESENT))
                    .sum();
        }

        void close() {
            endpoints.forEach(PeerEndpoint::closeAsync);
            scheduler.advance(Duration.ofMinutes(10));
            assertThat(endpoints).allMatch(PeerEndpoint::isClosed);
            assertThat(scheduler.pending()).as("timers").isZero();
        }
    }

    @Test
    void cutConnections_eachMessageArrivesOnceAndInOrder() {
        long first = TestSeed.next("cut connections");
        long cuts = 0;
        long resent = 0;
        for (int i = 0; i < SEEDS; i++) {
            long seed = first + i;
            Run run = new Run(seed);
            try {
                run.run();
                run.close();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
            cuts += run.cuts;
            resent += run.resent();
        }
        assertThat(cuts).isGreaterThan(3L * SEEDS);
        assertThat(resent).as("messages that were sent again").isGreaterThan(SEEDS);
    }
}

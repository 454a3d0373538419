package io.parley.transport.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.ThreadWatch;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.PropagationTransport;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An in-memory network in manual time: one thread, in an order that the seed determines. */
class ManualTimeNetworkTest {

    private static final int PEERS = 4;
    private static final int ROUNDS = 5;
    private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

    /** One run of peers that connect, send, respond, propagate and close. */
    private static final class Simulation {

        private final ManualScheduler scheduler;
        private final InMemoryNetwork network;
        private final List<Transport> transports = new ArrayList<>();
        private final List<PropagationTransport> propagations = new ArrayList<>();
        private final List<String> trace = new ArrayList<>();
        private final Set<Thread> threads = new LinkedHashSet<>();

        private Simulation(long seed, Duration delay) {
            scheduler = new ManualScheduler(new ManualClock(START), new Random(seed));
            network = new InMemoryNetwork(new ManualEventLoops(scheduler, PEERS), delay);
        }

        private void record(String event) {
            threads.add(Thread.currentThread());
            trace.add(Duration.between(START, scheduler.clock().instant()).toMillis() + " ms: " + event);
        }

        private List<String> run() {
            for (int i = 0; i < PEERS; i++) {
                start(i);
            }
            for (int i = 0; i < PEERS; i++) {
                int peer = i;
                transports
                        .get(i)
                        .dial(address((i + 1) % PEERS), null)
                        .thenAccept(
                                connection -> connection.start(new Participant("dialer " + peer, connection, true)));
            }
            for (int i = 0; i < PEERS; i++) {
                int peer = i;
                scheduler.schedule(
                        Duration.ofMillis(20), () -> propagations.get(peer).propagate(List.of(), text("from " + peer)));
            }
            scheduler.advance(Duration.ofSeconds(1));
            List<CompletableFuture<Void>> closes = new ArrayList<>();
            transports.forEach(transport -> closes.add(transport.closeAsync()));
            propagations.forEach(transport -> closes.add(transport.closeAsync()));
            scheduler.runReady();
            assertThat(closes).allMatch(CompletableFuture::isDone);
            return trace;
        }

        private void start(int number) {
            TransportContext context = new TransportContext(
                    identity(number),
                    TransportSecurity.TLS,
                    TransportLimits.DEFAULTS,
                    new EndpointMetrics(),
                    scheduler);
            Transport transport = network.transportProvider().create(context);
            transports.add(transport);
            assertThat(transport.listen(
                            address(number),
                            connection -> connection.start(new Participant("acceptor " + number, connection, false))))
                    .isCompleted();
            PropagationTransport propagation = network.propagationProvider().create(context);
            propagations.add(propagation);
            propagation.start((sender, payload) ->
                    record("peer " + number + " received " + payload.toString(StandardCharsets.UTF_8)));
        }

        private static EndpointAddress address(int number) {
            return EndpointAddress.parse("mem://peer" + number);
        }

        private static Identity identity(int number) {
            return Identity.generate(new SecureRandom() {
                @Override
                public void nextBytes(byte[] bytes) {
                    Arrays.fill(bytes, (byte) number);
                }
            });
        }

        private static ByteBuf text(String text) {
            return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
        }

        /** Sends a frame at the start if it is the dialer, and a response to each frame, also by a timer. */
        private final class Participant implements ConnectionListener {

            private final String name;
            private final Connection connection;

            private Participant(String name, Connection connection, boolean first) {
                this.name = name;
                this.connection = connection;
                if (first) {
                    connection.executor().execute(() -> send("round 1"));
                }
            }

            private void send(String text) {
                assertThat(connection.executor().inEventLoop()).isTrue();
                connection.write(text(text), failure -> record(name + " wrote " + text + ": " + failure));
                connection.flush();
            }

            @Override
            public void onFrame(ByteBuf frame) {
                String text = frame.toString(StandardCharsets.UTF_8);
                record(name + " received " + text);
                int round = Integer.parseInt(text.substring("round ".length()));
                if (round < ROUNDS) {
                    long pause = scheduler.random().nextLong(5);
                    scheduler.schedule(
                            Duration.ofMillis(pause),
                            () -> connection.executor().execute(() -> send("round " + (round + 1))));
                }
            }

            @Override
            public void onReadComplete() {}

            @Override
            public void onWritable() {}

            @Override
            public void onClosed(@Nullable Throwable cause) {
                record(name + " closed: " + (cause == null ? "in order" : cause.getMessage()));
            }
        }
    }

    @Test
    void equalSeeds_giveEqualTraces_otherSeedsDiffer_andNoOtherThreadRuns() {
        ThreadWatch threads = new ThreadWatch();
        for (Duration delay : List.of(Duration.ZERO, Duration.ofMillis(3))) {
            Simulation first = new Simulation(1, delay);
            List<String> trace = first.run();
            assertThat(trace)
                    .hasSize(PEERS * ROUNDS * 2 + PEERS * (PEERS - 1) + 2 * PEERS)
                    .isEqualTo(new Simulation(1, delay).run());
            assertThat(first.threads).containsExactly(Thread.currentThread());
            assertThat(new Simulation(2, delay).run()).isNotEqualTo(trace);
        }
        assertThat(threads.started()).isEmpty();
    }

    /** Without random times only the choice among ready tasks can make the difference. */
    @Test
    void tasksOfExecutors_areInterleavedByTheSeed_andKeepTheirOrder() {
        Set<List<String>> orders = new LinkedHashSet<>();
        for (int seed = 0; seed < 20; seed++) {
            ManualScheduler scheduler = new ManualScheduler(new ManualClock(START), new Random(seed));
            ManualEventLoops loops = new ManualEventLoops(scheduler, 2);
            List<String> order = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                for (String loop : List.of("a", "b")) {
                    String task = loop + i;
                    loops.next().execute(() -> order.add(task));
                }
            }
            scheduler.schedule(Duration.ZERO, () -> order.add("timer"));
            assertThat(order).isEmpty();
            scheduler.runReady();
            assertThat(order).hasSize(7).containsSubsequence("a0", "a1", "a2").containsSubsequence("b0", "b1", "b2");
            orders.add(order);
        }
        assertThat(orders).hasSizeGreaterThan(5);
    }

    @Test
    void dialToAnIsolatedPeer_timesOutInManualTime() {
        Simulation simulation = new Simulation(1, Duration.ZERO);
        simulation.start(0);
        simulation.start(1);
        simulation.network.isolate(Simulation.identity(1).peerId());
        CompletableFuture<Connection> dialed = simulation.transports.get(0).dial(Simulation.address(1), null);
        Duration timeout = TransportLimits.DEFAULTS.connectTimeout();
        simulation.scheduler.advance(timeout.minusMillis(1));
        assertThat(dialed).isNotDone();
        simulation.scheduler.advance(Duration.ofMillis(1));
        assertThat(dialed.handle((connection, failure) -> ((ParleyException) failure).code()))
                .isCompletedWithValue(ErrorCode.TIMEOUT);
        simulation.transports.forEach(Transport::closeAsync);
        simulation.propagations.forEach(PropagationTransport::closeAsync);
        simulation.scheduler.runReady();
    }
}

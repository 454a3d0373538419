package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.common.Scheduler;
import io.parley.endpoint.EndpointLimits;
import io.parley.testkit.CutPlan;
import io.parley.testkit.CuttingProxy;
import io.parley.testkit.Eventually;
import io.parley.testkit.TestSeed;
import io.parley.testkit.transport.ProxiedTransportProvider;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.memory.InMemoryNetwork;
import io.parley.transport.tcp.TcpTransportProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pipes in both directions between two peers, over TCP and TLS, through proxies that cut the connections: each message arrives once
 * and in order, and no future lies. {@code .ci/campaign-cuts} runs the long form.
 */
class PipeCutsTest {

    private static final int CUTS = Integer.getInteger("parley.test.cuts", 200);
    private static final int MIB = Integer.getInteger("parley.test.mib", 2048);
    private static final int CODECS = 3;

    private static final Duration SOON = Duration.ofSeconds(30);

    /** A silence is noticed after three of these intervals. */
    private static final Duration KEEP_ALIVE = Duration.ofMillis(200);

    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(2);

    @ParameterizedTest
    @ValueSource(strings = {"binary", "xml", "fastinfoset"})
    void cutConnections_eachMessageArrivesOnceAndInOrder(String codec) throws Exception {
        run(codec, 4, 8, 1);
    }

    /** The acceptance of the channel: 200 cuts while 2 GiB are sent. */
    @Tag("slow")
    @Timeout(1800)
    @ParameterizedTest
    @ValueSource(strings = {"binary", "xml", "fastinfoset"})
    void cutConnections_eachMessageArrivesOnceAndInOrder_often(String codec) throws Exception {
        run(codec, CUTS / CODECS + 1, MIB / CODECS + 1, 6);
    }

    private static void run(String codec, int cuts, int mib, int maxMessageMib) throws Exception {
        long seed = TestSeed.next("cuts with codec " + codec);
        long start = Scheduler.system().nanoTime();
        long bytes = (long) mib << 20;
        // The bytes on the wire are more than those of the messages, so all cuts are made before the last message.
        CutPlan plan = new CutPlan(new Random(seed), cuts, bytes / cuts * 9 / 10);
        try (CutNetwork network = new CutNetwork(codec, plan)) {
            List<NumberedStream> streams = network.openStreams(seed, maxMessageMib << 20);
            plan.start();
            network.sendAll(bytes / streams.size());
            Eventually.until(() -> plan + ", " + streams, () -> streams.stream().allMatch(NumberedStream::isSettled));
            assertThat(streams).allSatisfy(stream -> {
                assertThat(stream.faults()).isEmpty();
                assertThat(stream.received()).isEqualTo(stream.sent());
            });
            assertThat(plan.isDone()).isTrue();
            assertThat(network.sum(Counter.MESSAGES_RESENT))
                    .as("messages that were sent again")
                    .isPositive();
            System.out.printf(
                    "cuts, %s: %s in %d messages of %d MiB (%d MiB on the wire), %d sent again, %d connections, %.1f s%n",
                    codec,
                    plan,
                    streams.stream().mapToLong(NumberedStream::sent).sum(),
                    streams.stream().mapToLong(NumberedStream::sentBytes).sum() >> 20,
                    network.forwardedBytes() >> 20,
                    network.sum(Counter.MESSAGES_RESENT),
                    network.sum(Counter.CONNECTIONS_OPENED) / 2,
                    (Scheduler.system().nanoTime() - start) / 1e9);
        }
    }

    /** Two peers whose connections pass proxies. */
    private static final class CutNetwork implements AutoCloseable {

        private final InMemoryNetwork multicast = new InMemoryNetwork(1);
        private final CutPlan plan;
        private final List<CuttingProxy> proxies = new ArrayList<>();
        private final List<Peer> peers = new ArrayList<>();
        private final List<NumberedStream> streams = new ArrayList<>();
        private final List<OutputPipe> pipes = new ArrayList<>();

        CutNetwork(String codec, CutPlan plan) {
            this.plan = plan;
            for (String name : List.of("alice", "bob")) {
                peers.add(Peer.loopback()
                        .name(name)
                        .codecs(codec)
                        .multicast(true)
                        .propagationTransport(multicast.propagationProvider())
                        .transport(new ProxiedTransportProvider(new TcpTransportProvider(), this::newProxy))
                        .limits(EndpointLimits.DEFAULTS.toBuilder()
                                .keepAliveInterval(KEEP_ALIVE)
                                .connectTimeout(HANDSHAKE_TIMEOUT)
                                .handshakeTimeout(HANDSHAKE_TIMEOUT)
                                .reconnectTimeout(NumberedStream.MAX_STALL)
                                .build())
                        .start());
            }
        }

        private CuttingProxy newProxy(int port) {
            CuttingProxy proxy = new CuttingProxy(port, plan, this::exchangeAddresses);
            proxies.add(proxy);
            return proxy;
        }

        /** Tells each peer the address of the other one, as a search would do. */
        private void exchangeAddresses() {
            peers.get(0).endpoint().addPeerAddress(peers.get(1).address());
            peers.get(1).endpoint().addPeerAddress(peers.get(0).address());
        }

        /** Opens two pipes in each direction: one is connected by its ticket, the other one by its name. */
        List<NumberedStream> openStreams(long seed, int maxBytes) throws InterruptedException {
            byte[] pool = new byte[maxBytes + (1 << 16)];
            new Random(seed).nextBytes(pool);
            for (int from = 0; from < 2; from++) {
                Pipes sending = Pipes.of(peers.get(from));
                Pipes receiving = Pipes.of(peers.get(1 - from));
                NumberedStream byTicket = newStream(from, "by ticket", seed, pool, maxBytes);
                InputPipe in = receiving.listen(receiving.pipeId("ticket " + from), byTicket, Runnable::run);
                pipes.add(sending.connect(in.ticket(), SOON));
                NumberedStream byName = newStream(from, "by name", seed, pool, maxBytes);
                receiving.listen("name " + from, byName, Runnable::run);
                pipes.add(sending.connect("name " + from, SOON));
            }
            return streams;
        }

        private NumberedStream newStream(int from, String kind, long seed, byte[] pool, int maxBytes) {
            String name = "pipe of " + peers.get(from).name() + " " + kind;
            NumberedStream stream = new NumberedStream(name, seed + name.hashCode(), pool, maxBytes);
            streams.add(stream);
            return stream;
        }

        /** Sends on all streams at once: a number of bytes on each, and more if there are cuts left. */
        void sendAll(long bytesPerStream) {
            ExecutorService senders = Executors.newFixedThreadPool(streams.size());
            try {
                List<CompletableFuture<Void>> all = new ArrayList<>();
                for (int i = 0; i < streams.size(); i++) {
                    NumberedStream stream = streams.get(i);
                    OutputPipe pipe = pipes.get(i);
                    all.add(CompletableFuture.runAsync(
                            () -> stream.send(pipe, () -> stream.sentBytes() >= bytesPerStream && plan.isDone()),
                            senders));
                }
                CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                        .join();
            } finally {
                senders.shutdown();
            }
        }

        long forwardedBytes() {
            return proxies.stream().mapToLong(CuttingProxy::forwardedBytes).sum();
        }

        long sum(Counter counter) {
            return peers.stream()
                    .mapToLong(peer -> peer.endpoint().metrics().get(counter))
                    .sum();
        }

        @Override
        public void close() throws Exception {
            peers.forEach(Peer::close);
            for (CuttingProxy proxy : proxies) {
                proxy.close();
            }
        }
    }
}

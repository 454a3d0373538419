package io.parley.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.common.Scheduler;
import io.parley.endpoint.EndpointLimits;
import io.parley.testkit.CutPlan;
import io.parley.testkit.CuttingProxy;
import io.parley.testkit.TestSeed;
import io.parley.testkit.transport.ProxiedTransportProvider;
import io.parley.transport.memory.InMemoryNetwork;
import io.parley.transport.tcp.TcpTransportProvider;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Socket streams over TCP and TLS, through proxies that cut the connections by RST or silence: each byte arrives once and in order.
 * {@code .ci/campaign-sockets} runs the long form.
 */
class SocketCutsTest {

    private static final int CUTS = Integer.getInteger("parley.test.cuts", 200);
    private static final int MIB = Integer.getInteger("parley.test.mib", 2048);
    private static final int MAX_BLOCK = 100_000;
    private static final Duration SOON = Duration.ofSeconds(30);

    /** A silence is noticed after three of these intervals. */
    private static final Duration KEEP_ALIVE = Duration.ofMillis(200);

    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(2);

    @Test
    void cutConnections_eachByteArrivesOnceAndInOrder() throws Exception {
        run(6, 12);
    }

    /** The acceptance of the sockets: 200 cuts during 2 GiB. */
    @Tag("slow")
    @Timeout(1800)
    @Test
    void cutConnections_eachByteArrivesOnceAndInOrder_often() throws Exception {
        run(CUTS, MIB);
    }

    /** One socket carries numbered bytes in both directions, until all cuts are made and the bytes are sent. */
    private static void run(int cuts, int mib) throws Exception {
        long seed = TestSeed.next("cuts of sockets");
        long start = Scheduler.system().nanoTime();
        long bytes = (long) mib << 20;
        CutPlan plan = new CutPlan(new Random(seed), cuts, bytes / cuts * 9 / 10);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (CutNetwork network = new CutNetwork(plan, KEEP_ALIVE, SocketLimits.DEFAULTS);
                PeerServerSocket server = network.sockets(0).listen("stream");
                PeerSocket socket = network.sockets(1).connect("stream", SOON);
                PeerSocket accepted = server.accept()) {
            plan.start();
            List<Future<Long>> sent = new ArrayList<>();
            List<Future<Long>> received = new ArrayList<>();
            for (Socket each : List.of(socket, accepted)) {
                long stream = seed + sent.size();
                sent.add(threads.submit(() -> send(each, stream, bytes / 2, plan)));
                Socket other = each == socket ? accepted : socket;
                received.add(threads.submit(() -> receive(other, stream)));
            }
            for (int i = 0; i < 2; i++) {
                long count = sent.get(i).get(1700, TimeUnit.SECONDS);
                assertThat(received.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(count);
            }
            assertThat(plan.isDone()).isTrue();
            System.out.printf(
                    "cuts of sockets: %s in %d MiB (%d MiB on the wire), each byte once and in order, %.1f s%n",
                    plan,
                    (sent.get(0).get() + sent.get(1).get()) >> 20,
                    network.forwardedBytes() >> 20,
                    (Scheduler.system().nanoTime() - start) / 1e9);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Returns the byte at a position of a stream: positions that are swapped, lost or repeated differ. */
    private static byte at(long stream, long position) {
        long block = position >>> 3;
        long mixed = (block + stream) * 0x9E3779B97F4A7C15L;
        return (byte) ((mixed >>> 32) >>> (8 * (position & 3)));
    }

    private static long send(Socket socket, long stream, long minBytes, CutPlan plan) throws Exception {
        Random random = new Random(stream);
        OutputStream out = socket.getOutputStream();
        byte[] block = new byte[MAX_BLOCK];
        long position = 0;
        while (position < minBytes || !plan.isDone()) {
            int length = 1 + random.nextInt(random.nextInt(4) == 0 ? 100 : MAX_BLOCK);
            for (int i = 0; i < length; i++) {
                block[i] = at(stream, position + i);
            }
            out.write(block, 0, length);
            position += length;
        }
        socket.shutdownOutput();
        return position;
    }

    private static long receive(Socket socket, long stream) throws Exception {
        InputStream in = socket.getInputStream();
        byte[] block = new byte[MAX_BLOCK];
        long position = 0;
        for (int read = in.read(block); read >= 0; read = in.read(block)) {
            for (int i = 0; i < read; i++) {
                if (block[i] != at(stream, position + i)) {
                    throw new AssertionError("wrong byte at " + (position + i));
                }
            }
            position += read;
        }
        return position;
    }

    /** The proxies go away for longer than the stream may wait: both sides fail with the reason. */
    @Test
    void connectionThatIsNotResumed_failsBothSides() throws Exception {
        SocketLimits limits = SocketLimits.DEFAULTS.toBuilder()
                .resumeTimeout(Duration.ofMillis(500))
                .build();
        ExecutorService threads = Executors.newCachedThreadPool();
        CutPlan plan = new CutPlan(new Random(1), 0, 1);
        // A pause of this process must not look like a cut before the proxies go away.
        try (CutNetwork network = new CutNetwork(plan, EndpointLimits.DEFAULTS.keepAliveInterval(), limits);
                PeerServerSocket server = network.sockets(0).listen("stream");
                PeerSocket socket = network.sockets(1).connect("stream", SOON);
                PeerSocket accepted = server.accept()) {
            socket.getOutputStream().write(1);
            assertThat(accepted.getInputStream().read()).isEqualTo(1);
            List<Future<Integer>> reads = new ArrayList<>();
            for (Socket each : List.of(socket, accepted)) {
                reads.add(threads.submit(() -> each.getInputStream().read()));
            }
            network.closeProxies();
            for (Future<Integer> read : reads) {
                assertThat(read)
                        .failsWithin(SOON)
                        .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                        .withCauseInstanceOf(SocketException.class)
                        .withMessageContaining("not resumed within 500 ms")
                        .withMessageContaining("stream");
            }
            assertThat(threads.submit(() -> {
                        socket.getOutputStream().write(1);
                        return null;
                    }))
                    .failsWithin(SOON)
                    .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                    .withCauseInstanceOf(SocketException.class)
                    .withMessageContaining("Broken pipe");
        } finally {
            threads.shutdownNow();
        }
    }

    /** Two peers whose connections pass proxies. */
    private static final class CutNetwork implements AutoCloseable {

        private final InMemoryNetwork multicast = new InMemoryNetwork(1);
        private final CutPlan plan;
        private final SocketLimits limits;
        private final List<CuttingProxy> proxies = new ArrayList<>();
        private final List<Peer> peers = new ArrayList<>();

        CutNetwork(CutPlan plan, Duration keepAlive, SocketLimits limits) {
            this.plan = plan;
            this.limits = limits;
            for (String name : List.of("alice", "bob")) {
                peers.add(Peer.loopback()
                        .name(name)
                        .multicast(true)
                        .propagationTransport(multicast.propagationProvider())
                        .transport(new ProxiedTransportProvider(new TcpTransportProvider(), this::newProxy))
                        .limits(EndpointLimits.DEFAULTS.toBuilder()
                                .keepAliveInterval(keepAlive)
                                .connectTimeout(HANDSHAKE_TIMEOUT)
                                .handshakeTimeout(HANDSHAKE_TIMEOUT)
                                .closeTimeout(HANDSHAKE_TIMEOUT)
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

        PeerSockets sockets(int number) {
            return PeerSockets.of(peers.get(number)).withLimits(limits);
        }

        long forwardedBytes() {
            return proxies.stream().mapToLong(CuttingProxy::forwardedBytes).sum();
        }

        void closeProxies() throws Exception {
            for (CuttingProxy proxy : proxies) {
                proxy.close();
            }
        }

        @Override
        public void close() throws Exception {
            peers.forEach(Peer::close);
            closeProxies();
        }
    }
}

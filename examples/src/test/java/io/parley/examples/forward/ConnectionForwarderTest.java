package io.parley.examples.forward;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.parley.testkit.Eventually;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionForwarderTest {

    private static final int MAX_CONNECTIONS = 4;

    /** More than the seconds of a test: each must not wait for a place. */
    private static final int REFUSED_CONNECTIONS = 100;

    private final ForwardPath path = newPath();

    private static ForwardPath newPath() {
        try {
            return new ForwardPath(MAX_CONNECTIONS);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() throws IOException {
        path.close();
    }

    private static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed + Long.getLong("parley.test.seed", 0)).nextBytes(bytes);
        return bytes;
    }

    private static CompletableFuture<Void> send(Socket socket, byte[] bytes) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        socket.getOutputStream().write(bytes);
                        socket.shutdownOutput();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                },
                task -> new Thread(task, "sender").start());
    }

    @Test
    void bytes_passInBothDirectionsAtOnce_eachToItsEnd() throws Exception {
        byte[] there = bytes(3_000_001, 1);
        byte[] back = bytes(5_000_003, 2);
        try (Socket client = path.connect();
                Socket server = path.accept()) {
            CompletableFuture<Void> sent = CompletableFuture.allOf(send(client, there), send(server, back));
            CompletableFuture<byte[]> received = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return client.getInputStream().readAllBytes();
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    },
                    task -> new Thread(task, "receiver").start());
            assertThat(server.getInputStream().readAllBytes()).isEqualTo(there);
            assertThat(received.get(30, TimeUnit.SECONDS)).isEqualTo(back);
            sent.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void endOfOneDirection_leavesTheOtherOpen() throws Exception {
        try (Socket client = path.connect();
                Socket server = path.accept()) {
            client.getOutputStream().write('a');
            client.shutdownOutput();
            assertThat(server.getInputStream().readAllBytes()).containsExactly('a');
            server.getOutputStream().write('b');
            assertThat(client.getInputStream().read()).isEqualTo('b');
            server.shutdownOutput();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
        try (Socket client = path.connect();
                Socket server = path.accept()) {
            server.shutdownOutput();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            client.getOutputStream().write('c');
            assertThat(server.getInputStream().read()).isEqualTo('c');
        }
    }

    @Test
    void resetOfTheClient_resetsTheServer() throws Exception {
        try (Socket client = path.connect();
                Socket server = path.accept()) {
            client.getOutputStream().write('a');
            assertThat(server.getInputStream().read()).isEqualTo('a');
            reset(client);
            assertIsReset(server);
        }
    }

    @Test
    void resetOfTheServer_resetsTheClient() throws Exception {
        try (Socket client = path.connect();
                Socket server = path.accept()) {
            server.getOutputStream().write('a');
            assertThat(client.getInputStream().read()).isEqualTo('a');
            reset(server);
            assertIsReset(client);
        }
    }

    @Test
    void closingAForwarder_resetsItsConnections_soThatNoProgramTakesItForTheEnd() throws Exception {
        try (Socket client = path.connect();
                Socket server = path.accept()) {
            client.getOutputStream().write('a');
            assertThat(server.getInputStream().read()).isEqualTo('a');
            path.connecting.close();
            path.connecting.close();
            assertIsReset(client);
            assertIsReset(server);
        }
    }

    @Test
    void forwarderThatIsClosedWhileItConnects_leavesNoSocketOpen() throws Exception {
        CompletableFuture<ConnectionForwarder> self = new CompletableFuture<>();
        try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ConnectionForwarder forwarder = ConnectionForwarder.start(
                        port,
                        accepted -> {
                            self.join().close();
                            return new Socket(InetAddress.getLoopbackAddress(), path.server.getLocalPort());
                        },
                        1,
                        new ConnectionLog(line -> {}))) {
            self.complete(forwarder);
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port.getLocalPort());
                    Socket server = path.accept()) {
                client.setSoTimeout(20_000);
                assertIsReset(client);
                assertIsReset(server);
            }
        }
    }

    private static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    private static void assertIsReset(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        assertThatThrownBy(in::read, "read of a connection that is reset")
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("reset");
    }

    @Test
    void peerThatClosesWithoutReading_losesNoByteThatItHasWritten() throws Exception {
        byte[] last = bytes(1_000_000, 3);
        try (Socket client = path.connectByPeer()) {
            client.getOutputStream().write(last);
        }
        try (Socket server = path.accept()) {
            byte[] received = new byte[last.length];
            int count = 0;
            InputStream in = server.getInputStream();
            while (count < received.length) {
                writeInVain(server);
                int read = in.read(received, count, Math.min(64 * 1024, received.length - count));
                assertThat(read).as("bytes after %d", count).isPositive();
                count += read;
            }
            assertThat(received).isEqualTo(last);
        }
    }

    /** Writes a byte that no program reads. As with plain TCP, the connection may be reset by then; what has arrived can still be read. */
    private static void writeInVain(Socket socket) {
        try {
            socket.getOutputStream().write(0);
        } catch (IOException reset) {
            assertThat(reset).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void clientThatClosesWithoutReading_losesNoByteThatItHasWritten() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        ConnectionLog log = new ConnectionLog(line -> {});
        try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ConnectionForwarder forwarder = ConnectionForwarder.start(
                        port, accepted -> new GatedSocket(path.server.getLocalPort(), gate), 1, log);
                Socket client = new Socket(InetAddress.getLoopbackAddress(), port.getLocalPort());
                Socket server = path.accept()) {
            client.getOutputStream().write("1".getBytes(UTF_8));
            client.getOutputStream().write("QUIT".getBytes(UTF_8));
            client.close();
            // More than all buffers hold: the forwarder has noticed that the client takes no bytes, and reads them
            // itself.
            server.getOutputStream().write(new byte[64 << 20]);
            gate.countDown();
            assertThat(server.getInputStream().readAllBytes()).asString(UTF_8).isEqualTo("1QUIT");
        }
    }

    private static void pass(CountDownLatch gate) throws IOException {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** A socket to a server that is slow to read: what is written waits for a gate. */
    private static final class GatedSocket extends Socket {

        private final CountDownLatch gate;

        GatedSocket(int port, CountDownLatch gate) throws IOException {
            super(InetAddress.getLoopbackAddress(), port);
            this.gate = gate;
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            pass(gate);
            return super.getOutputStream();
        }

        @Override
        public void shutdownOutput() throws IOException {
            getOutputStream();
            super.shutdownOutput();
        }
    }

    @Test
    void connectionBeyondTheMaximum_isReset_andTheUserReadsWhy() throws Exception {
        Deque<Socket> open = new ArrayDeque<>();
        for (int i = 0; i < MAX_CONNECTIONS; i++) {
            open.push(connectAndAccept());
        }
        path.greetAll();
        for (int i = 0; i < REFUSED_CONNECTIONS; i++) {
            try (Socket refused = path.connect()) {
                assertIsReset(refused);
            }
        }
        await().atMost(Eventually.DEADLINE)
                .untilAsserted(() -> assertThat(path.lines())
                        .hasSize(ConnectionLog.MAX_LINES)
                        .allSatisfy(line -> assertThat(line).contains("4 connections are open", "--max-connections")));
        reset(open.pop());
        await().atMost(Eventually.DEADLINE).until(this::isNextAccepted);
        for (Socket socket : open) {
            reset(socket);
        }
    }

    @Test
    void connectionAfterOneThatBothProgramsHaveClosed_waitsForItsPlace() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        try (ObservedServerSocket port = new ObservedServerSocket();
                ConnectionForwarder forwarder = ConnectionForwarder.start(
                        port,
                        accepted -> new SlowlyClosedSocket(path.server.getLocalPort(), gate),
                        1,
                        Eventually.DEADLINE.multipliedBy(2), // the next connection waits until the gate opens
                        new ConnectionLog(line -> {}))) {
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port.getLocalPort());
                    Socket server = path.accept()) {
                assertThat(server.isConnected()).isEqualTo(client.isConnected());
            }
            try (Socket next = new Socket(InetAddress.getLoopbackAddress(), port.getLocalPort())) {
                await().atMost(Eventually.DEADLINE).until(() -> port.acceptor.getState() == Thread.State.TIMED_WAITING);
                gate.countDown();
                path.greetAll();
                assertThat(next.getInputStream().read()).isEqualTo(ForwardPath.GREETING);
            }
        } finally {
            gate.countDown();
        }
    }

    /** A server socket whose thread is known. */
    private static final class ObservedServerSocket extends ServerSocket {

        private volatile Thread acceptor = Thread.currentThread();

        ObservedServerSocket() throws IOException {
            super(0, 2, InetAddress.getLoopbackAddress());
        }

        @Override
        public Socket accept() throws IOException {
            acceptor = Thread.currentThread();
            return super.accept();
        }
    }

    /** A socket that is closed only after a gate has opened. */
    private static final class SlowlyClosedSocket extends Socket {

        private final CountDownLatch gate;

        SlowlyClosedSocket(int port, CountDownLatch gate) throws IOException {
            super(InetAddress.getLoopbackAddress(), port);
            this.gate = gate;
        }

        @Override
        public void close() throws IOException {
            pass(gate);
            super.close();
        }
    }

    private boolean isNextAccepted() throws IOException {
        try (Socket next = path.connect()) {
            return next.getInputStream().read() == ForwardPath.GREETING;
        } catch (SocketException e) { // it was reset
            return false;
        }
    }

    private Socket connectAndAccept() throws IOException {
        Socket client = path.connect();
        client.getOutputStream().write('a');
        try (Socket server = path.accept()) {
            assertThat(server.getInputStream().read()).isEqualTo('a');
            server.getOutputStream().write('b');
        }
        assertThat(client.getInputStream().read()).isEqualTo('b');
        return client;
    }

    @Test
    void targetThatDoesNotListen_resetsTheClient_andTheUserReadsWhy() throws Exception {
        path.server.close();
        try (Socket client = path.connect()) {
            assertIsReset(client);
        }
        await().atMost(Eventually.DEADLINE)
                .untilAsserted(() -> assertThat(path.lines())
                        .singleElement()
                        .asString()
                        .contains("Cannot connect to 127.0.0.1:" + path.server.getLocalPort(), "refused"));
    }
}

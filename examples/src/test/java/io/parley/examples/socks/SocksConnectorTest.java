package io.parley.examples.socks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.parley.Peer;
import io.parley.examples.MemoryNet;
import io.parley.examples.forward.ConnectionForwarder;
import io.parley.examples.forward.ConnectionLog;
import io.parley.sockets.PeerServerSocket;
import io.parley.sockets.PeerSockets;
import io.parley.testkit.Eventually;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SocksConnectorTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int MAX_NEGOTIATIONS = 2;

    private final MemoryNet net = new MemoryNet();
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Peer alice = net.start("alice");
    private final Peer bob = net.start("bob");
    private final ServerSocket port = loopback();

    private static ServerSocket loopback() {
        try {
            return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private ConnectionForwarder start(Duration negotiationTimeout) {
        return ConnectionForwarder.start(
                port,
                new SocksConnector(PeerSockets.of(bob), LONG, MAX_NEGOTIATIONS, negotiationTimeout),
                64,
                new ConnectionLog(lines::add));
    }

    @AfterEach
    void close() {
        net.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.getLocalPort());
        socket.setSoTimeout((int) LONG.toMillis());
        return socket;
    }

    /** Connects with the SOCKS client of the JDK. */
    private Socket connect(String host) throws IOException {
        Socket socket =
                new Socket(new Proxy(Proxy.Type.SOCKS, new InetSocketAddress("127.0.0.1", port.getLocalPort())));
        socket.setSoTimeout((int) LONG.toMillis());
        socket.connect(InetSocketAddress.createUnresolved(host, 80));
        return socket;
    }

    private static void checkEcho(Socket socket, PeerServerSocket server) throws IOException {
        try (socket;
                Socket accepted = server.accept()) {
            socket.getOutputStream().write("Will it rain?".getBytes(StandardCharsets.UTF_8));
            socket.shutdownOutput();
            accepted.getOutputStream().write(accepted.getInputStream().readAllBytes());
            accepted.close();
            assertThat(socket.getInputStream().readAllBytes())
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("Will it rain?");
        }
    }

    @Test
    void names_leadToServices_byNameAndByPeer() throws Exception {
        try (ConnectionForwarder socks = start(LONG);
                PeerServerSocket server = PeerSockets.of(alice).listen("wiki")) {
            checkEcho(connect("wiki.parley"), server);
            checkEcho(connect(server.host().toString()), server);
            assertThatThrownBy(() -> connect("other." + alice.id().text() + ".parley"))
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("SOCKS: Connection refused");
            assertThatThrownBy(() -> connect("example.org"))
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("SOCKS: Connection not allowed by ruleset");
            await().atMost(Eventually.DEADLINE)
                    .untilAsserted(() -> assertThat(lines) // each client has a thread of its own
                            .hasSize(2)
                            .anySatisfy(line -> assertThat(line).contains("example.org")));
        }
    }

    @Test
    void peerThatIsNotAllowed_getsTheReplyForIt() throws Exception {
        try (ConnectionForwarder socks = start(LONG);
                PeerServerSocket server =
                        PeerSockets.of(alice).withAllowedPeers(peer -> false).listen("wiki")) {
            assertThatThrownBy(() -> connect("wiki." + alice.id().text() + ".parley"))
                    .hasMessageContaining("SOCKS: Connection not allowed by ruleset");
        }
    }

    @Test
    void clientThatSendsByteByByte_isClosedAtTheDeadline() throws Exception {
        try (ConnectionForwarder socks = start(Duration.ofMillis(300));
                Socket client = connect()) {
            client.getOutputStream().write(new byte[] {5, (byte) 255});
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 254; i++) { // fewer than announced, so that no reply is due
                            client.getOutputStream().write(2);
                            LockSupport.parkNanos(Duration.ofMillis(20).toNanos()); // the pace of the client
                        }
                    })
                    .isInstanceOf(SocketException.class);
            await().atMost(Eventually.DEADLINE)
                    .untilAsserted(() ->
                            assertThat(lines).singleElement().asString().contains("no complete request within 300 ms"));
        }
    }

    @Test
    void clientsWithoutARequest_areBounded_andOneMoreIsClosed() throws Exception {
        try (ConnectionForwarder socks = start(LONG);
                PeerServerSocket server = PeerSockets.of(alice).listen("wiki");
                Socket first = connect();
                Socket second = connect()) {
            for (Socket open : List.of(first, second)) {
                open.getOutputStream().write(new byte[] {5, 1, 0});
                assertThat(open.getInputStream().readNBytes(2)).containsExactly(5, 0);
            }
            try (Socket third = connect()) {
                assertThatThrownBy(() -> {
                            third.getOutputStream()
                                    .write(new byte[] {5, 1, 0}); // to which a further client would get a response
                            assertThat(third.getInputStream().readNBytes(2)).isEmpty();
                        })
                        .as("a client beyond the maximum")
                        .isInstanceOf(SocketException.class);
            }
            await().atMost(Eventually.DEADLINE)
                    .untilAsserted(() -> assertThat(lines)
                            .singleElement()
                            .asString()
                            .contains("have not sent their request: 2 (expected: < 2)"));
            second.close();
            await().atMost(Eventually.DEADLINE)
                    .ignoreExceptions()
                    .untilAsserted(() -> checkEcho(connect("wiki.parley"), server));
        }
    }

    /** Connects again if a pause of this process has exceeded the time of the request. */
    private Socket connectInTime(String host) {
        return await().atMost(Eventually.DEADLINE)
                .ignoreExceptionsInstanceOf(SocketException.class)
                .until(() -> connect(host), Socket::isConnected);
    }

    @Test
    void connection_mayBeIdleForLongerThanTheTimeOfTheRequest() throws Exception {
        try (ConnectionForwarder socks = start(Duration.ofMillis(300));
                PeerServerSocket server = PeerSockets.of(alice).listen("wiki");
                Socket client = connectInTime("wiki.parley");
                Socket accepted = server.accept()) {
            client.setSoTimeout(900);
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            client.getOutputStream().write(7);
            assertThat(accepted.getInputStream().read()).isEqualTo(7);
        }
    }

    @Test
    void refusedClient_givesItsPlaceBack() throws Exception {
        try (ConnectionForwarder socks = ConnectionForwarder.start(
                        port, new SocksConnector(PeerSockets.of(bob), LONG), 1, new ConnectionLog(lines::add));
                PeerServerSocket server = PeerSockets.of(alice).listen("wiki")) {
            try (Socket refused = connect()) {
                refused.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(refused.getInputStream().read()).isEqualTo(-1);
            }
            await().atMost(Eventually.DEADLINE)
                    .ignoreExceptions()
                    .untilAsserted(() -> checkEcho(connect("wiki.parley"), server));
        }
    }

    /** A port whose connections fail if more is read of a refused client than it may still send. */
    private static final class RefusingPort extends ServerSocket {

        RefusingPort() throws IOException {
            super(0, 1, InetAddress.getLoopbackAddress());
        }

        @Override
        public Socket accept() throws IOException {
            Socket socket = new RefusedSocket();
            implAccept(socket);
            return socket;
        }
    }

    /** See {@link RefusingPort}. The reply ends with the end of the output. */
    private static final class RefusedSocket extends Socket {

        private boolean replied;
        private int discardedBytes;

        @Override
        public void shutdownOutput() throws IOException {
            super.shutdownOutput();
            replied = true;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] target, int offset, int length) throws IOException {
                    if (replied) {
                        assertThat(getSoTimeout())
                                .as("milliseconds for which a read of a refused client waits")
                                .isBetween(1, (int) SocksConnector.DISCARD_TIMEOUT.toMillis());
                        assertThat(discardedBytes + length)
                                .as("bytes that are read of a refused client")
                                .isLessThanOrEqualTo(SocksConnector.MAX_DISCARDED_BYTES);
                    }
                    int count = super.read(target, offset, length);
                    if (replied && count > 0) {
                        discardedBytes += count;
                    }
                    return count;
                }
            };
        }
    }

    /** Serves a client that is not a SOCKS client. */
    private void checkRefused(Socket accepted) {
        SocksConnector connector = new SocksConnector(PeerSockets.of(bob), LONG);
        assertThatThrownBy(() -> connector.connect(accepted)).isInstanceOf(SocksRefusedException.class);
        assertThat(accepted.isClosed()).isTrue();
    }

    @Test
    void refusedClient_thatSendsNoMore_isReadForALimitedTime() throws Exception {
        try (ServerSocket refusing = new RefusingPort();
                Socket client = new Socket(InetAddress.getLoopbackAddress(), refusing.getLocalPort());
                Socket accepted = refusing.accept()) {
            client.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            checkRefused(accepted);
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void refusedClient_thatSendsWithoutEnd_isReadToALimit() throws Exception {
        try (ServerSocket refusing = new RefusingPort();
                Socket client = new Socket(InetAddress.getLoopbackAddress(), refusing.getLocalPort());
                Socket accepted = refusing.accept()) {
            CompletableFuture<Throwable> sent = new CompletableFuture<>();
            new Thread(() -> sent.complete(catchThrowable(() -> {
                        while (true) {
                            client.getOutputStream().write(new byte[64 * 1024]);
                        }
                    })))
                    .start();
            checkRefused(accepted);
            assertThat(sent.get(LONG.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void malformedInput_closesThatConnectionAlone() throws Exception {
        try (ConnectionForwarder socks = start(LONG);
                PeerServerSocket server = PeerSockets.of(alice).listen("wiki");
                Socket open = connect("wiki.parley");
                Socket accepted = server.accept()) {
            try (Socket bad = connect()) {
                bad.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(bad.getInputStream().read()).isEqualTo(-1);
            }
            open.getOutputStream().write(7);
            assertThat(accepted.getInputStream().read()).isEqualTo(7);
            await().atMost(Eventually.DEADLINE)
                    .untilAsserted(() ->
                            assertThat(lines).singleElement().asString().contains("Not a SOCKS5 client: version 71"));
        }
    }
}

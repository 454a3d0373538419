package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.socket.DuplexChannel;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.testkit.TestSeed;
import io.parley.testkit.transport.ConnectionAcceptor;
import io.parley.testkit.transport.RecordingListener;
import io.parley.testkit.transport.TestTransports;
import io.parley.testkit.transport.TestTransports.Ends;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import java.io.ByteArrayOutputStream;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults that need a raw socket as the remote peer. */
class TcpFailuresTest {

    private static final Identity ALICE = Identity.generate();
    private static final Identity BOB = Identity.generate();
    private static final EndpointAddress ANY = EndpointAddress.parse("tcp://127.0.0.1:0");

    /** The first byte of a record of a TLS handshake. */
    private static final int TLS_HANDSHAKE_RECORD = 22;

    private static Socket connect(TransportServer server) throws Exception {
        return new Socket(server.address().host(), server.address().port());
    }

    /** Shuts down the output of a connection below the transport; for the contract. Must be called on the event loop. */
    static boolean shutdownOutput(Connection connection) {
        ((DuplexChannel) ((TcpConnection) connection).channel()).shutdownOutput();
        return true;
    }

    private static byte[] header(long frameBytes) {
        return ByteBuffer.allocate(FrameDecoder.LENGTH_BYTES)
                .putInt((int) frameBytes)
                .array();
    }

    private static void assertEndsWith(RecordingListener listener, ErrorCode code, String text) {
        assertThat(Eventually.get(listener.closed(), "the end of the connection"))
                .get()
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(code))
                .asString()
                .contains(text);
    }

    @Test
    void tlsThatCannotBeCreated_endsTheConnection() throws Exception {
        TransportProvider provider = new TransportProvider() {
            @Override
            public Set<String> schemes() {
                return Set.of(NoTunnel.SCHEME);
            }

            @Override
            public Transport create(TransportContext context) {
                return new TcpTransport(context, new NoTunnel(), NettyPlatform.best(), () -> {
                    throw new IllegalStateException("no TLS engine");
                });
            }
        };
        try (TestTransports transports = new TestTransports(provider, TransportSecurity.TLS)) {
            Transport bob = transports.open(
                    BOB,
                    TestTransports.PATIENT_LIMITS.toBuilder()
                            .handshakeTimeout(Eventually.DEADLINE.multipliedBy(10)) // does not end the connection first
                            .build());
            TransportServer server = transports.listen(bob, ANY, new ConnectionAcceptor());
            try (Socket socket = connect(server)) {
                socket.setSoTimeout(Math.toIntExact(Eventually.DEADLINE.toMillis()));
                socket.getOutputStream().write(TLS_HANDSHAKE_RECORD); // TLS begins after the first byte
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
            assertThat(transports.context(bob).metrics().get(Counter.HANDSHAKES_FAILED))
                    .isEqualTo(1);
            Throwable failure = Eventually.failure(transports.open(ALICE).dial(server.address(), null), "the dial");
            assertThat(failure).hasMessageContaining("no TLS engine");
        }
    }

    @Test
    void stream_byteByByte_isDeliveredAsWholeFrames() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor acceptor = new ConnectionAcceptor();
            TransportServer server = transports.listen(transports.open(BOB), ANY, acceptor);
            try (Socket socket = connect(server)) {
                socket.setTcpNoDelay(true);
                RecordingListener accepted = acceptor.next();
                for (int size : List.of(3, 0, 1)) {
                    for (byte next : header(size)) {
                        socket.getOutputStream().write(next);
                    }
                    for (byte next : "abc".substring(0, size).getBytes(StandardCharsets.US_ASCII)) {
                        socket.getOutputStream().write(next);
                    }
                }
                Eventually.until(
                        () -> accepted.frameCount() + " frames were received", () -> accepted.frameCount() == 3);
                assertThat(accepted.frames())
                        .extracting(frame -> new String(frame, StandardCharsets.US_ASCII))
                        .containsExactly("abc", "", "a");
            }
        }
    }

    /** Reads that end in short and long frames, also while reading is stopped. */
    @Test
    void stream_inPiecesOfAnyLength_isDeliveredAsWholeFrames() throws Exception {
        Random random = TestSeed.random("TcpFailuresTest, pieces");
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        List<byte[]> expected = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            byte[] frame = new byte[random.nextInt(random.nextBoolean() ? 100 : Connection.MAX_HANDSHAKE_FRAME_BYTES)];
            random.nextBytes(frame);
            expected.add(frame);
            stream.writeBytes(header(frame.length));
            stream.writeBytes(frame);
        }
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor acceptor = new ConnectionAcceptor(listener -> {
                Connection connection = listener.connection();
                listener.onFrame(frame -> {
                    listener.keep(frame);
                    if (listener.frameCount() % 10 == 0) {
                        connection.setReading(false);
                        connection.executor().execute(() -> connection.setReading(true));
                    }
                });
            });
            TransportServer server = transports.listen(transports.open(BOB), ANY, acceptor);
            try (Socket socket = connect(server)) {
                socket.setTcpNoDelay(true);
                byte[] bytes = stream.toByteArray();
                for (int sent = 0; sent < bytes.length; ) {
                    int piece = Math.min(1 + random.nextInt(random.nextBoolean() ? 50 : 20_000), bytes.length - sent);
                    socket.getOutputStream().write(bytes, sent, piece);
                    sent += piece;
                }
                RecordingListener accepted = acceptor.next();
                // A frame is kept after it is counted.
                Eventually.until(
                        () -> accepted.frameCount() + " frames were received",
                        () -> accepted.frames().size() == 500);
                List<byte[]> frames = accepted.frames();
                for (int i = 0; i < expected.size(); i++) {
                    assertThat(frames.get(i)).isEqualTo(expected.get(i));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {8193, Integer.MAX_VALUE, 0x80000000L, 0xffffffffL})
    void frame_lengthAboveTheLimit_closesThatConnectionAlone(long length) throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor acceptor = new ConnectionAcceptor();
            TransportServer server = transports.listen(transports.open(BOB), ANY, acceptor);
            transports.dial(transports.open(ALICE), server.address(), null);
            RecordingListener honest = acceptor.next();
            try (Socket socket = connect(server)) {
                socket.getOutputStream().write(header(length));
                assertEndsWith(acceptor.next(), ErrorCode.LIMIT_EXCEEDED, "frame: " + length + " bytes");
                assertThat(socket.getInputStream().read())
                        .as("the end of the stream")
                        .isNegative();
            }
            assertThat(honest.closed()).isNotDone();
        }
    }

    @Test
    void clientHello_onAPlaintextPort_failsWithAMessageAboutTls() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor acceptor = new ConnectionAcceptor();
            TransportServer server = transports.listen(transports.open(BOB), ANY, acceptor);
            try (Socket socket = connect(server)) {
                socket.getOutputStream().write(new byte[] {22, 3, 1, 2, 0, 1, 0, 1});
                assertEndsWith(acceptor.next(), ErrorCode.PROTOCOL_VIOLATION, "uses TLS");
            }
        }
    }

    @Test
    void stream_endsInsideAFrame_isNotAnOrderlyClose() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor acceptor = new ConnectionAcceptor();
            TransportServer server = transports.listen(transports.open(BOB), ANY, acceptor);
            try (Socket socket = connect(server)) {
                socket.getOutputStream().write(header(100));
                socket.getOutputStream().write(new byte[10]);
            }
            assertEndsWith(acceptor.next(), ErrorCode.DISCONNECTED, "ended inside a frame");
            try (Socket socket = connect(server)) {
                socket.getOutputStream().write(header(0));
            }
            assertThat(Eventually.get(acceptor.next().closed(), "an orderly end"))
                    .isEmpty();
        }
    }

    @Test
    void reset_isNotAnOrderlyClose() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor acceptor = new ConnectionAcceptor();
            TransportServer server = transports.listen(transports.open(BOB), ANY, acceptor);
            RecordingListener accepted;
            try (Socket socket = connect(server)) {
                accepted = acceptor.next();
                socket.setSoLinger(true, 0);
            }
            assertEndsWith(accepted, ErrorCode.DISCONNECTED, "was lost");
        }
    }

    @Test
    void halfClose_plaintext_deliversWhatCameBefore_andEndsBothSides() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor acceptor = new ConnectionAcceptor();
            TransportServer server = transports.listen(transports.open(BOB), ANY, acceptor);
            try (Socket socket = connect(server)) {
                socket.setSoTimeout(Math.toIntExact(Eventually.DEADLINE.toMillis()));
                socket.getOutputStream().write(header(3));
                socket.getOutputStream().write("abc".getBytes(StandardCharsets.US_ASCII));
                socket.shutdownOutput();
                RecordingListener accepted = acceptor.next();
                assertThat(Eventually.get(accepted.closed(), "the end at the acceptor"))
                        .isEmpty();
                assertThat(accepted.frames())
                        .extracting(frame -> new String(frame, StandardCharsets.US_ASCII))
                        .containsExactly("abc");
                assertThat(socket.getInputStream().read())
                        .as("the end of the stream at the side that shut down its output")
                        .isNegative();
            }
        }
    }

    @Test
    void halfClose_whileReadingIsStopped_isDeliveredAfterwards() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor acceptor = new ConnectionAcceptor();
            TransportServer server = transports.listen(transports.open(BOB), ANY, acceptor);
            try (Socket socket = connect(server)) {
                RecordingListener accepted = acceptor.next();
                Connection connection = accepted.connection();
                Eventually.run(connection.executor(), () -> connection.setReading(false));
                for (int i = 0; i < 100; i++) {
                    socket.getOutputStream().write(header(1));
                    socket.getOutputStream().write('x');
                }
                socket.shutdownOutput();
                Eventually.run(connection.executor(), () -> connection.setReading(true));
                assertThat(Eventually.get(accepted.closed(), "the end at the acceptor"))
                        .isEmpty();
                assertThat(accepted.frameCount()).isEqualTo(100);
            }
        }
    }

    @Test
    void halfClose_duringTheTlsHandshake_failsTheHandshake() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.TLS)) {
            ConnectionAcceptor acceptor = new ConnectionAcceptor();
            Transport bob = transports.open(BOB);
            TransportServer server = transports.listen(bob, ANY, acceptor);
            try (Socket socket = connect(server)) {
                socket.setSoTimeout(Math.toIntExact(Eventually.DEADLINE.toMillis()));
                socket.shutdownOutput();
                socket.getInputStream().readAllBytes(); // returns at the end of the stream
            }
            Eventually.until(
                    () -> "the failed handshake was not counted",
                    () -> transports.context(bob).metrics().get(Counter.HANDSHAKES_FAILED) == 1);
            assertThat(acceptor.all()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void close_remotePeerNeverReads_timesOut(TransportSecurity security) {
        TransportLimits shortTimeout = TestTransports.PATIENT_LIMITS.toBuilder()
                .closeTimeout(Duration.ofMillis(200))
                .build();
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), security)) {
            Ends ends = transports
                    .connect(transports.open(ALICE, shortTimeout), transports.open(BOB), ANY)
                    .completeHandshake(64 * 1024)
                    .fillUp();
            ends.dialer().connection().close();
            assertEndsWith(ends.dialer(), ErrorCode.TIMEOUT, "did not read the pending frames");
        }
    }

    @Test
    void dial_silentAcceptor_timesOut() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.TLS);
                ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Transport alice = transports.open(
                    ALICE,
                    TestTransports.PATIENT_LIMITS.toBuilder()
                            .handshakeTimeout(Duration.ofMillis(200))
                            .build());
            Throwable failure = Eventually.failure(
                    alice.dial(ANY.withPort(silent.getLocalPort()), null), "dialing a silent socket");
            assertThat(failure)
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT))
                    .hasMessageContaining("TLS handshake: no completion within");
        }
    }

    @Test
    void dial_resetDuringTheHandshake_isUnreachable() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.TLS);
                ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Connection> dial = transports.open(ALICE).dial(ANY.withPort(server.getLocalPort()), null);
            try (Socket accepted = server.accept()) {
                assertThat(accepted.getInputStream().read())
                        .as("a client hello")
                        .isEqualTo(22);
                accepted.setSoLinger(true, 0); // closes with a reset
            }
            assertThat(Eventually.failure(dial, "dialing a socket that is reset"))
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE))
                    .hasMessageContaining("TLS handshake: ");
        }
    }

    @Test
    void dial_cancelledDuringTheHandshake_closesTheSocket() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.TLS);
                ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Transport alice = transports.open(
                    ALICE,
                    TestTransports.PATIENT_LIMITS.toBuilder()
                            .handshakeTimeout(Duration.ofMinutes(10))
                            .build());
            CompletableFuture<Connection> dial = alice.dial(ANY.withPort(silent.getLocalPort()), null);
            try (Socket accepted = silent.accept()) {
                accepted.setSoTimeout(Math.toIntExact(Eventually.DEADLINE.toMillis()));
                assertThat(accepted.getInputStream().read())
                        .as("a client hello")
                        .isEqualTo(22);
                assertThat(dial.cancel(true)).isTrue();
                accepted.getInputStream().readAllBytes(); // returns at the end of the stream
            }
        }
    }

    @Test
    void rejectedConnections_areLoggedOnce_andCounted() throws Exception {
        int count = 20;
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.TLS);
                CapturedLog log = new CapturedLog()) {
            Transport bob = transports.open(BOB);
            TransportServer server = transports.listen(bob, ANY, new ConnectionAcceptor());
            for (int i = 0; i < count; i++) {
                try (Socket socket = connect(server)) {
                    socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    socket.getInputStream().readAllBytes(); // returns at the end of the stream
                }
            }
            Eventually.until(
                    () -> "not all rejected connections were counted",
                    () -> transports.context(bob).metrics().get(Counter.HANDSHAKES_FAILED) == count);
            assertThat(log.lines("Rejected connection")).hasSize(1);
        }
    }

    @Test
    void addresses_withoutAPort_fail() {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.TLS)) {
            Transport alice = transports.open(ALICE);
            EndpointAddress portless = EndpointAddress.parse("tcp://127.0.0.1");
            assertThat(Eventually.failure(alice.dial(portless, null), "dialing without a port"))
                    .hasMessageContaining("needs a port");
            assertThat(Eventually.failure(alice.listen(portless, new ConnectionAcceptor()), "listening without a port"))
                    .hasMessageContaining("needs a port");
        }
    }

    @Test
    void zoneOfAnAddress_isKept_andAnUnknownOneIsUnreachable() {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.TLS)) {
            TcpTransport alice = (TcpTransport) transports.open(ALICE);
            EndpointAddress linkLocal = EndpointAddress.parse("tcp://[fe80::1%7]:9701");
            assertThat(Eventually.get(alice.resolve(linkLocal), "resolving").getAddress())
                    .isInstanceOfSatisfying(
                            Inet6Address.class,
                            found -> assertThat(found.getScopeId()).isEqualTo(7));
            CompletableFuture<?> unknown = alice.resolve(linkLocal.withHost("fe80::1%no_such_interface"));
            assertThat(unknown).as("not looked up").isDone();
            assertThat(Eventually.failure(unknown, "resolving"))
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE))
                    .hasMessageContaining("no_such_interface");
        }
    }
}

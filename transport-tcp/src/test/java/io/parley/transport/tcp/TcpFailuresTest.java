package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.testkit.transport.ConnectionAcceptor;
import io.parley.testkit.transport.RecordingListener;
import io.parley.testkit.transport.TestTransports;
import io.parley.testkit.transport.TestTransports.Ends;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What only a real socket on the other side can do. */
class TcpFailuresTest {

    private static final Identity ALICE = Identity.generate();
    private static final Identity BOB = Identity.generate();
    private static final EndpointAddress ANY = EndpointAddress.parse("tcp://127.0.0.1:0");

    private static Socket connect(TransportServer listener) throws Exception {
        return new Socket(listener.address().host(), listener.address().port());
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
    void stream_byteByByte_givesWholeFrames() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor accepting = new ConnectionAcceptor();
            TransportServer listener = transports.listen(transports.open(BOB), ANY, accepting);
            try (Socket socket = connect(listener)) {
                socket.setTcpNoDelay(true);
                RecordingListener acceptor = accepting.next();
                for (int size : List.of(3, 0, 1)) {
                    for (byte next : header(size)) {
                        socket.getOutputStream().write(next);
                    }
                    for (byte next : "abc".substring(0, size).getBytes(StandardCharsets.US_ASCII)) {
                        socket.getOutputStream().write(next);
                    }
                }
                Eventually.until(() -> acceptor.frameCount() + " frames came", () -> acceptor.frameCount() == 3);
                assertThat(acceptor.frames())
                        .extracting(frame -> new String(frame, StandardCharsets.US_ASCII))
                        .containsExactly("abc", "", "a");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {8193, Integer.MAX_VALUE, 0x80000000L, 0xffffffffL})
    void frame_announcedPastTheLimit_closesThatConnectionAlone(long announced) throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor accepting = new ConnectionAcceptor();
            TransportServer listener = transports.listen(transports.open(BOB), ANY, accepting);
            transports.dial(transports.open(ALICE), listener.address(), null);
            RecordingListener honest = accepting.next();
            try (Socket socket = connect(listener)) {
                socket.getOutputStream().write(header(announced));
                assertEndsWith(accepting.next(), ErrorCode.LIMIT_EXCEEDED, "frame: " + announced + " bytes");
                assertThat(socket.getInputStream().read())
                        .as("the end of the stream")
                        .isNegative();
            }
            assertThat(honest.closed()).isNotDone();
        }
    }

    @Test
    void clientHello_onAPlaintextPort_isNamed() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor accepting = new ConnectionAcceptor();
            TransportServer listener = transports.listen(transports.open(BOB), ANY, accepting);
            try (Socket socket = connect(listener)) {
                socket.getOutputStream().write(new byte[] {22, 3, 1, 2, 0, 1, 0, 1});
                assertEndsWith(accepting.next(), ErrorCode.PROTOCOL_VIOLATION, "speaks TLS");
            }
        }
    }

    @Test
    void stream_endsInsideAFrame_isNoOrderlyClose() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor accepting = new ConnectionAcceptor();
            TransportServer listener = transports.listen(transports.open(BOB), ANY, accepting);
            try (Socket socket = connect(listener)) {
                socket.getOutputStream().write(header(100));
                socket.getOutputStream().write(new byte[10]);
            }
            assertEndsWith(accepting.next(), ErrorCode.DISCONNECTED, "in the middle of a frame");
            try (Socket socket = connect(listener)) {
                socket.getOutputStream().write(header(0));
            }
            assertThat(Eventually.get(accepting.next().closed(), "an orderly end"))
                    .isEmpty();
        }
    }

    @Test
    void reset_isNoOrderlyClose() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor accepting = new ConnectionAcceptor();
            TransportServer listener = transports.listen(transports.open(BOB), ANY, accepting);
            RecordingListener acceptor;
            try (Socket socket = connect(listener)) {
                acceptor = accepting.next();
                socket.setSoLinger(true, 0);
            }
            assertEndsWith(acceptor, ErrorCode.DISCONNECTED, "was lost");
        }
    }

    @ParameterizedTest
    @EnumSource
    void close_otherSideNeverReads_isGivenUp_andSaysSo(TransportSecurity security) {
        TransportLimits hasty = TransportLimits.DEFAULTS.toBuilder()
                .closeTimeout(Duration.ofMillis(200))
                .build();
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), security)) {
            Ends ends = transports
                    .connect(transports.open(ALICE, hasty), transports.open(BOB), ANY)
                    .admit(64 * 1024)
                    .fillUp();
            ends.dialer().connection().close();
            assertEndsWith(ends.dialer(), ErrorCode.TIMEOUT, "did not take what had been written");
        }
    }

    @Test
    void dial_acceptorSaysNothing_timesOut() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.TLS);
                ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Transport alice = transports.open(
                    ALICE,
                    TransportLimits.DEFAULTS.toBuilder()
                            .handshakeTimeout(Duration.ofMillis(200))
                            .build());
            Throwable failure = Eventually.failure(
                    alice.dial(ANY.withPort(silent.getLocalPort()), null), "dialing a silent socket");
            assertThat(failure)
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT))
                    .hasMessageContaining("handshake took too long");
        }
    }

    @Test
    void dial_cancelledDuringTheHandshake_closesTheSocket() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.TLS);
                ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Transport alice = transports.open(
                    ALICE,
                    TransportLimits.DEFAULTS.toBuilder()
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
    void addresses_withoutAPort_areRefused() {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.TLS)) {
            Transport alice = transports.open(ALICE);
            EndpointAddress portless = EndpointAddress.parse("tcp://127.0.0.1");
            assertThat(Eventually.failure(alice.dial(portless, null), "dialing without a port"))
                    .hasMessageContaining("needs a port");
            assertThat(Eventually.failure(alice.listen(portless, new ConnectionAcceptor()), "listening without a port"))
                    .hasMessageContaining("needs a port");
        }
    }
}

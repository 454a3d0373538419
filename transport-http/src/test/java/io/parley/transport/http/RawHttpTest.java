package io.parley.transport.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.Scheduler;
import io.parley.identity.Identity;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.testkit.transport.ConnectionAcceptor;
import io.parley.testkit.transport.TestTransports;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and frames of a raw socket that connects to a listening peer. */
class RawHttpTest {

    private static final EndpointAddress ANY = EndpointAddress.parse("http://127.0.0.1:0");
    private static final String UPGRADE =
            "GET /parley HTTP/1.1\r\nHost: peer\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                    + Base64.getEncoder().encodeToString(new byte[16]) + "\r\n";
    private static final String ACCEPTED = UPGRADE + "Sec-WebSocket-Protocol: parley\r\n\r\n";

    private static final int BINARY = 0x82;
    private static final int TEXT = 0x81;
    private static final int CLOSE = 0x88;
    private static final int PING = 0x89;
    private static final int PONG = 0x8A;

    private final TestTransports transports =
            new TestTransports(new HttpTransportProvider(), TransportSecurity.PLAINTEXT);
    private final ConnectionAcceptor acceptor = new ConnectionAcceptor();
    private Transport transport;
    private TransportServer server;

    @BeforeEach
    void listen() {
        transport = transports.open(Identity.generate());
        server = transports.listen(transport, ANY, acceptor);
    }

    @AfterEach
    void close() {
        transports.close();
    }

    private Socket send(String request) throws IOException {
        return send(request.getBytes(ISO_8859_1));
    }

    private Socket send(byte[] bytes) throws IOException {
        Socket socket = new Socket(server.address().host(), server.address().port());
        socket.setSoTimeout((int) Eventually.DEADLINE.toMillis());
        socket.getOutputStream().write(bytes);
        return socket;
    }

    /** Returns a frame of a client, masked with zeros. */
    private static byte[] frame(int type, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(type);
        if (content.length < 126) {
            out.write(0x80 | content.length);
        } else {
            out.write(0x80 | 126);
            out.write(content.length >>> 8);
            out.write(content.length);
        }
        out.writeBytes(new byte[4]);
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] lengthAndContent(int length) {
        byte[] bytes = new byte[4 + length];
        bytes[2] = (byte) (length >>> 8);
        bytes[3] = (byte) length;
        return bytes;
    }

    private static String readHeaders(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the end after '" + text + "'");
            }
            text.append((char) next);
        }
        return text.toString();
    }

    private Socket open() throws IOException {
        Socket socket = send(ACCEPTED);
        assertThat(readHeaders(socket.getInputStream()))
                .startsWith("HTTP/1.1 101 ")
                .containsIgnoringCase("sec-websocket-protocol: parley");
        return socket;
    }

    private void assertOneFailedHandshake() {
        Eventually.until(
                () -> "the failed handshake is not counted",
                () -> transports.context(transport).metrics().get(Counter.HANDSHAKES_FAILED) == 1);
        assertThat(acceptor.all()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "'GET / HTTP/1.1',                  404",
        "'GET /parley?x HTTP/1.1',          404",
        "'GET /parley HTTP/1.1',            426",
        "'DELETE / HTTP/1.1',               404",
        "'POST /parley HTTP/1.1',           426",
        "'CONNECT other:443 HTTP/1.1',      404",
        "'parley',                          400",
    })
    void otherRequest_isAnsweredWithASentence(String line, int status) throws Exception {
        try (Socket socket = send(line + "\r\nHost: peer\r\n\r\n")) {
            String response = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
            assertThat(response)
                    .startsWith("HTTP/1.1 " + status + " ")
                    .contains("\r\n\r\nA Parley peer listens here for WebSockets at /parley.");
            assertThat(response.contains("upgrade: websocket")).isEqualTo(status == 426);
        }
        assertOneFailedHandshake();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\r\n", // no subprotocol
                "Sec-WebSocket-Protocol: chat\r\n\r\n",
                "Sec-WebSocket-Protocol: parley\r\nContent-Length: 5\r\n\r\nhello",
                "Sec-WebSocket-Protocol: parley\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "Sec-WebSocket-Protocol: parley\r\nOrigin: http://example.org\r\n\r\n",
            })
    void otherWebSocket_isRefused(String rest) throws Exception {
        try (Socket socket = send(UPGRADE + rest)) {
            assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1))
                    .startsWith("HTTP/1.1 4");
        }
        assertOneFailedHandshake();
    }

    @Test
    void otherSubprotocols_doNotMatter() throws Exception {
        try (Socket socket = send(UPGRADE + "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Protocol: parley\r\n\r\n")) {
            assertThat(readHeaders(socket.getInputStream()))
                    .startsWith("HTTP/1.1 101 ")
                    .containsIgnoringCase("sec-websocket-protocol: parley\r\n");
        }
    }

    @Test
    void requestWhoseConnectionHeaderAProxyHasRemoved_isAnsweredWith426() throws Exception {
        try (Socket socket = send(ACCEPTED.replace("Connection: Upgrade\r\n", "Connection: close\r\n"))) {
            assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1))
                    .startsWith("HTTP/1.1 426 ");
        }
        assertOneFailedHandshake();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Sec-WebSocket-Version: 0\r\n",
                "Sec-WebSocket-Version: 8\r\n",
                "Sec-WebSocket-Version: 8\r\nSec-WebSocket-Version: 13\r\n",
                "Sec-WebSocket-Version: 9\r\nSec-WebSocket-Version: 13\r\n"
            })
    void olderWebSocket_isRefused(String version) throws Exception {
        String request = ACCEPTED.replace("Sec-WebSocket-Version: 13\r\n", version);
        try (Socket socket = send(request)) {
            assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1))
                    .startsWith("HTTP/1.1 426 ")
                    .contains("sec-websocket-version: 13");
        }
        assertOneFailedHandshake();
    }

    @Test
    void bytesBehindTheRequest_areAViolation() throws Exception {
        try (Socket socket = send(ACCEPTED + "\u0082\u0080\0\0\0\0")) {
            readHeaders(socket.getInputStream());
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        assertOneFailedHandshake();
    }

    @Test
    void webSocketWithoutKey_isRefused() throws Exception {
        try (Socket socket = send(ACCEPTED.replaceAll("Sec-WebSocket-Key: [^\r]*\r\n", ""))) {
            assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1))
                    .startsWith("HTTP/1.1 400 ");
        }
        assertOneFailedHandshake();
    }

    @ParameterizedTest
    @CsvSource({"'GET /', 1100", "'GET /parley HTTP/1.1\r\nX: ', 9000"})
    void longRequest_isRefused(String start, int length) throws Exception {
        try (Socket socket = send(start + "x".repeat(length) + " HTTP/1.1\r\n\r\n")) {
            assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1))
                    .startsWith("HTTP/1.1 400 ");
        }
        assertOneFailedHandshake();
    }

    @Test
    void secondRequest_isNotRead() throws Exception {
        try (Socket socket = send("GET / HTTP/1.1\r\nHost: peer\r\n\r\n" + ACCEPTED)) {
            assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1))
                    .startsWith("HTTP/1.1 404 ")
                    .doesNotContain("101");
        }
        assertOneFailedHandshake();
    }

    @Test
    void logOfARejection_hasNoTextOfTheRequest() throws Exception {
        try (CapturedLog log = new CapturedLog();
                Socket socket = send("GET /secret HTTP/1.1\r\nHost: evil\u001b[31m\r\n\r\n")) {
            socket.getInputStream().readAllBytes();
            assertOneFailedHandshake();
            assertThat(log.lines("Rejected connection from 127.0.0.1"))
                    .singleElement()
                    .asString()
                    .doesNotContain("secret", "evil", "\u001b");
        }
    }

    @Test
    void violationBeforeTls_isLogged() throws Exception {
        transport = transports.open(new TransportContext(
                Identity.generate(),
                TransportSecurity.TLS,
                TestTransports.PATIENT_LIMITS,
                new EndpointMetrics(),
                Scheduler.system()));
        server = transports.listen(transport, ANY, acceptor);
        try (CapturedLog log = new CapturedLog()) {
            try (Socket socket = open()) {
                socket.getOutputStream().write(frame(TEXT, new byte[1]));
                socket.getInputStream().readAllBytes();
            }
            assertOneFailedHandshake();
            assertThat(log.lines("Rejected connection"))
                    .singleElement()
                    .asString()
                    .contains("a text message (expected: binary)");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET /par", "GET /parley HTTP/1.1\r\nHost: "})
    void incompleteRequest_isClosedAfterTheHandshakeTimeout(String start) throws Exception {
        TransportLimits limits = TestTransports.PATIENT_LIMITS.toBuilder()
                .handshakeTimeout(Duration.ofMillis(50))
                .build();
        transport = transports.open(Identity.generate(), limits);
        server = transports.listen(transport, ANY, acceptor);
        try (Socket socket = send(start)) {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        assertOneFailedHandshake();
    }

    @Test
    void frameOfAPeer_inManyMessages_andManyInOne_arriveWhole() throws Exception {
        try (Socket socket = open()) {
            byte[] bytes = lengthAndContent(300);
            for (byte each : bytes) {
                socket.getOutputStream().write(frame(BINARY, new byte[] {each}));
            }
            byte[] many = new byte[10 * bytes.length];
            for (int i = 0; i < 10; i++) {
                System.arraycopy(bytes, 0, many, i * bytes.length, bytes.length);
            }
            socket.getOutputStream().write(frame(BINARY, many));
            socket.getOutputStream().write(frame(BINARY & ~0x80, Arrays.copyOf(bytes, 100))); // fragmented
            socket.getOutputStream().write(frame(0x80, Arrays.copyOfRange(bytes, 100, bytes.length)));
            var accepted = acceptor.next();
            Eventually.until(() -> accepted.frameCount() + " frames", () -> accepted.frameCount() == 12);
            assertThat(accepted.frames()).allMatch(frame -> frame.length == 300);
        }
    }

    @Test
    void ping_isAnswered_betweenOtherFrames() throws Exception {
        try (Socket socket = open()) {
            socket.getOutputStream().write(frame(BINARY, new byte[0]));
            socket.getOutputStream().write(frame(PONG, new byte[] {1}));
            socket.getOutputStream().write(frame(PING, new byte[] {1, 2, 3}));
            assertThat(socket.getInputStream().readNBytes(5)).containsExactly(PONG, 3, 1, 2, 3);
        }
    }

    @Test
    void close_isAnswered_andIsAnOrderlyEnd() throws Exception {
        try (Socket socket = open()) {
            socket.getOutputStream().write(frame(CLOSE, new byte[] {3, (byte) 0xE8}));
            assertThat(socket.getInputStream().readAllBytes()).containsExactly(CLOSE, 2, 3, 0xE8);
            assertThat(Eventually.get(acceptor.next().closed(), "the end of the connection"))
                    .isEmpty();
        }
    }

    @Test
    void textMessage_closesThatConnectionAlone() throws Exception {
        try (Socket other = open()) {
            var first = acceptor.next(); // before there is another one, whose event loop may be faster
            try (Socket socket = open()) {
                socket.getOutputStream().write(frame(TEXT, "hello".getBytes(ISO_8859_1)));
                socket.getInputStream().readAllBytes();
                assertThat(Eventually.get(acceptor.next().closed(), "the end of the connection"))
                        .get()
                        .asString()
                        .contains("a text message (expected: binary)");
            }
            assertThat(first.closed()).isNotDone();
            other.getOutputStream().write(frame(BINARY, lengthAndContent(7)));
            Eventually.until(() -> "the frame has not arrived", () -> first.frameCount() == 1);
        }
    }

    @Test
    void longestMessage_isDelivered() throws Exception {
        try (Socket socket = open()) {
            byte[] frames = new byte[WebSocketTunnel.MAX_FRAME_BYTES]; // of no bytes
            socket.getOutputStream().write(frame(BINARY, frames));
            var accepted = acceptor.next();
            Eventually.until(() -> accepted.frameCount() + " frames", () -> accepted.frameCount() == frames.length / 4);
        }
    }

    @Test
    void longerMessage_closesTheConnection_beforeItHasArrived() throws Exception {
        try (Socket socket = open()) {
            byte[] whole = frame(BINARY, new byte[WebSocketTunnel.MAX_FRAME_BYTES + 1]);
            socket.getOutputStream().write(whole, 0, 8);
            assertThat(socket.getInputStream().readAllBytes()).startsWith(CLOSE);
            assertThat(Eventually.get(acceptor.next().closed(), "the end of the connection"))
                    .get()
                    .asString()
                    .contains("Max frame length of " + WebSocketTunnel.MAX_FRAME_BYTES + " has been exceeded");
        }
    }
}

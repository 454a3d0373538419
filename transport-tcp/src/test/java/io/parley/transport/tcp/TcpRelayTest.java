package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.transport.ConnectionAcceptor;
import io.parley.testkit.transport.RecordingListener;
import io.parley.testkit.transport.TestTransports;
import io.parley.testkit.transport.TestTransports.Ends;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.RelayLimits;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import io.parley.transport.tcp.internal.relay.Relay;
import io.parley.transport.tcp.internal.relay.RelayRequest;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Relays over TCP: limits, failures, and peers that do not keep to the rules. Most are without TLS, so that a raw socket can be one. */
class TcpRelayTest {

    private static final Identity ALICE = Identity.generate();
    private static final Identity BOB = Identity.generate();
    private static final Identity RELAY = Identity.generate();
    private static final EndpointAddress ANY = EndpointAddress.parse("tcp://127.0.0.1:0");

    /** All peers have one address here. */
    private static final TransportLimits LIMITS = TestTransports.PATIENT_LIMITS.toBuilder()
            .maxHandshakesPerHost(TestTransports.PATIENT_LIMITS.maxHandshakes())
            .build();

    private static final RelayLimits RELAY_LIMITS =
            RelayLimits.DEFAULTS.toBuilder().idleTimeout(Eventually.DEADLINE).build();

    private final TestTransports transports =
            new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT);
    private final ManualScheduler relayTime = new ManualScheduler();
    private final List<Relay> relays = new ArrayList<>();

    @AfterEach
    void close() {
        transports.close();
        for (Relay relay : relays) {
            assertThat(relay.circuitCount()).as("circuits").isZero();
            assertThat(relay.clientCount()).as("clients").isZero();
        }
        assertThat(relayTime.pending()).as("timers").isZero();
    }

    /** A relay whose circuits and clients have manual time, and its transport. */
    private final class RelayPeer {

        private final EndpointMetrics metrics = new EndpointMetrics();
        private final Relay relay;
        private final Transport transport;
        private final TransportServer server;

        private RelayPeer(RelayLimits limits, EndpointAddress address, TransportSecurity security) {
            relay = new Relay(limits, metrics, relayTime);
            relays.add(relay);
            transport = serving(security, Scheduler.system(), LIMITS);
            server = transports.listen(transport, address, new ConnectionAcceptor());
        }

        /** Opens a further transport that serves the relay. */
        private Transport serving(TransportSecurity security, Scheduler scheduler, TransportLimits limits) {
            Transport opened = transports.open(new TransportContext(RELAY, security, limits, metrics, scheduler, true));
            ((TcpTransport) opened).serve(relay);
            return opened;
        }

        private EndpointAddress address() {
            return server.address().relayed();
        }

        private void untilClients(long count) {
            Eventually.until(() -> relay.clientCount() + " clients", () -> relay.clientCount() == count);
        }

        private void untilCircuits(long count) {
            Eventually.until(() -> relay.circuitCount() + " circuits", () -> relay.circuitCount() == count);
        }

        private Socket connect(RelayRequest request) throws IOException {
            Socket socket = new Socket(server.address().host(), server.address().port());
            socket.setSoTimeout(Math.toIntExact(Eventually.DEADLINE.toMillis()));
            socket.getOutputStream().write(bytes(request));
            return socket;
        }
    }

    private RelayPeer newRelay() {
        return newRelay(RELAY_LIMITS);
    }

    private RelayPeer newRelay(RelayLimits limits) {
        return new RelayPeer(limits, ANY, TransportSecurity.PLAINTEXT);
    }

    private Transport open(Identity identity) {
        return transports.open(identity, LIMITS);
    }

    private static byte[] bytes(RelayRequest request) {
        ByteBuf written = request.write(UnpooledByteBufAllocator.DEFAULT);
        try {
            return ByteBufUtil.getBytes(written);
        } finally {
            written.release();
        }
    }

    /** Reads a response. Returns the code and the text. */
    private static String response(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        assertThat(in.readInt()).isEqualTo(RelayRequest.MAGIC);
        ErrorCode code = ErrorCode.ofNumber(in.readUnsignedShort());
        return code + " " + new String(in.readNBytes(in.readUnsignedShort()), StandardCharsets.UTF_8);
    }

    /** Reads a frame. */
    private static ByteBuffer frame(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        return ByteBuffer.wrap(in.readNBytes(in.readInt()));
    }

    private static void writeFrame(Socket socket, byte[] frame) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        new DataOutputStream(all).writeInt(frame.length);
        all.writeBytes(frame);
        socket.getOutputStream().write(all.toByteArray());
    }

    /** Listens at a relay by a raw socket. */
    private static Socket rawClient(RelayPeer relay, PeerId peer) throws IOException {
        Socket socket = relay.connect(new RelayRequest.Listen(peer));
        assertThat(response(socket)).isEqualTo("null ");
        assertThat(frame(socket)).isEqualTo(ByteBuffer.wrap(new byte[] {1}));
        return socket;
    }

    /** Reads the offer of a circuit. Returns its id. */
    private static UUID offer(Socket client) throws IOException {
        ByteBuffer dialed = frame(client);
        assertThat(dialed.get()).isEqualTo((byte) 3);
        return new UUID(dialed.getLong(), dialed.getLong());
    }

    private static ParleyException assertFails(CompletableFuture<?> future, ErrorCode code, String text) {
        Throwable failure = Eventually.failure(future, "the dial");
        assertThat(failure).isInstanceOf(ParleyException.class).hasMessageContaining(text);
        ParleyException reason = (ParleyException) failure;
        assertThat(reason.code()).isEqualTo(code);
        return reason;
    }

    private static void assertEnds(Socket socket) throws IOException {
        try {
            assertThat(socket.getInputStream().read()).isNegative();
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset"); // the end of a connection whose last bytes were not read
        }
    }

    // Requests.

    @Test
    void peerThatIsNoRelay_refuses() {
        Transport peer = transports.open(new TransportContext(
                RELAY, TransportSecurity.TLS, LIMITS, new EndpointMetrics(), Scheduler.system(), true));
        EndpointAddress address =
                transports.listen(peer, ANY, new ConnectionAcceptor()).address().relayed();
        ParleyException failure = assertFails(
                open(ALICE).dial(address, BOB.peerId()), ErrorCode.NO_SUCH_SERVICE, "this peer is not a relay");
        assertThat(failure).hasMessageContaining(address.toString());
        assertThat(transports.context(peer).metrics().get(Counter.HANDSHAKES_FAILED))
                .isEqualTo(1);
    }

    @Test
    void dial_withoutTheIdOfThePeer_fails() {
        EndpointAddress address = EndpointAddress.parse("relay+tcp://192.0.2.1:9701");
        assertFails(
                open(ALICE).dial(address, null),
                ErrorCode.UNREACHABLE,
                "relay+tcp://192.0.2.1:9701: needs the id of the peer (expected: <peer id>@relay+tcp://192.0.2.1:9701)");
    }

    @Test
    void listen_withoutThePortOfTheRelay_fails() {
        assertFails(
                open(BOB).listen(EndpointAddress.parse("relay+tcp://127.0.0.1:0"), new ConnectionAcceptor()),
                ErrorCode.CANNOT_LISTEN,
                "needs the port of the relay");
    }

    /** Requests that do not come, or not as a whole. The time is that of the transport. */
    @ParameterizedTest
    @ValueSource(strings = {"", "50", "5000000000000000000000", "50524c0102000000"})
    void request_incomplete_isClosedAtTheTimeout_andCounted(String hex) throws Exception {
        RelayPeer relay = newRelay();
        ManualScheduler time = new ManualScheduler();
        TransportServer server = transports.listen(
                relay.serving(TransportSecurity.PLAINTEXT, time, LIMITS), ANY, new ConnectionAcceptor());
        try (Socket socket =
                new Socket(server.address().host(), server.address().port())) {
            socket.setSoTimeout(Math.toIntExact(Eventually.DEADLINE.toMillis()));
            socket.getOutputStream().write(ByteBufUtil.decodeHexDump(hex));
            Eventually.until(() -> "no timer", () -> time.pending() == 1);
            time.advance(LIMITS.handshakeTimeout());
            assertEnds(socket);
            assertThat(relay.metrics.get(Counter.HANDSHAKES_FAILED)).isEqualTo(1);
        }
        assertThat(time.pending()).isZero();
    }

    @ParameterizedTest
    @ValueSource(bytes = {'P', 1})
    void request_malformed_isClosedAtOnce_andCounted(byte first) throws Exception {
        RelayPeer relay = newRelay();
        byte[] request = first == 'P' ? new byte[RelayRequest.BYTES] : bytes(new RelayRequest.Dial(BOB.peerId()));
        request[0] = 'P';
        request[4] = 9;
        try (Socket socket =
                new Socket(relay.server.address().host(), relay.server.address().port())) {
            socket.setSoTimeout(Math.toIntExact(Eventually.DEADLINE.toMillis()));
            socket.getOutputStream().write(request);
            assertEnds(socket);
        }
        assertThat(relay.metrics.get(Counter.HANDSHAKES_FAILED)).isEqualTo(1);
    }

    @Test
    void accept_ofAnUnknownCircuit_isRefused() throws Exception {
        try (Socket socket = newRelay().connect(new RelayRequest.Accept(UUID.randomUUID()))) {
            assertThat(response(socket)).startsWith("UNREACHABLE").contains("the dialer has given it up");
            assertEnds(socket);
        }
    }

    /** Bytes behind a request stay in the network, also if they are many. */
    @Test
    void dial_bytesBehindTheRequest_areNotReadUntilTheCircuitIsJoined() throws Exception {
        RelayPeer relay = newRelay();
        try (Socket client = rawClient(relay, BOB.peerId());
                Socket dialer = relay.connect(new RelayRequest.Dial(BOB.peerId()))) {
            byte[] early = new byte[20 << 20]; // more than the kernel keeps
            early[0] = 1;
            CompletableFuture<Void> written =
                    CompletableFuture.runAsync(() -> write(dialer, early), task -> new Thread(task, "writer").start());
            UUID circuit = offer(client);
            for (int i = 0; i < 500; i++) { // more than a relay that reads on needs
                writeFrame(client, new byte[] {5});
                assertThat(frame(client)).isEqualTo(ByteBuffer.wrap(new byte[] {6}));
            }
            assertThat(written).isNotDone();
            try (Socket acceptor = relay.connect(new RelayRequest.Accept(circuit))) {
                assertThat(response(acceptor)).isEqualTo("null ");
                assertThat(response(dialer)).isEqualTo("null ");
                assertThat(acceptor.getInputStream().readNBytes(early.length)).isEqualTo(early);
                Eventually.get(written, "writing");
            }
            assertEnds(dialer);
        }
    }

    private static void write(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    // Absent peers.

    @Test
    void dial_absentPeer_isRefusedWithItsName() {
        RelayPeer relay = newRelay();
        CompletableFuture<Connection> dial = open(ALICE).dial(relay.address(), BOB.peerId());
        relay.untilCircuits(1);
        Duration wait = RELAY_LIMITS.acceptTimeout().dividedBy(5);
        relayTime.advance(wait.minusMillis(1));
        assertThat(relay.relay.circuitCount()).isEqualTo(1);
        relayTime.advance(Duration.ofMillis(1));
        assertFails(dial, ErrorCode.UNREACHABLE, "peer " + BOB.peerId() + " does not listen at this relay");
        assertThat(relay.metrics.get(Counter.CIRCUITS_REFUSED)).isEqualTo(1);
        relay.untilCircuits(0);
    }

    @Test
    void dial_absentPeerThatBeginsToListen_isReached() {
        RelayPeer relay = newRelay();
        CompletableFuture<Connection> dial = open(ALICE).dial(relay.address(), BOB.peerId());
        relay.untilCircuits(1);
        relayTime.advance(RELAY_LIMITS.acceptTimeout().dividedBy(5).minusMillis(1));
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        transports.listen(open(BOB), relay.address(), acceptor);
        Eventually.get(dial, "the dial").close();
        acceptor.next();
        assertThat(relay.metrics.get(Counter.CIRCUITS_OPENED)).isEqualTo(1);
        assertThat(relay.metrics.get(Counter.CIRCUITS_REFUSED)).isZero();
    }

    @Test
    void dial_clientThatDoesNotAccept_isRefused_earlierIfItsConnectionIsLost() throws Exception {
        RelayPeer relay = newRelay();
        for (boolean lost : List.of(false, true)) {
            try (Socket client = rawClient(relay, BOB.peerId())) {
                CompletableFuture<Connection> dial = open(ALICE).dial(relay.address(), BOB.peerId());
                offer(client);
                if (lost) {
                    client.setSoLinger(true, 0);
                    client.close();
                    relay.untilClients(0);
                    relayTime.advance(RELAY_LIMITS.acceptTimeout().dividedBy(5));
                    assertFails(dial, ErrorCode.UNREACHABLE, "peer " + BOB.peerId() + " does not listen at this relay");
                } else {
                    relayTime.advance(RELAY_LIMITS.acceptTimeout());
                    assertFails(dial, ErrorCode.TIMEOUT, "peer " + BOB.peerId() + " did not accept within 5 s");
                }
                relay.untilCircuits(0);
            }
            relay.untilClients(0);
        }
        assertThat(relay.metrics.get(Counter.CIRCUITS_REFUSED)).isEqualTo(2);
    }

    @Test
    void dial_clientThatDeclines_isRefusedWithItsReason() throws Exception {
        RelayPeer relay = newRelay();
        try (Socket client = rawClient(relay, BOB.peerId())) {
            CompletableFuture<Connection> dial = open(ALICE).dial(relay.address(), BOB.peerId());
            UUID circuit = offer(client);
            writeFrame(client, declined(circuit, ErrorCode.BUSY, "not now"));
            assertFails(dial, ErrorCode.BUSY, "peer " + BOB.peerId() + ": not now");
            assertThat(relay.metrics.get(Counter.CIRCUITS_REFUSED)).isEqualTo(1);
            relay.untilCircuits(0);
        }
    }

    /** A client cannot end the circuits of another one. */
    @Test
    void dial_declinedByAnotherClient_isNotRefused() throws Exception {
        RelayPeer relay = newRelay();
        try (Socket client = rawClient(relay, BOB.peerId());
                Socket other = rawClient(relay, Identity.generate().peerId());
                Socket dialer = relay.connect(new RelayRequest.Dial(BOB.peerId()))) {
            UUID circuit = offer(client);
            writeFrame(other, declined(circuit, ErrorCode.BUSY, "not now"));
            writeFrame(other, new byte[] {5});
            assertThat(frame(other)).as("the response to the ping behind").isEqualTo(ByteBuffer.wrap(new byte[] {6}));
            writeFrame(client, declined(circuit, ErrorCode.BUSY, "by the right one"));
            assertThat(response(dialer)).contains("by the right one");
        }
    }

    private static byte[] declined(UUID circuit, ErrorCode code, String text) {
        return ByteBuffer.allocate(21 + text.length())
                .put((byte) 4)
                .putLong(circuit.getMostSignificantBits())
                .putLong(circuit.getLeastSignificantBits())
                .putShort((short) code.number())
                .putShort((short) text.length())
                .put(text.getBytes(StandardCharsets.US_ASCII))
                .array();
    }

    @Test
    void client_thatIsSilent_isDropped() throws Exception {
        RelayPeer relay = newRelay();
        try (Socket client = rawClient(relay, BOB.peerId())) {
            relayTime.advance(Duration.ofSeconds(44));
            writeFrame(client, new byte[] {5});
            assertThat(frame(client)).isEqualTo(ByteBuffer.wrap(new byte[] {6}));
            relayTime.advance(Duration.ofSeconds(2));
            Eventually.until(() -> "no further check", () -> relayTime.pending() == 1);
            assertThat(relay.relay.clientCount()).isEqualTo(1);
            relayTime.advance(Duration.ofSeconds(45));
            assertEnds(client);
            relay.untilClients(0);
        }
    }

    // Limits.

    @ParameterizedTest
    @ValueSource(strings = {"maxCircuits", "maxCircuitsPerClient"})
    void dial_moreThanTheLimit_isRefused_untilACircuitIsGivenBack(String limit) throws Exception {
        RelayPeer relay = newRelay(
                limit.equals("maxCircuits")
                        ? RELAY_LIMITS.toBuilder().maxCircuits(1).build()
                        : RELAY_LIMITS.toBuilder().maxCircuitsPerClient(1).build());
        Transport bob = open(BOB);
        transports.listen(bob, relay.address(), new ConnectionAcceptor());
        relay.untilClients(1);
        Transport alice = open(ALICE);
        for (int i = 1; i <= 3; i++) {
            Connection first = Eventually.get(alice.dial(relay.address(), BOB.peerId()), "the first dial");
            assertFails(alice.dial(relay.address(), BOB.peerId()), ErrorCode.BUSY, limit + " 1");
            assertThat(relay.metrics.get(Counter.CIRCUITS_REFUSED)).isEqualTo(i);
            first.close();
            relay.untilCircuits(0);
        }
        assertThat(relay.metrics.get(Counter.CIRCUITS_OPENED)).isEqualTo(3);
    }

    @Test
    void listen_moreThanTheLimit_isRefused_untilAPlaceIsGivenBack() throws Exception {
        RelayPeer relay = newRelay(RELAY_LIMITS.toBuilder().maxClients(1).build());
        try (CapturedLog log = new CapturedLog()) {
            try (Socket first = rawClient(relay, BOB.peerId())) {
                transports.listen(open(ALICE), relay.address(), new ConnectionAcceptor());
                Eventually.until(
                        () -> "not refused",
                        () -> !log.lines("Not reachable at relay").isEmpty());
                assertThat(log.lines("Not reachable at relay"))
                        .singleElement()
                        .asString()
                        .contains("maxClients 1");
                assertThat(relay.metrics.get(Counter.CONNECTIONS_REFUSED)).isPositive();
                writeFrame(first, new byte[] {5});
                assertThat(frame(first)).isEqualTo(ByteBuffer.wrap(new byte[] {6}));
            }
            Eventually.until(
                    () -> "not served", () -> !log.lines("Reachable at relay").isEmpty());
        }
    }

    @Test
    void handshakes_areGivenBack_byDialsAndAcceptsThatFail() {
        TransportLimits few =
                LIMITS.toBuilder().maxHandshakes(2).maxHandshakesPerHost(2).build();
        RelayPeer relay = newRelay();
        Transport bob = transports.open(BOB, few);
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        transports.listen(bob, relay.address(), acceptor);
        relay.untilClients(1);
        Transport alice = open(ALICE);
        for (int i = 0; i < 20; i++) {
            RecordingListener dialed = transports.dial(alice, relay.address(), BOB.peerId());
            RecordingListener accepted = acceptor.next();
            if (i % 2 == 0) {
                new Ends(dialed, accepted).completeHandshake(1000);
            }
            dialed.connection().abort(null);
            Eventually.get(accepted.closed(), "the end");
        }
        assertThat(relay.metrics.get(Counter.CIRCUITS_OPENED)).isEqualTo(20);
    }

    @Test
    void listen_clientsOfOneHost_leaveRoomForOthers() throws Exception {
        RelayPeer relay = newRelay(RELAY_LIMITS.toBuilder().maxClients(10).build());
        List<Socket> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                clients.add(rawClient(relay, Identity.generate().peerId()));
            }
            try (Socket refused = relay.connect(new RelayRequest.Listen(BOB.peerId()))) {
                assertThat(response(refused)).isEqualTo("null ");
                ByteBuffer frame = frame(refused);
                assertThat(frame.get()).isEqualTo((byte) 2);
                assertThat(StandardCharsets.UTF_8.decode(frame).toString()).contains("maxClients 10");
                assertEnds(refused);
            }
        } finally {
            for (Socket client : clients) {
                client.close();
            }
        }
        relay.untilClients(0);
    }

    /** Circuits that are joined are not handshakes at the relay, and neither are clients. */
    @Test
    void relay_withFewHandshakes_hasManyCircuits() {
        RelayPeer relay = newRelay();
        Transport few = relay.serving(
                TransportSecurity.PLAINTEXT,
                Scheduler.system(),
                LIMITS.toBuilder().maxHandshakes(2).maxHandshakesPerHost(2).build());
        EndpointAddress address =
                transports.listen(few, ANY, new ConnectionAcceptor()).address().relayed();
        transports.listen(open(BOB), address, new ConnectionAcceptor());
        relay.untilClients(1);
        Transport alice = open(ALICE);
        for (int i = 0; i < 10; i++) {
            transports.dial(alice, address, BOB.peerId());
        }
        assertThat(relay.relay.circuitCount()).isEqualTo(10);
    }

    /** A relay offers circuits that it does not join. The peer that listens there is not worse off. */
    @Test
    void relay_thatInventsCircuits_usesUpNothing() throws Exception {
        TransportLimits few =
                LIMITS.toBuilder().maxHandshakes(1).maxHandshakesPerHost(1).build();
        try (ServerSocket hostile = new ServerSocket()) {
            hostile.bind(new InetSocketAddress("127.0.0.1", 0));
            Transport bob = transports.open(BOB, few);
            EndpointAddress address = new EndpointAddress("relay+tcp", "127.0.0.1", hostile.getLocalPort());
            transports.listen(bob, address, new ConnectionAcceptor());
            try (Socket control = hostile.accept()) {
                control.setSoTimeout(Math.toIntExact(Eventually.DEADLINE.toMillis()));
                assertThat(control.getInputStream().readNBytes(RelayRequest.BYTES))
                        .isEqualTo(bytes(new RelayRequest.Listen(BOB.peerId())));
                control.getOutputStream().write(new byte[] {'P', 'R', 'L', 1, 0, 0, 0, 0});
                writeFrame(control, new byte[] {1});
                for (int i = 0; i < 20; i++) {
                    UUID circuit = new UUID(i, i);
                    writeFrame(control, dialed(circuit, new byte[] {10, 0, 0, (byte) i}));
                    try (Socket accepting = hostile.accept()) {
                        assertThat(accepting.getInputStream().readNBytes(RelayRequest.BYTES))
                                .isEqualTo(bytes(new RelayRequest.Accept(circuit)));
                        if (i % 2 == 0) {
                            accepting.getOutputStream().write(new byte[] {'P', 'R', 'L', 1, 0, 3, 0, 1, '!'});
                        }
                    }
                    ByteBuffer declined = frame(control);
                    assertThat(declined.get()).isEqualTo((byte) 4);
                    assertThat(new UUID(declined.getLong(), declined.getLong())).isEqualTo(circuit);
                    ErrorCode code = ErrorCode.ofNumber(declined.getShort());
                    assertThat(code).isEqualTo(i % 2 == 0 ? ErrorCode.BUSY : ErrorCode.UNREACHABLE);
                    String text = StandardCharsets.UTF_8.decode(declined).toString();
                    assertThat(text).contains(i % 2 == 0 ? "refused by the relay: !" : "without a response");
                }
            }
            Eventually.get(bob.closeAsync(), "closing");
        }
    }

    private static byte[] dialed(UUID circuit, byte[] host) {
        return ByteBuffer.allocate(20 + host.length)
                .put((byte) 3)
                .putLong(circuit.getMostSignificantBits())
                .putLong(circuit.getLeastSignificantBits())
                .putShort((short) 1)
                .put((byte) host.length)
                .put(host)
                .array();
    }

    // Circuits.

    @Test
    void circuit_withoutAByte_isClosedAfterTheIdleTimeout() {
        RelayPeer relay = newRelay(
                RELAY_LIMITS.toBuilder().idleTimeout(Duration.ofMillis(200)).build());
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        transports.listen(open(BOB), relay.address(), acceptor);
        relay.untilClients(1);
        RecordingListener dialed = transports.dial(open(ALICE), relay.address(), BOB.peerId());
        Eventually.get(dialed.closed(), "the end at the dialer");
        Eventually.get(acceptor.next().closed(), "the end at the acceptor");
        relay.untilCircuits(0);
        assertThat(relay.relay.clientCount()).as("the client stays").isEqualTo(1);
    }

    @Test
    void circuit_remoteAddress_isThatFromWhichThePeerDialed() {
        RelayPeer relay = newRelay();
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        transports.listen(open(BOB), relay.address(), acceptor);
        relay.untilClients(1);
        RecordingListener dialed = transports.dial(open(ALICE), relay.address(), BOB.peerId());
        InetSocketAddress local = (InetSocketAddress)
                ((TcpConnection) dialed.connection()).channel().localAddress();
        assertThat(acceptor.next().connection().remoteAddress())
                .isEqualTo(new EndpointAddress("relay+tcp", "127.0.0.1", local.getPort()));
        assertThat(dialed.connection().remoteAddress()).isEqualTo(relay.address());
    }

    /** The two connections are those of different transports, with event loops of their own. */
    @Test
    void circuit_betweenTwoTransportsOfARelay_carriesFramesBothWays() {
        RelayPeer relay = newRelay();
        Transport second = relay.serving(TransportSecurity.PLAINTEXT, Scheduler.system(), LIMITS);
        EndpointAddress other = transports
                .listen(second, ANY, new ConnectionAcceptor())
                .address()
                .relayed();
        ConnectionAcceptor acceptor = new ConnectionAcceptor(listener -> listener.onFrame(frame -> {
            listener.connection().write(frame.retainedDuplicate(), null);
            listener.connection().flush();
        }));
        transports.listen(open(BOB), other, acceptor);
        relay.untilClients(1);
        RecordingListener dialed = transports.dial(open(ALICE), relay.address(), BOB.peerId());
        Connection connection = dialed.connection();
        Eventually.run(connection.executor(), () -> {
            connection.write(Unpooled.copiedBuffer("echo", StandardCharsets.US_ASCII), null);
            connection.flush();
        });
        Eventually.until(() -> "no echo", () -> dialed.frameCount() == 1);

        try (CapturedLog log = new CapturedLog()) {
            second.close();
            Eventually.get(dialed.closed(), "the end of the circuit");
            relay.untilCircuits(0);
            relay.transport.close();
            assertThat(log.lines("shut down")).isEmpty();
        }
    }

    @Test
    void circuit_readerThatStops_stopsItsSender_andNothingIsLost() {
        RelayPeer relay = newRelay();
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        transports.listen(open(BOB), relay.address(), acceptor);
        relay.untilClients(1);
        RecordingListener dialed = transports.dial(open(ALICE), relay.address(), BOB.peerId());
        RecordingListener accepted = acceptor.next();
        new Ends(dialed, accepted).completeHandshake(1 << 20).fillUp();
        dialed.connection().close();
        Connection reader = accepted.connection();
        Eventually.run(reader.executor(), () -> reader.setReading(true));
        assertThat(Eventually.get(accepted.closed(), "the end at the acceptor")).isEmpty();
        assertThat(accepted.frameCount()).isEqualTo(512);
        relay.untilCircuits(0);
    }

    // Ends.

    @Test
    void listen_twiceAtOneRelay_fails_andWorksAfterTheClose() {
        RelayPeer relay = newRelay();
        Transport bob = open(BOB);
        TransportServer server = transports.listen(bob, relay.address(), new ConnectionAcceptor());
        assertFails(
                bob.listen(relay.address(), new ConnectionAcceptor()),
                ErrorCode.CANNOT_LISTEN,
                relay.address() + ": this peer listens there already");
        relay.untilClients(1);
        CompletableFuture<TransportServer> again =
                server.whenClosed().thenCompose(done -> bob.listen(relay.address(), new ConnectionAcceptor()));
        server.closeAsync();
        assertThat(Eventually.get(again, "listening again").isClosing()).isFalse();
    }

    @Test
    void listen_atTheSameTime_succeedsOnce() throws Exception {
        Transport bob = open(BOB);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        CyclicBarrier barrier = new CyclicBarrier(2);
        try {
            for (int port = 1; port <= 200; port++) {
                EndpointAddress address = new EndpointAddress("relay+tcp", "127.0.0.1", port);
                List<Future<CompletableFuture<TransportServer>>> attempts = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    attempts.add(threads.submit(() -> {
                        barrier.await();
                        return bob.listen(address, new ConnectionAcceptor());
                    }));
                }
                int listening = 0;
                for (Future<CompletableFuture<TransportServer>> attempt : attempts) {
                    listening += Eventually.get(attempt, "a listen").isCompletedExceptionally() ? 0 : 1;
                }
                assertThat(listening).isEqualTo(1);
            }
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void client_connectsAgain_whenItsRelayWasRestarted() {
        RelayPeer first = newRelay();
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        transports.listen(open(BOB), first.address(), acceptor);
        first.untilClients(1);
        Eventually.get(first.transport.closeAsync(), "closing the relay");
        assertThat(first.relay.clientCount()).isZero();

        RelayPeer second = new RelayPeer(RELAY_LIMITS, first.server.address(), TransportSecurity.PLAINTEXT);
        second.untilClients(1);
        transports.dial(open(ALICE), second.address(), BOB.peerId());
        acceptor.next();
    }

    @Test
    void relayCloses_endsDialsAndCircuits_twice() throws Exception {
        RelayPeer relay = newRelay();
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        transports.listen(open(BOB), relay.address(), acceptor);
        relay.untilClients(1);
        Transport alice = open(ALICE);
        RecordingListener dialed = transports.dial(alice, relay.address(), BOB.peerId());
        CompletableFuture<Connection> pending = alice.dial(relay.address(), RELAY.peerId());
        relay.untilCircuits(2);
        CompletableFuture<Void> first = relay.transport.closeAsync();
        Eventually.get(relay.transport.closeAsync(), "closing the relay");
        Eventually.get(first, "closing the relay");
        Eventually.get(dialed.closed(), "the end at the dialer");
        Eventually.get(acceptor.next().closed(), "the end at the acceptor");
        assertFails(pending, ErrorCode.UNREACHABLE, "the relay closed the connection without a response");
        assertThat(relay.relay.circuitCount()).isZero();
        assertThat(relay.relay.clientCount()).isZero();
    }

    @Test
    void transportsClose_whileTheyDialAndAccept_leaveNothing() {
        RelayPeer relay = newRelay();
        for (int round = 0; round < 5; round++) {
            Transport bob = open(BOB);
            TransportServer server = transports.listen(bob, relay.address(), new ConnectionAcceptor());
            relay.untilClients(1);
            Transport alice = open(ALICE);
            List<CompletableFuture<Connection>> dials = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                dials.add(alice.dial(relay.address(), BOB.peerId()));
            }
            (round % 2 == 0 ? bob : alice).closeAsync();
            Eventually.get((round % 2 == 0 ? bob : alice).closeAsync(), "closing");
            if (round % 2 == 0) {
                assertThat(server.isClosing()).isTrue();
                Eventually.get(server.whenClosed(), "the server");
                relay.untilClients(0);
            }
            dials.forEach(dial -> dial.thenAccept(connection -> connection.abort(null)));
            Eventually.until(() -> "a dial has no end", () -> {
                relayTime.advance(RELAY_LIMITS.acceptTimeout()); // for those that come after the client has gone
                return dials.stream().allMatch(CompletableFuture::isDone);
            });
            Eventually.get(alice.closeAsync(), "closing");
            Eventually.get(bob.closeAsync(), "closing");
            relay.untilCircuits(0);
            relay.untilClients(0);
        }
    }

    // With TLS.

    /** The request comes before TLS, so a program in between can change it, or a peer can lie. */
    @Test
    void listen_withTheIdOfAnotherPeer_isRefused() throws Exception {
        RelayPeer relay = new RelayPeer(RELAY_LIMITS, ANY, TransportSecurity.TLS);
        PeerId other = ALICE.peerId();
        try (CapturedLog log = new CapturedLog();
                ServerSocket between = new ServerSocket()) {
            between.bind(new InetSocketAddress("127.0.0.1", 0));
            Transport bob = transports.open(new TransportContext(
                    BOB, TransportSecurity.TLS, LIMITS, new EndpointMetrics(), Scheduler.system()));
            transports.listen(
                    bob,
                    new EndpointAddress("relay+tcp", "127.0.0.1", between.getLocalPort()),
                    new ConnectionAcceptor());
            try (Socket client = between.accept();
                    Socket server = relay.connect(new RelayRequest.Listen(other))) {
                client.getInputStream().readNBytes(RelayRequest.BYTES);
                Thread back = new Thread(() -> copy(server, client));
                back.start();
                copy(client, server);
                back.join();
            }
            Eventually.until(
                    () -> "not refused",
                    () -> !log.lines("Not reachable at relay").isEmpty());
            assertThat(log.lines("Not reachable at relay"))
                    .first()
                    .asString()
                    .contains("the request names peer " + other + " (expected: " + BOB.peerId() + ")");
            assertThat(relay.relay.clientCount()).isZero();
            Eventually.get(bob.closeAsync(), "closing");
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            // either has closed
        }
    }

    /** The relay sees what it needs to join, and the peers authenticate each other through it. */
    @ParameterizedTest
    @EnumSource
    void circuit_authenticatesThePeers_notTheRelay(TransportSecurity security) {
        RelayPeer relay = new RelayPeer(RELAY_LIMITS, ANY, security);
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        Transport bob =
                transports.open(new TransportContext(BOB, security, LIMITS, new EndpointMetrics(), Scheduler.system()));
        transports.listen(bob, relay.address(), acceptor);
        relay.untilClients(1);
        Transport alice = transports.open(
                new TransportContext(ALICE, security, LIMITS, new EndpointMetrics(), Scheduler.system()));
        RecordingListener dialed = transports.dial(alice, relay.address(), BOB.peerId());
        boolean tls = security == TransportSecurity.TLS;
        assertThat(dialed.connection().authenticatedPeer()).isEqualTo(tls ? BOB.peerId() : null);
        assertThat(acceptor.next().connection().authenticatedPeer()).isEqualTo(tls ? ALICE.peerId() : null);
    }
}

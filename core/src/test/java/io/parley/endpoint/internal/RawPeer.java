package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.codec.MessageLimits;
import io.parley.codec.internal.BinaryMessageCodec;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.FrameReader;
import io.parley.endpoint.internal.frame.FrameVisitor;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.frame.Opened;
import io.parley.endpoint.internal.link.Link;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportSecurity;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A remote peer under the control of a test: a connection to an endpoint on which the test writes each frame itself. It has
 * protocol version 1.0, or, if it acknowledges messages, 1.1.
 */
final class RawPeer implements ConnectionListener, FrameVisitor {

    static final long CONNECTION = 0x1122334455667788L;

    final Identity identity;
    private final EndpointFixture fixture;
    private final Transport transport;
    final Connection connection;
    final FrameWriter frames;

    private volatile Open lastOpen = Open.unacknowledged(EndpointFixture.SERVICE, "");
    private volatile String lastRefusal = "";

    private volatile byte[] lastMessage = {};

    /** The received frames as text: {@code ACCEPT}, {@code OPENED 1 65536}, {@code REFUSE 1 BUSY}, ... */
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

    /** The records of the SEALED frames that were received. */
    private final Queue<ByteBuf> records = new ConcurrentLinkedQueue<>();

    private RawPeer(EndpointFixture fixture, Identity identity, Transport transport, Connection connection) {
        this.fixture = fixture;
        this.identity = identity;
        this.transport = transport;
        this.connection = connection;
        this.frames = new FrameWriter(connection.allocator());
    }

    /** Connects to the endpoint and sends no frame. */
    static RawPeer dial(EndpointFixture fixture, PeerEndpoint endpoint) {
        return dial(fixture, endpoint, Identity.generate());
    }

    static RawPeer dial(EndpointFixture fixture, PeerEndpoint endpoint, Identity identity) {
        return dial(fixture, endpoint, identity, TransportSecurity.TLS);
    }

    private static RawPeer dial(
            EndpointFixture fixture, PeerEndpoint endpoint, Identity identity, TransportSecurity security) {
        Transport transport = fixture.transport(identity, security);
        Connection connection =
                EndpointFixture.join(transport.dial(endpoint.addresses().get(0), endpoint.peerId()));
        RawPeer peer = new RawPeer(fixture, identity, transport, connection);
        connection.start(peer);
        return peer;
    }

    /** Connects and completes the handshake. */
    static RawPeer connect(EndpointFixture fixture, PeerEndpoint endpoint) throws InterruptedException {
        return connect(fixture, endpoint, Identity.generate());
    }

    static RawPeer connect(EndpointFixture fixture, PeerEndpoint endpoint, Identity identity)
            throws InterruptedException {
        RawPeer peer = dial(fixture, endpoint, identity);
        peer.write(frames -> frames.hello(peer.hello()));
        peer.awaitLink(endpoint, CONNECTION);
        return peer;
    }

    /** Connects to an endpoint with plaintext, and completes the handshake. */
    static RawPeer connectPlaintext(EndpointFixture fixture, PeerEndpoint endpoint, Identity identity)
            throws InterruptedException {
        RawPeer peer = dial(fixture, endpoint, identity, TransportSecurity.PLAINTEXT);
        peer.write(frames -> frames.hello(peer.hello()));
        peer.awaitLink(endpoint, CONNECTION);
        return peer;
    }

    /** Connects as a peer that acknowledges messages, as the same run of the peer with each {@code identity}. */
    static RawPeer connectAcknowledging(
            EndpointFixture fixture, PeerEndpoint endpoint, Identity identity, long connection, OptionalLong lost)
            throws InterruptedException {
        return connectAcknowledging(fixture, endpoint, identity, 7, connection, lost);
    }

    /** Connects as a peer that acknowledges messages, as one of its runs. */
    static RawPeer connectAcknowledging(
            EndpointFixture fixture,
            PeerEndpoint endpoint,
            Identity identity,
            long instance,
            long connection,
            OptionalLong lost)
            throws InterruptedException {
        RawPeer peer = dial(fixture, endpoint, identity);
        peer.write(frames -> frames.hello(new Hello(
                Hello.MINOR, identity.peerId(), instance, connection, lost, List.of("binary"), 64L << 20, List.of())));
        peer.awaitLink(endpoint, connection);
        return peer;
    }

    /** Waits until the endpoint has accepted the connection and uses it, which it does after it has sent ACCEPT. */
    private void awaitLink(PeerEndpoint endpoint, long id) throws InterruptedException {
        expect("ACCEPT");
        EndpointFixture.until("the link", () -> {
            Association association = endpoint.association(identity.peerId());
            Link link = association == null ? null : association.activeLink();
            return link != null && link.connectionId() == id;
        });
    }

    /** Returns the channel number of the last OPEN frame that was received. */
    long openedChannel() {
        return lastOpen.channel().orElseThrow();
    }

    /** Returns the last message that was received in one frame. */
    Message lastMessage() {
        return new BinaryMessageCodec().newSession(MessageLimits.DEFAULTS).decode(Unpooled.wrappedBuffer(lastMessage));
    }

    /** Waits for a SEALED frame, and returns its records. */
    ByteBuf nextRecords() throws InterruptedException {
        expect("SEALED");
        return Objects.requireNonNull(records.poll());
    }

    /** Returns the encoding schemes of the last OPEN frame that was received. */
    List<String> offeredSchemes() {
        return lastOpen.schemes();
    }

    /** Returns the text of the last REFUSE frame that was received. */
    String refusal() {
        return lastRefusal;
    }

    /** Closes the transport before the fixture does. */
    void end() {
        fixture.close(transport);
    }

    Hello hello() {
        return hello(identity.peerId(), CONNECTION);
    }

    Hello hello(List<EndpointAddress> claimed) {
        return new Hello(
                0, identity.peerId(), 7, CONNECTION, OptionalLong.empty(), List.of("binary"), 64L << 20, claimed);
    }

    static Hello hello(PeerId peer, long connection) {
        return new Hello(0, peer, 7, connection, OptionalLong.empty(), List.of("binary"), 64L << 20, List.of());
    }

    void write(Function<FrameWriter, ByteBuf> frame) {
        connection.executor().execute(() -> {
            connection.write(frame.apply(frames), null);
            connection.flush();
        });
    }

    void writeHex(String hex) {
        write(frames -> Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex.replace(" ", ""))));
    }

    void message(int handle, Message message) {
        write(frames -> frames.message(handle, encode(message)));
    }

    ByteBuf encode(Message message) {
        return new BinaryMessageCodec().newSession(MessageLimits.DEFAULTS).encode(message, connection.allocator());
    }

    /** Waits for one of these frames, skips the frames before it, and returns it. */
    String expect(String... expected) throws InterruptedException {
        StringBuilder others = new StringBuilder();
        while (true) {
            @Nullable String next = received.poll(EndpointFixture.SOON.toMillis(), TimeUnit.MILLISECONDS);
            if (next == null) {
                throw new AssertionError("not received: " + String.join(" or ", expected) + "; received: " + others);
            }
            if (Arrays.stream(expected).anyMatch(next::startsWith)) {
                return next;
            }
            others.append(next).append("; ");
        }
    }

    /** Waits for the endpoint to close the connection. */
    void expectClosed() throws InterruptedException {
        expect("CLOSED");
    }

    @Override
    public void onFrame(ByteBuf frame) {
        FrameReader.read(frame, this);
    }

    @Override
    public void onReadComplete() {}

    @Override
    public void onWritable() {}

    @Override
    public void onClosed(@Nullable Throwable cause) {
        received.add("CLOSED");
    }

    @Override
    public void onHello(Hello hello) {
        received.add("HELLO " + hello.connection());
    }

    @Override
    public void onAccept(Hello hello) {
        connection.completeHandshake(EndpointContext.MAX_FRAME_BYTES);
        received.add("ACCEPT");
    }

    @Override
    public void onReject(WireStatus status) {
        received.add("REJECT " + status.code());
    }

    @Override
    public void onGoodbye(WireStatus status) {
        received.add("GOODBYE " + status.code());
    }

    @Override
    public void onPing(long number) {
        received.add("PING " + number);
    }

    @Override
    public void onPong(long number) {
        received.add("PONG " + number);
    }

    @Override
    public void onOpen(int handle, Open open) {
        lastOpen = open;
        received.add(
                "OPEN " + handle + " " + open.service() + (open.channel().isPresent() ? " from " + open.base() : ""));
    }

    @Override
    public void onOpened(int handle, Opened opened) {
        received.add("OPENED " + handle + " " + opened.window() + count(opened.received())
                + (opened.schemes().isEmpty() ? "" : " " + opened.schemes())
                + (opened.stateKept() ? " with state" : ""));
    }

    @Override
    public void onRefuse(int handle, WireStatus status, OptionalLong count) {
        lastRefusal = status.text();
        received.add("REFUSE " + handle + " " + status.code() + count(count));
    }

    @Override
    public void onEnd(int handle) {
        received.add("END " + handle);
    }

    @Override
    public void onMessage(int handle, ByteBuf encoded) {
        lastMessage = ByteBufUtil.getBytes(encoded);
        received.add("MESSAGE " + handle + " " + encoded.readableBytes());
    }

    @Override
    public void onFirst(int handle, long total, ByteBuf fragment) {
        received.add("FIRST " + handle + " " + total);
    }

    @Override
    public void onMore(int handle, ByteBuf fragment) {
        received.add("MORE " + handle + " " + fragment.readableBytes());
    }

    @Override
    public void onCredit(int handle, long bytes) {
        received.add("CREDIT " + handle + " " + bytes);
    }

    @Override
    public void onAck(int handle, long count, long credit) {
        received.add("ACK " + handle + " " + count + " credit " + credit);
    }

    @Override
    public void onBlocked(int handle) {
        received.add("BLOCKED " + handle);
    }

    @Override
    public void onShrink(int handle, long bytes) {
        received.add("SHRINK " + handle + " " + bytes);
    }

    @Override
    public void onSealed(ByteBuf records) {
        this.records.add(Unpooled.copiedBuffer(records));
        received.add("SEALED " + records.readableBytes());
    }

    @Override
    public void onShrunk(int handle, long bytes) {
        received.add("SHRUNK " + handle + " " + bytes);
    }

    private static String count(OptionalLong count) {
        return count.isPresent() ? " received " + count.getAsLong() : "";
    }
}

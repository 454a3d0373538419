package io.parley.examples.attack;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.common.Scheduler;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.frame.FrameReader;
import io.parley.endpoint.internal.frame.FrameVisitor;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.frame.Opened;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.tls.TlsHandlerFactory;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;

/** A connection with an identity and an address of its own, on which the test writes each frame itself. */
final class AttackClient implements FrameVisitor, AutoCloseable {

    private static final int MAX_FRAME_BYTES = 1 << 20;
    private static final int LENGTH_BYTES = 4;
    private static final int FRAGMENT_BYTES = 128 * 1024;

    /** The bytes of a window that a message takes in addition to its own: see {@code docs/wire-format.md}. */
    private static final int MESSAGE_COST = 256;

    /** The claims of the client in its HELLO frame. */
    record Greeting(int minor, List<String> codecs, List<EndpointAddress> addresses) {

        /** A peer of the present version. */
        static final Greeting USUAL = new Greeting(Hello.MINOR, List.of("binary", "xml", "fastinfoset"), List.of());
    }

    private final Identity identity = Identity.generate();
    private final Greeting greeting;
    private final TlsHandlerFactory tls;
    private final CompletableFuture<AttackClient> accepted = new CompletableFuture<>();

    /** The responses to OPEN frames: OPENED, or the description in REFUSE. */
    private final Map<Integer, String> responses = new ConcurrentHashMap<>();

    /** The bytes of the windows of the attacked peer that are not used, by handle. */
    private final Map<Integer, Long> credit = new ConcurrentHashMap<>();

    /** The number of received messages, by handle of a channel whose messages are acknowledged. */
    private final Map<Integer, Long> received = new ConcurrentHashMap<>();

    private volatile Channel channel;
    private volatile FrameWriter frames;
    private volatile String end = "";
    private volatile long lastPong;
    private volatile Consumer<Message> onMessage = message -> {};
    private volatile Runnable onOpen = () -> {};
    private volatile boolean opens = true;

    private AttackClient(Greeting greeting) {
        this.greeting = greeting;
        this.tls = new TlsHandlerFactory(new TransportContext(
                identity, TransportSecurity.TLS, TransportLimits.DEFAULTS, new EndpointMetrics(), Scheduler.system()));
    }

    /** Connects and completes the handshake. */
    static CompletableFuture<AttackClient> connect(
            EventLoopGroup loops, String from, InetSocketAddress target, Greeting greeting) {
        AttackClient client = new AttackClient(greeting);
        new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel created) throws Exception {
                        client.initialize(created);
                    }
                })
                .connect(target, new InetSocketAddress(from, 0))
                .addListener(connected -> {
                    if (!connected.isSuccess()) {
                        client.accepted.completeExceptionally(connected.cause());
                    }
                });
        return client.accepted;
    }

    private void initialize(Channel created) throws Exception {
        channel = created;
        frames = new FrameWriter(created.alloc());
        tls.addHandlers(created, true, peer -> onAuthenticated(), accepted::completeExceptionally);
        created.closeFuture().addListener(closed -> {
            tls.close();
            accepted.completeExceptionally(new IllegalStateException("closed by the attacked peer: " + end));
        });
    }

    private void onAuthenticated() {
        channel.pipeline()
                .addLast(new LengthFieldBasedFrameDecoder(MAX_FRAME_BYTES, 0, LENGTH_BYTES, 0, LENGTH_BYTES))
                .addLast(new SimpleChannelInboundHandler<ByteBuf>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
                        FrameReader.read(frame, AttackClient.this);
                    }

                    @Override
                    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                        context.close();
                    }
                });
        ThreadLocalRandom random = ThreadLocalRandom.current();
        send(writer -> writer.hello(new Hello(
                greeting.minor(),
                identity.peerId(),
                random.nextLong(),
                random.nextLong(),
                OptionalLong.empty(),
                greeting.codecs(),
                64L << 20,
                greeting.addresses())));
    }

    Identity identity() {
        return identity;
    }

    boolean isOpen() {
        return channel.isActive();
    }

    /** Returns the description of the GOODBYE or REJECT frame; empty if there was none. */
    String end() {
        return end;
    }

    ChannelFuture send(Function<FrameWriter, ByteBuf> frame) {
        ByteBuf body = frame.apply(frames);
        ByteBuf length = channel.alloc().buffer(LENGTH_BYTES).writeInt(body.readableBytes());
        return sendBytes(Unpooled.wrappedBuffer(length, body));
    }

    /** Sends bytes that need not be a frame. */
    ChannelFuture sendBytes(ByteBuf bytes) {
        return channel.writeAndFlush(bytes);
    }

    void open(int handle, ServiceAddress service, String codec) {
        send(writer -> writer.open(handle, Open.unacknowledged(service, codec)));
    }

    /** Returns the response to an OPEN frame; null if there is none yet. */
    String response(int handle) {
        return responses.get(handle);
    }

    int responses() {
        return responses.size();
    }

    long opened() {
        return responses.values().stream().filter("OPENED"::equals).count();
    }

    /** Sends a message in frames. Takes ownership of {@code encoded}. Returns the future of the last frame. */
    ChannelFuture sendMessage(int handle, ByteBuf encoded) {
        credit.merge(handle, -(long) MESSAGE_COST - encoded.readableBytes(), Long::sum);
        if (encoded.readableBytes() <= FRAGMENT_BYTES) {
            return send(writer -> writer.message(handle, encoded));
        }
        try {
            ChannelFuture last = send(writer -> writer.first(handle, encoded.readableBytes(), encoded, FRAGMENT_BYTES));
            while (encoded.isReadable()) {
                int size = Math.min(FRAGMENT_BYTES, encoded.readableBytes());
                last = send(writer -> writer.more(handle, encoded, size));
            }
            return last;
        } finally {
            encoded.release();
        }
    }

    /** Waits until the window of a channel has room, or the attacked peer has closed the connection. */
    void awaitCredit(int handle) {
        Eventually.until(() -> "no credit", () -> credit.getOrDefault(handle, 0L) > 0 || !isOpen());
    }

    /** Waits until the attacked peer has processed all frames, or has closed the connection. */
    void awaitProcessed() {
        long number = lastPong + 1;
        send(writer -> writer.ping(number));
        Eventually.until(() -> "no PONG frame", () -> lastPong == number || !isOpen());
    }

    /** Sets the callback for messages of the attacked peer in the binary format. */
    void onMessage(Consumer<Message> callback) {
        onMessage = callback;
    }

    /** Leaves the OPEN frames of the attacked peer without a response from now on, so that its messages wait. */
    void ignoreOpens() {
        opens = false;
    }

    /** Sets the callback for OPEN frames, which are accepted. */
    void onOpen(Runnable callback) {
        onOpen = callback;
    }

    @Override
    public void onAccept(Hello hello) {
        accepted.complete(this);
    }

    @Override
    public void onReject(WireStatus status) {
        end = status.text();
    }

    @Override
    public void onGoodbye(WireStatus status) {
        end = status.text();
    }

    @Override
    public void onPing(long number) {
        send(writer -> writer.pong(number));
    }

    @Override
    public void onOpen(int handle, Open open) {
        onOpen.run();
        if (!opens) {
            return;
        }
        if (open.channel().isPresent()) {
            received.put(handle, open.base());
        }
        send(writer -> writer.opened(handle, 1 << 20, OptionalLong.empty()));
    }

    @Override
    public void onOpened(int handle, Opened opened) {
        credit.merge(handle, opened.window(), Long::sum);
        responses.put(handle, "OPENED");
    }

    @Override
    public void onRefuse(int handle, WireStatus status, OptionalLong received) {
        responses.put(handle, status.text());
    }

    @Override
    public void onMessage(int handle, ByteBuf encoded) {
        long bytes = (long) MESSAGE_COST + encoded.readableBytes();
        Long count = received.computeIfPresent(handle, (channelHandle, before) -> before + 1);
        send(writer -> count == null ? writer.credit(handle, bytes) : writer.ack(handle, count, bytes));
        onMessage.accept(MessageCodec.binary()
                .newSession(MessageLimits.DEFAULTS)
                .decode(Unpooled.wrappedBuffer(ByteBufUtil.getBytes(encoded))));
    }

    @Override
    public void onPong(long number) {
        lastPong = number;
    }

    @Override
    public void onFirst(int handle, long total, ByteBuf fragment) {}

    @Override
    public void onMore(int handle, ByteBuf fragment) {}

    @Override
    public void onEnd(int handle) {}

    @Override
    public void onCredit(int handle, long bytes) {
        credit.merge(handle, bytes, Long::sum);
    }

    @Override
    public void onAck(int handle, long count, long credit) {}

    @Override
    public void onBlocked(int handle) {}

    @Override
    public void onShrink(int handle, long bytes) {}

    @Override
    public void onShrunk(int handle, long bytes) {}

    /** Ends the connection without GOODBYE and without the end of TLS, as a crash does. */
    void crash() {
        channel.eventLoop().execute(channel.unsafe()::closeForcibly);
    }

    /** Closes the connection without GOODBYE. */
    @Override
    public void close() {
        channel.close();
    }
}

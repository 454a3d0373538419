package io.parley.endpoint.internal.link;

import io.netty.buffer.ByteBuf;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.ChannelProtection;
import io.parley.endpoint.internal.frame.FrameVisitor;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.frame.Opened;
import io.parley.endpoint.internal.inbound.AckSender;
import io.parley.endpoint.internal.inbound.ChannelEnd;
import io.parley.endpoint.internal.inbound.InboundChannel;
import io.parley.endpoint.internal.inbound.InboundSequence;
import io.parley.endpoint.internal.inbound.InboundSequences;
import io.parley.endpoint.internal.inbound.LinkDecoder;
import io.parley.endpoint.internal.memory.MemoryBudget;
import io.parley.endpoint.internal.messenger.MessengerBinding;
import io.parley.endpoint.internal.messenger.OutboundChannel;
import io.parley.endpoint.internal.tunnel.SealedConnection;
import io.parley.endpoint.internal.tunnel.TlsTunnel;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import java.util.OptionalLong;

/**
 * The channels of a link whose frames take the same way: in the frames of the connection, or inside its TLS tunnel. Each way has handles
 * of its own, so a frame of one way cannot reach a channel of the other one. Confined to the event loop of the link.
 */
final class LinkChannels implements FrameVisitor, OutboundChannel.Carrier, InboundChannel.Carrier {

    /** The link, on which there may be channels in both ways. */
    interface Owner extends MessengerBinding.Carrier {

        /** Returns the number of channels that the remote peer has opened in both ways, or that wait for memory. */
        int inboundChannels();

        /** Returns the channels on which the remote peer has sent messages that this endpoint acknowledges. */
        InboundSequences inboundSequences();

        /**
         * Runs a task on the event loop, later and as if it was a read. Runs the other task on this thread if the event loop has
         * terminated. Thread-safe.
         */
        void execute(Runnable task, Runnable otherwise);
    }

    /**
     * The maximum number of responses that wait to be written, besides one for each channel. A peer that requests more without
     * reading is dropped.
     */
    private static final int MAX_PENDING_RESPONSES = 8192;

    private final LinkContext context;
    private final Connection connection;
    private final FrameWriter frames;
    private final FrameVisitor control;
    private final ChannelProtection secureProtection;
    private final int fragmentBytes;
    private final int maxPendingResponses;
    private final LinkSender sender;
    private final LinkReceiver receiver;
    private final AckSender acks;
    private final InboundSequences sequences;
    private int pendingResponses;

    /**
     * Creates the channels of one way.
     *
     * @param connection       takes the frames
     * @param control          receives the frames that belong to no channel
     * @param secureProtection what protects secure channels; {@link ChannelProtection#NONE} if they must not be opened here
     * @param fragmentBytes    the largest message in one frame
     * @param open             whether channels may be opened before {@link LinkSender#start} is called
     */
    private LinkChannels(
            Owner link,
            LinkContext context,
            Connection connection,
            FrameVisitor control,
            ChannelProtection secureProtection,
            int fragmentBytes,
            boolean open,
            LinkDecoder decoder) {
        this.context = context;
        this.connection = connection;
        this.frames = new FrameWriter(connection.allocator());
        this.control = control;
        this.secureProtection = secureProtection;
        this.fragmentBytes = fragmentBytes;
        int maxChannels = context.endpoint().limits().maxChannels();
        this.maxPendingResponses = MAX_PENDING_RESPONSES + maxChannels;
        this.sender = new LinkSender(link, context, this, connection, frames, maxChannels, open);
        this.sequences = link.inboundSequences();
        this.receiver = new LinkReceiver(context, link::inboundChannels, this, sequences, decoder);
        this.acks = new AckSender(connection, context.endpoint());
    }

    /**
     * Returns the channels in the frames of a connection.
     *
     * @param control       receives the frames that belong to no channel
     * @param authenticated whether the transport has authenticated the remote peer
     */
    static LinkChannels onLink(
            Owner link,
            FrameVisitor control,
            LinkContext context,
            Connection connection,
            boolean authenticated,
            LinkDecoder decoder) {
        ChannelProtection secure = authenticated ? ChannelProtection.LINK : ChannelProtection.NONE;
        return new LinkChannels(
                link, context, connection, control, secure, EndpointContext.FRAGMENT_BYTES, true, decoder);
    }

    /** Returns the channels in a tunnel of a link. They wait for {@link LinkSender#start}. */
    static LinkChannels inTunnel(Owner link, LinkContext context, TlsTunnel tunnel, LinkDecoder decoder) {
        return new LinkChannels(
                link,
                context,
                tunnel.connection(),
                tunnel,
                ChannelProtection.TUNNEL,
                SealedConnection.FRAGMENT_BYTES,
                false,
                decoder);
    }

    LinkSender sender() {
        return sender;
    }

    LinkReceiver receiver() {
        return receiver;
    }

    AckSender acks() {
        return acks;
    }

    /** Returns the protection of a channel; {@link ChannelProtection#NONE} also if a secure one must not be opened here. */
    ChannelProtection protection(boolean secure) {
        return secure ? secureProtection : ChannelProtection.NONE;
    }

    @Override
    public int fragmentBytes() {
        return fragmentBytes;
    }

    @Override
    public boolean isAcknowledging() {
        return context.isAcknowledging();
    }

    @Override
    public void countSent(long messages, long bytes) {
        context.countSent(messages, bytes);
    }

    @Override
    public void abort(Throwable cause) {
        context.abort(cause);
    }

    @Override
    public PeerId peer() {
        return context.peer();
    }

    @Override
    public MemoryBudget memory() {
        return context.memory();
    }

    @Override
    public boolean tryReserve(long bytes) {
        return context.tryReserve(bytes);
    }

    @Override
    public void checkSize(long bytes) {
        context.checkSize(bytes);
    }

    @Override
    public void countReceived(long bytes) {
        context.countReceived(bytes);
    }

    @Override
    public void countUndecodable(ServiceAddress service, ParleyException cause) {
        context.countUndecodable(service, cause);
    }

    @Override
    public void run(Runnable task) {
        context.run(task);
    }

    @Override
    public void run(Runnable task, Runnable otherwise) {
        context.run(task, otherwise);
    }

    @Override
    public void detach(int handle, Runnable after) {
        context.runLater(
                () -> {
                    receiver.detach(handle);
                    after.run();
                },
                after);
    }

    @Override
    public void acknowledgeSoon(AckSender.Source channel) {
        acks.add(channel);
    }

    boolean hasChannels() {
        return sender.hasChannels() || receiver.hasChannels();
    }

    @Override
    public void onHello(Hello hello) {
        control.onHello(hello);
    }

    @Override
    public void onGoodbye(WireStatus status) {
        control.onGoodbye(status);
    }

    @Override
    public void onPing(long number) {
        control.onPing(number);
    }

    @Override
    public void onPong(long number) {
        control.onPong(number);
    }

    @Override
    public void onSealed(ByteBuf records) {
        control.onSealed(records);
    }

    @Override
    public void onOpen(int handle, Open open) {
        receiver.onOpen(handle, open);
    }

    @Override
    public void onOpened(int handle, Opened opened) {
        sender.onOpened(handle, opened);
    }

    @Override
    public void onRefuse(int handle, WireStatus status, OptionalLong received) {
        sender.onRefuse(handle, status, received);
    }

    @Override
    public void onAck(int handle, long count, long credit) {
        sender.onAck(handle, count, credit);
    }

    @Override
    public void onEnd(int handle) {
        receiver.onEnd(handle);
    }

    @Override
    public void onMessage(int handle, ByteBuf encoded) {
        receiver.onMessage(handle, encoded);
    }

    @Override
    public void onFirst(int handle, long total, ByteBuf fragment) {
        receiver.onFirst(handle, total, fragment);
    }

    @Override
    public void onMore(int handle, ByteBuf fragment) {
        receiver.onMore(handle, fragment);
    }

    @Override
    public void onCredit(int handle, long bytes) {
        sender.onCredit(handle, bytes);
    }

    @Override
    public void onBlocked(int handle) {
        receiver.onBlocked(handle);
    }

    @Override
    public void onShrink(int handle, long bytes) {
        sender.onShrink(handle, bytes);
    }

    @Override
    public void onShrunk(int handle, long bytes) {
        receiver.onShrunk(handle, bytes);
    }

    @Override
    public void sendCredit(int handle, long credit) {
        context.guard(() -> respond(frames.credit(handle, credit)));
    }

    @Override
    public void sendAck(int handle, long count, long credit) {
        context.guard(() -> respond(frames.ack(handle, count, credit)));
    }

    @Override
    public void writeAck(int handle, long count, long credit) {
        connection.write(frames.ack(handle, count, credit), null);
    }

    @Override
    public void writeShrink(int handle, long bytes) {
        connection.write(frames.shrink(handle, bytes), null);
    }

    void flush() {
        connection.flush();
    }

    void respondShrunk(int handle, long bytes) {
        respond(frames.shrunk(handle, bytes));
    }

    /** Counts as a response, because a peer can cause any number of these by credit that is too small. */
    void respondBlocked(int handle) {
        respond(frames.blocked(handle));
    }

    @Override
    public void refuse(int handle, ErrorCode code, String text, OptionalLong received) {
        receiver.remove(handle, ChannelEnd.LOST);
        connection.write(frames.refuse(handle, WireStatus.of(code, text), received), null);
        connection.flush();
    }

    @Override
    public boolean remove(InboundSequence sequence) {
        return sequences.remove(sequence);
    }

    void respondRefuse(int handle, ErrorCode code, String text, OptionalLong received) {
        respond(frames.refuse(handle, WireStatus.of(code, text), received));
    }

    void respondOpened(int handle, Opened opened) {
        respond(frames.opened(handle, opened));
    }

    /** Writes a frame that the remote peer has caused. Takes ownership of it. */
    void respond(ByteBuf frame) {
        pendingResponses++;
        connection.write(frame, failure -> pendingResponses--);
        connection.flush();
        if (pendingResponses > maxPendingResponses) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("pending responses: " + pendingResponses + " frames (expected: <= "
                    + maxPendingResponses + "); the peer does not read them");
        }
    }
}

package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one remote messenger to one service of this peer, on one link. Assembles fragmented messages, delivers
 * messages to the listener of the service, and returns credit to the sender when messages are released. {@link #refuse} and
 * the release of a message are thread-safe; all other methods are confined to the event loop of the link.
 *
 * <p>The window of a sender of protocol version 1.1 or later begins small. It grows when the sender is short of credit although the service
 * has released most of the messages, and shrinks when the channel is idle. All of it is reserved from the budget of the connection.
 * The part of a message that exceeds the window is reserved with the message.
 */
final class InboundChannel
        implements ServiceRegistry.ServiceChannel,
                InboundSequence.Holder,
                AckSender.Source,
                ChannelDecoder.MessageHandler {

    /** The full window is reached after a few round trips, and a window that is too large by this factor costs little. */
    private static final int GROWTH_FACTOR = 4;

    /** The largest window of a service that does not keep up with the sender. It lets the sender be ahead of the service. */
    private static final long MAX_LAGGING_BYTES = 256 * 1024;

    /** About the memory of an element without its content and the characters of its name, in bytes. */
    static final int ELEMENT_BYTES = 136;

    /** The number of keep-alive intervals in which a message in progress must get a fragment: a minute by default. */
    private static final int MAX_INTERVALS_WITHOUT_FRAGMENT = 4;

    /** The number of keep-alive intervals that a sender has to respond to SHRINK. */
    private static final int MAX_INTERVALS_WITHOUT_RESPONSE = 3;

    private final Link link;
    private final LinkChannels channels;
    private final int handle;
    private final ServiceRegistry.Binding binding;
    private final ChannelDecoder decoder;
    private final int codecBytes;
    private final AtomicLong released = new AtomicLong();
    private final @Nullable InboundSequence sequence;

    /** Null until the service has accepted the channel. */
    private @Nullable ChannelSubscription subscription;

    /** Decodes the elements; null if they are not encoded, or the service has not accepted the channel yet. */
    private @Nullable InboundElements elements;

    private final AtomicBoolean creditScheduled = new AtomicBoolean();

    /** The channels whose window is larger than the smallest one. */
    private final Set<InboundChannel> grown;

    /** The bytes of the window that received messages use, until they are released and their credit is returned. */
    private long outstanding;

    /** The reserved window in bytes. Written on the event loop. */
    private volatile long window;

    /** The bytes that were returned to the sender since the size of the window has changed. */
    private long creditSinceResize;

    /** Whether the sender has reported that it has messages and no credit. */
    private boolean blocked;

    /** The number of bytes that the sender was asked to give back, until it responds. */
    private long shrinkBytes;

    private int intervalsWithoutResponse;

    /** Whether a message has arrived since the last check for idle channels. */
    private boolean used;

    private volatile boolean closed;
    private boolean ackDue;

    private @Nullable FragmentAssembler assembler;
    private long assemblerReserved;

    /** The size of the largest message that has arrived in fragments, in bytes. */
    private int largestAssembled;

    /** The number of keep-alive intervals in a row without a fragment of the message in progress. */
    private int intervalsWithoutFragment;

    /** Ends the channel when no received message waits to be decoded. Further frames are ignored then. */
    private @Nullable Runnable end;

    /**
     * Creates a channel.
     *
     * @param session  the session of the codec, for which {@code codec.maxStateBytes()} are reserved
     * @param window   the window in bytes, which is reserved
     * @param sequence counts the messages, which are acknowledged; {@code null} if the remote peer does not ask for that
     * @param grown    the channels of the link whose window has grown
     */
    InboundChannel(
            Link link,
            LinkChannels channels,
            int handle,
            ServiceRegistry.Binding binding,
            MessageCodec codec,
            CodecSession session,
            LinkDecoder linkDecoder,
            int window,
            @Nullable InboundSequence sequence,
            Set<InboundChannel> grown) {
        this.grown = grown;
        this.sequence = sequence;
        this.decoder = new ChannelDecoder(session, codec.maxEventLoopBytes(), binding.isZeroCopy(), linkDecoder, this);
        this.codecBytes = codec.maxStateBytes();
        this.link = link;
        this.channels = channels;
        this.handle = handle;
        this.binding = binding;
        this.window = window;
    }

    @Override
    public int handle() {
        return handle;
    }

    @Nullable
    InboundSequence sequence() {
        return sequence;
    }

    /**
     * Begins to deliver messages to the listener.
     *
     * @param decoder decodes the elements; {@code null} if they are not encoded
     */
    void start(ChannelSubscription accepted, @Nullable InboundElements decoder) {
        subscription = accepted;
        elements = decoder;
        binding.add(this);
    }

    @Override
    public void detach(Runnable after) {
        link.runOrElse(
                () -> {
                    channels.receiver().detach(handle);
                    after.run();
                },
                after);
    }

    void onMessage(ByteBuf encoded) {
        if (assembler != null) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "unexpected MESSAGE frame on handle " + handle + ": another message is in progress");
        }
        int size = encoded.readableBytes();
        if (size > decoder.maxBytesNow()) {
            decodeLater(encoded);
            return;
        }
        long cost = charge(size);
        long beyondWindow = beyondWindow(cost);
        if (!reserveFor(size, cost, beyondWindow)) {
            return;
        }
        if (binding.isZeroCopy()) {
            BorrowScope scope = new BorrowScope(encoded.retain()::release);
            try {
                deliver(decode(encoded, cost, beyondWindow, scope), size, cost, beyondWindow);
            } finally {
                scope.end();
            }
        } else {
            deliver(decode(encoded, cost, beyondWindow, null), size, cost, beyondWindow);
        }
    }

    /** Copies the message, because it waits, and the frame may share a buffer of many times its size. */
    private void decodeLater(ByteBuf encoded) {
        if (end != null) {
            return;
        }
        int size = encoded.readableBytes();
        long cost = charge(size);
        long beyondWindow = beyondWindow(cost);
        if (reserveFor(size, cost, beyondWindow)) {
            ByteBuf copy = Unpooled.wrappedBuffer(ByteBufUtil.getBytes(encoded));
            decoder.add(new EncodedMessage(copy, cost, beyondWindow));
        }
    }

    /** Returns the part of the cost of a charged message that exceeds the window. */
    private long beyondWindow(long cost) {
        return Math.min(cost, Math.max(0, outstanding - window));
    }

    /**
     * Reserves memory for a message of {@code size} bytes. If there is none, refuses the channel, after the messages before this one
     * are delivered, and returns false.
     */
    private boolean reserveFor(long size, long cost, long bytes) {
        if (link.tryReserve(bytes)) {
            return true;
        }
        outstanding -= cost;
        String text = "no memory for a message of " + size + " bytes: "
                + link.memory().describeShortage(bytes);
        endAfterDecoding(() -> refuse(ErrorCode.BUSY, text));
        return false;
    }

    private Message decode(ByteBuf encoded, long cost, long reserved, @Nullable BorrowScope scope) {
        try {
            return decoder.decodeNow(encoded, scope);
        } catch (RuntimeException e) {
            outstanding -= cost;
            link.memory().release(reserved);
            throw e;
        }
    }

    void onFirst(long total, ByteBuf fragment) {
        if (end != null) {
            return;
        }
        if (assembler != null || total <= fragment.readableBytes()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("unexpected FIRST frame on handle " + handle + ": "
                    + (assembler != null
                            ? "another message is in progress"
                            : "the message of " + total + " bytes needs no fragments"));
        }
        link.checkSize(total);
        long cost = charge(total);
        long beyondWindow = beyondWindow(cost);
        if (!reserveFor(total, cost, beyondWindow)) {
            return;
        }
        assemblerReserved = beyondWindow;
        assembler = new FragmentAssembler((int) total, largestAssembled, binding.isZeroCopy());
        assembler.add(fragment);
    }

    void onMore(ByteBuf fragment) {
        if (end != null) {
            return;
        }
        FragmentAssembler current = assembler;
        if (current == null || fragment.readableBytes() > current.missing()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "unexpected MORE frame on handle " + handle + ": no message in progress or fragment too long");
        }
        intervalsWithoutFragment = 0;
        current.add(fragment);
        if (current.missing() == 0) {
            finish(current);
        }
    }

    private void finish(FragmentAssembler complete) {
        long reserved = assemblerReserved;
        assembler = null;
        assemblerReserved = 0;
        largestAssembled = Math.max(largestAssembled, complete.total());
        decoder.add(new EncodedMessage(complete.assemble(), EndpointContext.windowCost(complete.total()), reserved));
    }

    @Override
    public void onDecoded(Message message, EncodedMessage encoded) {
        deliver(message, encoded.size(), encoded.cost(), encoded.reserved());
    }

    @Override
    public void onDiscarded(EncodedMessage encoded) {
        release(encoded.cost(), encoded.reserved());
    }

    @Override
    public void onDecodingDone() {
        if (end != null) {
            end.run();
        }
    }

    @Override
    public void onSessionEnded() {
        link.memory().release(codecBytes);
    }

    /** Ends the channel by {@code action} after the complete messages are delivered. Drops a message in progress. */
    void endAfterDecoding(Runnable action) {
        if (end == null) {
            end = action;
            dropMessageInProgress();
            if (!decoder.isBusy()) {
                action.run();
            }
        }
    }

    private void dropMessageInProgress() {
        if (assembler != null) {
            outstanding -= EndpointContext.windowCost(assembler.total());
            assembler.release();
            assembler = null;
        }
        link.memory().release(assemblerReserved);
        assemblerReserved = 0;
    }

    /** Charges a message to the window. Returns its cost. */
    private long charge(long size) {
        if (outstanding >= window) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("window of service " + binding.service() + ": " + outstanding
                    + " bytes outstanding (expected: < " + window + " before the next message)");
        }
        long cost = EndpointContext.windowCost(size);
        outstanding += cost;
        return cost;
    }

    private void deliver(Message message, long size, long cost, long reserved) {
        // A few bytes may decode to a large message. The part that the cost does not cover is reserved as well.
        long expanded = Math.max(0, memoryBytes(message, size) - cost);
        if (!link.tryReserve(expanded)) {
            outstanding -= cost;
            link.memory().release(reserved);
            refuse(
                    ErrorCode.BUSY,
                    "no memory for a message that decodes to " + memoryBytes(message, size) + " bytes: "
                            + link.memory().describeShortage(expanded));
            return;
        }
        link.countReceived(size);
        used = true;
        InboundMessage delivery = new InboundMessage(this, message, cost, reserved + expanded);
        if (elements != null) {
            delivery.entry = elements.add(message, sequence == null ? 0 : sequence.received(), delivery);
        }
        if (sequence != null) {
            sequence.countReceived(); // before the listener is called, so that its response carries the acknowledgement
            if (!ackDue) {
                ackDue = true;
                channels.acks().add(this);
            }
        }
        Objects.requireNonNull(subscription).onMessage(delivery);
        if (binding.isZeroCopy()) {
            delivery.release();
        }
    }

    /**
     * Returns about the memory of a message: its content, or the encoded message, which the payloads may share; and its objects and
     * names, because small elements cost more than their bytes.
     */
    private static long memoryBytes(Message message, long encodedBytes) {
        long content = Math.max(message.payloadBytes(), encodedBytes);
        return content + (message.size() > 1 ? objectBytes(message) : ELEMENT_BYTES);
    }

    private static long objectBytes(Message message) {
        long bytes = 0;
        String namespace = "";
        for (MessageElement element : message) {
            bytes += ELEMENT_BYTES + (long) Character.BYTES * element.name().length();
            if (element.signature().isPresent()) {
                bytes += ELEMENT_BYTES;
            }
            if (!element.namespace().equals(namespace)) { // elements of one namespace share its name
                namespace = element.namespace();
                bytes += (long) Character.BYTES * namespace.length();
            }
        }
        return bytes;
    }

    private void release(long cost, long reserved) {
        if (reserved > 0) {
            link.memory().release(reserved);
        }
        // Credit is returned in portions, so that not every small message causes a frame.
        long uncredited = released.addAndGet(cost);
        if ((uncredited >= window / 4 || closed) && creditScheduled.compareAndSet(false, true)) {
            link.run(this::returnCredit, this::returnCreditAfterTheEnd); // the budget outlives the event loop
        }
    }

    /** Releases memory after the event loop has ended, on any thread. */
    private synchronized void returnCreditAfterTheEnd() {
        returnCredit();
    }

    private void returnCredit() {
        creditScheduled.set(false);
        if (closed) {
            outstanding -= released.getAndSet(0);
            releaseUnusedWindow();
            return;
        }
        long credit = takeCredit();
        if (credit > 0 && sequence != null) {
            ackDue = false;
            channels.sendAck(handle, sequence.received(), credit);
        } else if (credit > 0) {
            channels.sendCredit(handle, credit);
        }
    }

    /** Returns the credit for the sender: the released bytes, and those by which the window grows now. */
    private long takeCredit() {
        long credit = released.getAndSet(0);
        outstanding -= credit;
        creditSinceResize += credit;
        return credit + grow(credit);
    }

    /**
     * Lets the window grow if it delays the sender: the sender is blocked, or has used a quarter of the window since the last
     * credit. If unreleased messages use more than half of the window, the service is slower than the network, and a large window
     * would not help; then the window grows less, and only while memory is plentiful.
     *
     * @return the number of bytes by which the window has grown
     */
    private long grow(long credit) {
        boolean serviceLags = outstanding > window / 2;
        boolean useful = blocked || (!serviceLags && credit >= window / 4);
        blocked &= credit == 0; // the sender reports again if the credit is not enough
        long max = serviceLags ? Math.min(MAX_LAGGING_BYTES, binding.windowBytes()) : binding.windowBytes();
        if (!useful || window >= max || !link.isAcknowledging() || shrinkBytes > 0) {
            return 0;
        }
        long wanted = Math.min(max, Math.max(GROWTH_FACTOR * window, credit));
        long growth = link.memory().reserveSpare(wanted - window, serviceLags ? 1 : 3);
        if (growth > 0) {
            resize(window + growth);
            grown.add(this);
        }
        return growth;
    }

    private void resize(long bytes) {
        window = bytes;
        creditSinceResize = 0;
        blocked = false;
    }

    /** Called when the sender has messages and had no credit. Ignores a report from before the window has got its present size. */
    void onBlocked() {
        if (!link.isAcknowledging()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("unexpected BLOCKED frame on handle " + handle);
        }
        // A window that cannot grow returns credit in portions, as without the report. Small ones would cost a frame
        // for a few messages each: with 1 KB one way, 2.0 instead of 3.0 million messages a second.
        boolean usedUp = creditSinceResize + outstanding >= window; // all credit of this size
        if (usedUp && window < binding.windowBytes()) {
            blocked = true;
            returnCredit();
        }
    }

    /** Asks the sender for the unused part of a window that has grown, if no message has arrived since the last call. */
    void shrinkIfIdle() {
        if (shrinkBytes > 0) {
            return;
        }
        boolean idle = !used && assembler == null && !decoder.isBusy();
        used = false;
        if (idle) {
            returnCredit();
            shrinkBytes = Math.min(window - EndpointLimits.MIN_WINDOW_BYTES, window - outstanding);
            if (shrinkBytes > 0) {
                channels.writeShrink(handle, shrinkBytes);
            } else {
                shrinkBytes = 0;
            }
        }
    }

    /**
     * Called at each keep-alive interval.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#PROTOCOL_VIOLATION} if the sender does not give memory back
     */
    void checkShrinkResponse() {
        intervalsWithoutResponse = shrinkBytes > 0 ? intervalsWithoutResponse + 1 : 0;
        if (intervalsWithoutResponse > MAX_INTERVALS_WITHOUT_RESPONSE) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("handle " + handle + ": no SHRUNK frame within "
                    + intervalsWithoutResponse + " keep-alive intervals");
        }
    }

    /**
     * Called at each keep-alive interval. Memory for a message that does not continue must not be held forever.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#LIMIT_EXCEEDED} if the message in progress gets no fragments
     */
    void checkProgress() {
        FragmentAssembler current = assembler;
        intervalsWithoutFragment = current == null ? 0 : intervalsWithoutFragment + 1;
        if (current != null && intervalsWithoutFragment > MAX_INTERVALS_WITHOUT_FRAGMENT) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("message of " + current.total() + " bytes to service "
                    + binding.service() + ": no fragment within " + MAX_INTERVALS_WITHOUT_FRAGMENT
                    + " keep-alive intervals; " + current.missing() + " bytes are missing");
        }
    }

    /** Called when the sender has given unused credit back. Credit that is in use cannot be given back. */
    void onShrunk(long bytes) {
        long max = Math.min(shrinkBytes, Math.max(0, window - outstanding));
        if (shrinkBytes == 0 || bytes > max) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("bytes of SHRUNK frame on handle " + handle + ": " + bytes
                    + " (expected: as response to SHRINK, <= " + max + ")");
        }
        shrinkBytes = 0;
        resize(window - bytes);
        link.memory().release(bytes);
        if (window <= EndpointLimits.MIN_WINDOW_BYTES) {
            grown.remove(this);
        }
        returnCredit(); // less than before is enough now
    }

    /** Writes an ACK frame for all received messages with all credit that is due, unless one was sent meanwhile. */
    @Override
    public void writeAck() {
        if (!closed && ackDue && sequence != null) {
            ackDue = false;
            channels.writeAck(handle, sequence.received(), takeCredit());
        }
    }

    /**
     * Releases the window except for unreleased messages, whose memory stays reserved after the sender has ended the
     * channel.
     */
    private void releaseUnusedWindow() {
        long used = Math.min(window, outstanding);
        link.memory().release(window - used);
        window = used;
    }

    @Override
    public void refuse(ErrorCode code, String text) {
        link.run(() -> {
            if (!closed) {
                channels.refuse(
                        handle,
                        code,
                        text,
                        sequence == null ? OptionalLong.empty() : OptionalLong.of(sequence.received()));
            }
        });
    }

    /**
     * Releases everything that is not delivered, and notifies the listener. Called after the link has removed the channel, and after the
     * sequence was removed if the channel cannot continue.
     */
    void close(ChannelEnd reason) {
        if (!closed) {
            closed = true;
            grown.remove(this);
            dropMessageInProgress();
            decoder.close();
            returnCredit();
            if (sequence == null || sequence.isHeldBy(this)) {
                notifyListener(reason);
            }
            binding.remove(this);
        }
    }

    private void notifyListener(ChannelEnd reason) {
        ChannelSubscription accepted = subscription;
        boolean interrupted = reason == ChannelEnd.INTERRUPTED && sequence != null;
        if (accepted != null && interrupted) {
            accepted.onInterrupted(); // while no other channel can hold the sequence
        }
        boolean dropped = sequence == null || sequence.giveUp(this);
        if (accepted == null || (interrupted && !dropped)) {
            return;
        }
        if (reason == ChannelEnd.ENDED) {
            accepted.onEnded();
        } else {
            accepted.onLost();
        }
    }

    private static final class InboundMessage extends AtomicBoolean
            implements ReceivedMessage, InboundElements.Handler {

        private static final long serialVersionUID = 1L;

        private final transient InboundChannel channel;
        private final transient Message message;
        private final long cost;
        private final long reserved;

        /** The message with encoded elements; null if they are not encoded. Set before the delivery. */
        private transient InboundElements.@Nullable Entry entry;

        InboundMessage(InboundChannel channel, Message message, long cost, long reserved) {
            this.channel = channel;
            this.message = message;
            this.cost = cost;
            this.reserved = reserved;
        }

        @Override
        public PeerId from() {
            return channel.link.peer();
        }

        @Override
        public Message message() {
            return entry == null ? message : entry.decode();
        }

        @Override
        public long reserve(Message decoded) {
            long bytes = Math.max(0, memoryBytes(decoded, 0) - cost - reserved);
            if (!channel.link.tryReserve(bytes)) {
                throw ErrorCode.BUSY.exception("no memory for a message whose elements decode to "
                        + decoded.payloadBytes() + " bytes: "
                        + channel.link.memory().describeShortage(bytes));
            }
            return bytes;
        }

        @Override
        public void release(long bytes) {
            channel.link.memory().release(bytes);
        }

        @Override
        public void onFailed(ParleyException failure) {
            channel.link.countUndecodable(channel.binding.service(), failure);
            channel.refuse(failure.code(), String.valueOf(failure.getMessage()));
        }

        @Override
        public void release() {
            if (compareAndSet(false, true)) {
                if (entry != null) {
                    entry.release();
                }
                channel.release(cost, reserved);
            }
        }
    }
}

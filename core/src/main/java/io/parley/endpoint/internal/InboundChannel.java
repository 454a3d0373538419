package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.codec.CodecSession;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import io.parley.transport.EndpointMetrics.Counter;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages of one remote messenger to one service of this peer, on one link. Assembles fragmented messages, delivers
 * messages to the listener of the service, and returns credit to the sender when messages are released. {@link #refuse} and
 * the release of a message are thread-safe; all other methods are confined to the event loop of the link.
 */
final class InboundChannel implements ServiceRegistry.ServiceChannel, InboundSequence.Holder, AckSender.Source {

    private static final Logger log = LoggerFactory.getLogger(InboundChannel.class);

    private final Link link;
    private final int handle;
    private final ServiceRegistry.Binding binding;
    private final int window;
    private final CodecSession decoder;
    private final int codecBytes;
    private final AtomicLong released = new AtomicLong();
    private final @Nullable InboundSequence sequence;
    private final AtomicBoolean creditScheduled = new AtomicBoolean();
    private long outstanding;
    private int reservedWindow;
    private volatile boolean closed;
    private boolean ackDue;

    private @Nullable FragmentAssembler assembler;
    private long assemblerReserved;

    /** @param sequence counts the messages, which are acknowledged; {@code null} if the remote peer does not ask for that */
    InboundChannel(
            Link link,
            int handle,
            ServiceRegistry.Binding binding,
            CodecSession decoder,
            int codecBytes,
            int window,
            @Nullable InboundSequence sequence) {
        this.sequence = sequence;
        this.decoder = decoder;
        this.codecBytes = codecBytes;
        this.link = link;
        this.handle = handle;
        this.binding = binding;
        this.window = window;
        this.reservedWindow = window;
    }

    @Override
    public int handle() {
        return handle;
    }

    @Nullable
    InboundSequence sequence() {
        return sequence;
    }

    @Override
    public void detach(Runnable after) {
        link.runOrElse(
                () -> {
                    link.detach(handle);
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
        long cost = charge(size);
        if (binding.isZeroCopy()) {
            BorrowScope scope = new BorrowScope(encoded.retain()::release);
            try {
                deliver(decode(encoded, cost, scope), size, cost, 0);
            } finally {
                scope.end();
            }
        } else {
            deliver(decode(encoded, cost, null), size, cost, 0);
        }
    }

    /**
     * Copies a heap buffer unless the message is borrowed, because the frame is borrowed and the message keeps the array.
     */
    private Message decode(ByteBuf encoded, long cost, @Nullable BorrowScope scope) {
        try {
            if (scope != null) {
                return decoder.decodeBorrowed(encoded, scope);
            }
            return decoder.decode(encoded.hasArray() ? Unpooled.wrappedBuffer(ByteBufUtil.getBytes(encoded)) : encoded);
        } catch (RuntimeException e) {
            outstanding -= cost;
            throw e;
        }
    }

    void onFirst(long total, ByteBuf fragment) {
        if (assembler != null || total <= fragment.readableBytes()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("unexpected FIRST frame on handle " + handle + ": "
                    + (assembler != null
                            ? "another message is in progress"
                            : "the message of " + total + " bytes needs no fragments"));
        }
        link.checkSize(total);
        long cost = charge(total);
        long beyondWindow = Math.min(cost, Math.max(0, outstanding - window));
        if (!link.memory().tryReserve(beyondWindow)) {
            outstanding -= cost;
            refuse(
                    ErrorCode.BUSY,
                    "no memory for a message of " + total + " bytes: "
                            + link.memory().describeShortage(beyondWindow));
            return;
        }
        assemblerReserved = beyondWindow;
        assembler = new FragmentAssembler((int) total, binding.isZeroCopy());
        assembler.add(fragment);
    }

    void onMore(ByteBuf fragment) {
        FragmentAssembler current = assembler;
        if (current == null || fragment.readableBytes() > current.missing()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "unexpected MORE frame on handle " + handle + ": no message in progress or fragment too long");
        }
        current.add(fragment);
        if (current.missing() == 0) {
            finish(current);
        }
    }

    private void finish(FragmentAssembler complete) {
        ByteBuf assembled = complete.assemble();
        BorrowScope scope = new BorrowScope(assembled::release);
        try {
            // The reservation stays with the channel until decoding has succeeded.
            Message message =
                    binding.isZeroCopy() ? decoder.decodeBorrowed(assembled, scope) : decoder.decode(assembled);
            assembler = null;
            long reserved = assemblerReserved;
            assemblerReserved = 0;
            deliver(message, complete.total(), Link.windowCost(complete.total()), reserved);
        } finally {
            scope.end();
        }
    }

    /** Charges a message to the window. Returns its cost. */
    private long charge(long size) {
        if (outstanding >= window) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("window of service " + binding.service() + ": " + outstanding
                    + " bytes outstanding (expected: < " + window + " before the next message)");
        }
        long cost = Link.windowCost(size);
        outstanding += cost;
        return cost;
    }

    private void deliver(Message message, long size, long cost, long reserved) {
        // A compact codec may decode a few bytes to a large message. The part beyond the window is reserved as well.
        long expanded = Math.max(0, message.payloadBytes() - size);
        if (!link.memory().tryReserve(expanded)) {
            outstanding -= cost;
            link.memory().release(reserved);
            refuse(
                    ErrorCode.BUSY,
                    "no memory for a message that decodes to " + message.payloadBytes() + " bytes: "
                            + link.memory().describeShortage(expanded));
            return;
        }
        link.countReceived(size);
        if (sequence != null) {
            sequence.countReceived(); // before the listener is called, so that its response carries the acknowledgement
            if (!ackDue) {
                ackDue = true;
                link.acks().add(this);
            }
        }
        InboundMessage delivery = new InboundMessage(this, message, cost, reserved + expanded);
        try {
            binding.listener().accept(delivery);
        } catch (RuntimeException e) {
            link.metrics().increment(Counter.LISTENER_FAILURES);
            log.warn("Listener of service {} failed on a message from peer {}", binding.service(), link.peer(), e);
            delivery.release();
        }
        if (binding.isZeroCopy()) {
            delivery.release();
        }
    }

    private void release(long cost, long reserved) {
        if (reserved > 0) {
            link.memory().release(reserved);
        }
        // Credit is returned in portions, so that not every small message causes a frame.
        long uncredited = released.addAndGet(cost);
        if ((uncredited >= window / 4 || closed) && creditScheduled.compareAndSet(false, true)) {
            link.run(this::returnCredit);
        }
    }

    private void returnCredit() {
        creditScheduled.set(false);
        long credit = released.getAndSet(0);
        outstanding -= credit;
        if (closed) {
            releaseUnusedWindow();
        } else if (credit > 0 && sequence != null) {
            ackDue = false;
            link.sendAck(handle, sequence.received(), credit);
        } else if (credit > 0) {
            link.sendCredit(handle, credit);
        }
    }

    /** Writes an ACK frame for all received messages with all credit that is due, unless one was sent meanwhile. */
    @Override
    public void writeAck() {
        if (!closed && ackDue && sequence != null) {
            ackDue = false;
            long credit = released.getAndSet(0);
            outstanding -= credit;
            link.writeAck(handle, sequence.received(), credit);
        }
    }

    /**
     * Releases the window except for unreleased messages, whose memory stays reserved after the sender has ended the
     * channel.
     */
    private void releaseUnusedWindow() {
        int used = (int) Math.min(reservedWindow, outstanding);
        link.memory().release(reservedWindow - used);
        reservedWindow = used;
    }

    @Override
    public void refuse(ErrorCode code, String text) {
        link.run(() -> {
            if (!closed) {
                link.refuse(
                        handle,
                        code,
                        text,
                        sequence == null ? OptionalLong.empty() : OptionalLong.of(sequence.received()));
            }
        });
    }

    /** Releases everything that is not delivered. Called after the link has removed the channel. */
    void close() {
        if (!closed) {
            closed = true;
            if (assembler != null) {
                outstanding -= Link.windowCost(assembler.total());
                assembler.release();
            }
            link.memory().release(assemblerReserved + codecBytes);
            assembler = null;
            assemblerReserved = 0;
            returnCredit();
            binding.remove(this);
            if (sequence != null) {
                sequence.giveUp(this);
            }
        }
    }

    private static final class InboundMessage extends AtomicBoolean implements ReceivedMessage {

        private static final long serialVersionUID = 1L;

        private final transient InboundChannel channel;
        private final transient Message message;
        private final long cost;
        private final long reserved;

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
            return message;
        }

        @Override
        public void release() {
            if (compareAndSet(false, true)) {
                channel.release(cost, reserved);
            }
        }
    }
}

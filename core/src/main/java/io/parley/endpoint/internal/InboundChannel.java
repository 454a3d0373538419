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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one remote peer sends to one service of this peer, over one link. It puts large messages together, hands messages
 * to the service's listener, and gives the sender credit as they are released. {@link #refuse} and the release of a
 * message may be called from any thread; the rest belongs to the link's executor.
 */
final class InboundChannel {

    private static final Logger log = LoggerFactory.getLogger(InboundChannel.class);

    private final Link link;
    private final int handle;
    private final ServiceRegistry.Binding binding;
    private final int window;
    private final CodecSession decoder;
    private final int codecBytes;
    private final AtomicLong released = new AtomicLong();
    private final AtomicBoolean crediting = new AtomicBoolean();
    private long outstanding;
    private int reservedWindow;
    private volatile boolean closed;

    private @Nullable FragmentAssembler large;
    private long largeReserved;

    InboundChannel(
            Link link, int handle, ServiceRegistry.Binding binding, CodecSession decoder, int codecBytes, int window) {
        this.decoder = decoder;
        this.codecBytes = codecBytes;
        this.link = link;
        this.handle = handle;
        this.binding = binding;
        this.window = window;
        this.reservedWindow = window;
    }

    int window() {
        return window;
    }

    void onMessage(ByteBuf encoded) {
        if (large != null) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("a message began within another on handle " + handle);
        }
        int size = encoded.readableBytes();
        long cost = begin(size);
        if (binding.isLending()) {
            BorrowScope loan = new BorrowScope(encoded.retain()::release);
            try {
                deliver(decode(encoded, cost, loan), size, cost, 0);
            } finally {
                loan.end();
            }
        } else {
            deliver(decode(encoded, cost, null), size, cost, 0);
        }
    }

    /** The frame's memory is borrowed, and a message that is not lent keeps the array that it is decoded from. */
    private Message decode(ByteBuf encoded, long cost, @Nullable BorrowScope loan) {
        try {
            if (loan != null) {
                return decoder.decodeBorrowed(encoded, loan);
            }
            return decoder.decode(encoded.hasArray() ? Unpooled.wrappedBuffer(ByteBufUtil.getBytes(encoded)) : encoded);
        } catch (RuntimeException e) {
            outstanding -= cost;
            throw e;
        }
    }

    void onFirst(long total, ByteBuf piece) {
        if (large != null || total <= piece.readableBytes()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("a message of " + total + " bytes is not cut as it should be");
        }
        link.checkSize(total);
        long cost = begin(total);
        long beyondWindow = Math.min(cost, Math.max(0, outstanding - window));
        if (!link.memory().tryReserve(beyondWindow)) {
            outstanding -= cost;
            refuse(
                    ErrorCode.BUSY,
                    "no memory for a message of " + total + " bytes now (limits peerMemoryBytes, totalMemoryBytes)");
            return;
        }
        largeReserved = beyondWindow;
        large = new FragmentAssembler((int) total, binding.isLending());
        large.add(piece);
    }

    void onMore(ByteBuf piece) {
        FragmentAssembler message = large;
        if (message == null || piece.readableBytes() > message.missing()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("a piece of a message that has no place for it");
        }
        message.add(piece);
        if (message.missing() == 0) {
            finish(message);
        }
    }

    private void finish(FragmentAssembler complete) {
        ByteBuf whole = complete.take();
        BorrowScope loan = new BorrowScope(whole::release);
        try {
            // Before its memory is no longer ours.
            Message message = binding.isLending() ? decoder.decodeBorrowed(whole, loan) : decoder.decode(whole);
            large = null;
            long reserved = largeReserved;
            largeReserved = 0;
            deliver(message, complete.total(), Link.cost(complete.total()), reserved);
        } finally {
            loan.end();
        }
    }

    private long begin(long size) {
        if (outstanding >= window) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "the peer sent past the window of " + window + " bytes of service " + binding.service());
        }
        long cost = Link.cost(size);
        outstanding += cost;
        return cost;
    }

    private void deliver(Message message, long size, long cost, long reserved) {
        // A format may say much in few bytes; what the window does not cover is charged as well.
        long expanded = Math.max(0, message.payloadBytes() - size);
        if (!link.memory().tryReserve(expanded)) {
            outstanding -= cost;
            link.memory().release(reserved);
            refuse(ErrorCode.BUSY, "no memory for a message that decodes to " + message.payloadBytes() + " bytes now");
            return;
        }
        link.countReceived(size);
        InboundMessage delivery = new InboundMessage(this, message, cost, reserved + expanded);
        try {
            binding.listener().onMessage(delivery);
        } catch (RuntimeException e) {
            link.metrics().increment(Counter.LISTENER_FAILURES);
            log.warn("service {}: its listener failed on a message from {}", binding.service(), link.peer(), e);
            delivery.release();
        }
        if (binding.isLending()) {
            delivery.release();
        }
    }

    private void release(long cost, long reserved) {
        if (reserved > 0) {
            link.memory().release(reserved);
        }
        // Credit goes back in portions, so that small messages do not each cause a frame.
        long uncredited = released.addAndGet(cost);
        if ((uncredited >= window / 4 || closed) && crediting.compareAndSet(false, true)) {
            link.run(this::giveCredit);
        }
    }

    private void giveCredit() {
        crediting.set(false);
        long credit = released.getAndSet(0);
        outstanding -= credit;
        if (closed) {
            releaseUnusedWindow();
        } else if (credit > 0) {
            link.sendCredit(handle, credit);
        }
    }

    /** The window's memory is claimed while messages are in use, also when the sender has ended the channel. */
    private void releaseUnusedWindow() {
        int used = (int) Math.min(reservedWindow, outstanding);
        link.memory().release(reservedWindow - used);
        reservedWindow = used;
    }

    /** Takes nothing more from this sender. From any thread. */
    void refuse(ErrorCode code, String text) {
        link.run(() -> {
            if (!closed) {
                link.refuse(handle, code, text);
            }
        });
    }

    /** Forgets what has not been delivered; the link has forgotten the channel. */
    void close() {
        if (!closed) {
            closed = true;
            binding.remove(this);
            if (large != null) {
                outstanding -= Link.cost(large.total());
                large.release();
            }
            link.memory().release(largeReserved + codecBytes);
            large = null;
            largeReserved = 0;
            giveCredit();
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

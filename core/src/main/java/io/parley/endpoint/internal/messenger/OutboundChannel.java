package io.parley.endpoint.internal.messenger;

import io.netty.buffer.ByteBuf;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.Connection;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one messenger on one link: its handle, its credit, and the message that is being fragmented. Confined to
 * the event loop of the link.
 */
public final class OutboundChannel extends LinkedQueue.Entry<OutboundChannel> implements Connection.FrameSource {

    /** The link, and the way that the frames of the channel take. */
    public interface Carrier {

        /** Returns whether the remote peer acknowledges messages. */
        boolean isAcknowledging();

        /** Returns the size of the largest message in one frame, in bytes. */
        int fragmentBytes();

        void countSent(long messages, long bytes);

        /** Aborts the connection. */
        void abort(Throwable cause);
    }

    /** About the number of bytes that a channel writes in small messages before it is the turn of the next channel. */
    private static final int TURN_BYTES = 32 * 1024;

    private final Carrier carrier;
    private final PeerMessenger messenger;
    private final MessengerQueue queue;
    private final int handle;
    private final MessageEncoder encoder;
    private final boolean acknowledged;
    private boolean announced;
    private boolean opened;
    private boolean blockedReported;
    private long credit;
    private final Deque<OutboundMessage> polled = new ArrayDeque<>(1); // small while the channel is idle
    private @Nullable OutboundMessage current;
    private @Nullable ByteBuf remaining;
    private @Nullable OutboundMessage appended;
    private int appendedBytes;

    /** Messages of the present turn. They are counted at its end, because an atomic counter costs a tenth of a small message. */
    private long writtenMessages;

    private long writtenBytes;

    /** @param acknowledged whether the remote peer acknowledges messages; otherwise they are settled when they are written */
    public OutboundChannel(
            Carrier carrier, PeerMessenger messenger, int handle, MessageEncoder encoder, boolean acknowledged) {
        this.encoder = encoder;
        this.acknowledged = acknowledged;
        this.carrier = carrier;
        this.messenger = messenger;
        this.queue = messenger.queue();
        this.handle = handle;
    }

    public PeerMessenger messenger() {
        return messenger;
    }

    /** Returns the messages of the messenger. */
    public MessengerQueue queue() {
        return queue;
    }

    public int handle() {
        return handle;
    }

    public String codecName() {
        return encoder.codecName();
    }

    /** Returns whether the remote peer knows of the channel. */
    public boolean isAnnounced() {
        return announced;
    }

    /** Called when the OPEN frame is written. */
    public void onAnnounced() {
        announced = true;
    }

    public boolean isOpened() {
        return opened;
    }

    public void onOpened(long window) {
        opened = true;
        credit = window;
    }

    /** @throws io.parley.error.PeerFaultException {@link ErrorCode#PROTOCOL_VIOLATION} if the sum is out of range */
    public void addCredit(long bytes) {
        long sum = credit + bytes;
        if (bytes < 0 || (sum < credit)) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("credit of handle " + handle + ": " + credit + " + " + bytes
                    + " bytes (expected: <= " + Long.MAX_VALUE + ")");
        }
        credit = sum;
        blockedReported &= bytes == 0;
    }

    /** Gives unused credit back. Returns the number of bytes, at most {@code bytes}. */
    public long removeCredit(long bytes) {
        long removed = Math.max(0, Math.min(bytes, credit));
        credit -= removed;
        return removed;
    }

    /**
     * Returns whether the receiver should learn that a message waits for credit, because a larger window would help. Returns true
     * once until there is more credit.
     */
    public boolean mustReportBlocked() {
        if (credit > 0
                || blockedReported
                || !carrier.isAcknowledging()
                || !opened
                || remaining != null
                || !queue.isSendable()) {
            return false;
        }
        blockedReported = true;
        return true;
    }

    public boolean isAcknowledged() {
        return acknowledged;
    }

    /** Returns whether the first fragment of a message is written and the last one is not. */
    public boolean isInMessage() {
        return remaining != null;
    }

    /** Returns whether {@link #writeNext} would write a frame. */
    public boolean isReady() {
        return remaining != null || (opened && credit > 0 && queue.isSendable());
    }

    /** Writes the next fragment, or the next messages: one, or several small ones. */
    public void writeNext(Connection connection, FrameWriter frames) {
        if (remaining != null) {
            writeMore(connection, frames, remaining);
            return;
        }
        if (credit <= 0) {
            return;
        }
        queue.poll(polled, Math.min(credit, TURN_BYTES), acknowledged);
        try {
            while (credit > 0 && remaining == null && connection.isWritable()) {
                OutboundMessage next = polled.poll();
                if (next == null) {
                    break;
                }
                writeFirst(next, connection, frames);
            }
        } finally {
            if (writtenMessages > 0) {
                carrier.countSent(writtenMessages, writtenBytes);
                writtenMessages = 0;
                writtenBytes = 0;
            }
            if (!polled.isEmpty()) {
                queue.restore(polled, acknowledged);
            }
            queue.notifyWritable();
        }
    }

    private void writeFirst(OutboundMessage next, Connection connection, FrameWriter frames) {
        ByteBuf encoded = null;
        long size;
        try {
            if (tryAppend(next, connection)) {
                size = appendedBytes;
            } else {
                encoded = next.encode(encoder);
                size = encoded.readableBytes();
            }
        } catch (ParleyException e) {
            forget(next);
            next.fail(e);
            return;
        } catch (RuntimeException
                | Error e) { // such as OutOfMemoryError: the state of a stateful codec is undefined now
            forget(next);
            next.fail(ErrorCode.NOT_ENCODABLE.exception("message: encoding failed: " + e, e));
            carrier.abort(e);
            throw e;
        }
        credit -= EndpointContext.windowCost(size);
        writtenMessages++;
        writtenBytes += size;
        if (encoded == null) {
            return;
        }
        if (size <= carrier.fragmentBytes()) {
            connection.write(frames.message(handle, encoded), listener(next));
        } else {
            current = next;
            remaining = encoded;
            connection.write(frames.first(handle, size, encoded, carrier.fragmentBytes()), null);
        }
    }

    /** Forgets a message that cannot be encoded. If others depend on it, they are encoded and polled again. */
    private void forget(OutboundMessage next) {
        if (queue.encodesInOrder()) {
            queue.restore(polled, acknowledged);
        }
        queue.forget(next);
    }

    /** Appends a short message to the frames that wait for the flush, without a buffer of its own. */
    private boolean tryAppend(OutboundMessage next, Connection connection) {
        if (!(acknowledged || next.isShared()) || !next.isAppendable()) {
            return false;
        }
        appended = next;
        try {
            return connection.tryAppend(this);
        } finally {
            appended = null;
        }
    }

    @Override
    public boolean writeTo(ByteBuf out, int maxBytes) {
        OutboundMessage next = Objects.requireNonNull(appended);
        int start = out.writerIndex();
        FrameWriter.writeMessageHeader(handle, out);
        int encodedStart = out.writerIndex();
        boolean written = next.tryEncode(encoder, out, maxBytes - (encodedStart - start));
        appendedBytes = out.writerIndex() - encodedStart;
        return written;
    }

    private void writeMore(Connection connection, FrameWriter frames, ByteBuf from) {
        if (from.readableBytes() > carrier.fragmentBytes()) {
            connection.write(frames.more(handle, from, carrier.fragmentBytes()), null);
        } else {
            OutboundMessage completed = Objects.requireNonNull(current);
            current = null;
            remaining = null;
            ByteBuf last = frames.more(handle, from, from.readableBytes());
            from.release();
            connection.write(last, listener(completed));
        }
    }

    /** Returns the listener for the last frame of a message; {@code null} if it is acknowledged, or if its future is not awaited. */
    private @Nullable OutboundMessage listener(OutboundMessage message) {
        return acknowledged || message.isShared() ? null : message;
    }

    /** Releases the message that is being fragmented, if there is one. Fails it if it will not be sent again. */
    public void release(@Nullable Throwable cause) {
        ByteBuf unsent = remaining;
        OutboundMessage failed = current;
        remaining = null;
        current = null;
        if (unsent != null) {
            unsent.release();
        }
        if (failed != null && !acknowledged) {
            failed.fail(
                    cause instanceof ParleyException known
                            ? known
                            : ErrorCode.DISCONNECTED.exception(
                                    "connection lost while the message was being written", cause));
        }
    }
}

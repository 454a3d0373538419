package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one messenger on one link: its handle, its credit, and the message that is being fragmented. Confined to
 * the event loop of the link.
 */
final class OutboundChannel {

    private final Link link;
    private final PeerMessenger messenger;
    private final int handle;
    private final MessageEncoder encoder;
    private boolean opened;
    private boolean queued;
    private long credit;
    private @Nullable OutboundMessage current;
    private @Nullable ByteBuf remaining;

    OutboundChannel(Link link, PeerMessenger messenger, int handle, MessageEncoder encoder) {
        this.encoder = encoder;
        this.link = link;
        this.messenger = messenger;
        this.handle = handle;
    }

    PeerMessenger messenger() {
        return messenger;
    }

    int handle() {
        return handle;
    }

    boolean isOpened() {
        return opened;
    }

    void onOpened(long window) {
        opened = true;
        credit = window;
    }

    void addCredit(long bytes) {
        credit += bytes;
    }

    /** Returns whether the channel is in the queue of ready channels of the link. */
    boolean isQueued() {
        return queued;
    }

    void setQueued(boolean value) {
        queued = value;
    }

    /** Returns whether the first fragment of a message is written and the last one is not. */
    boolean isInMessage() {
        return remaining != null;
    }

    /** Returns whether {@link #writeNext} would write a frame. */
    boolean isReady() {
        return remaining != null || (opened && credit > 0 && messenger.hasQueued());
    }

    /** Writes one frame if there is one to write. */
    void writeNext(Connection connection, FrameWriter frames) {
        if (remaining != null) {
            writeMore(connection, frames, remaining);
            return;
        }
        OutboundMessage next = credit > 0 ? messenger.poll() : null;
        if (next != null) {
            try {
                writeFirst(next, connection, frames);
            } finally {
                messenger.notifyWritable();
            }
        }
    }

    private void writeFirst(OutboundMessage next, Connection connection, FrameWriter frames) {
        ByteBuf encoded;
        try {
            encoded = next.encode(encoder);
        } catch (ParleyException e) {
            next.fail(e);
            return;
        } catch (Error e) { // such as OutOfMemoryError: the state of a stateful codec is undefined now
            next.fail(ErrorCode.NOT_ENCODABLE.exception("message: encoding failed: " + e, e));
            link.abort(e);
            throw e;
        }
        long size = encoded.readableBytes();
        credit -= Link.windowCost(size);
        link.countSent(size);
        if (size <= EndpointContext.FRAGMENT_BYTES) {
            connection.write(frames.message(handle, encoded), next);
        } else {
            current = next;
            remaining = encoded;
            connection.write(frames.first(handle, size, encoded, EndpointContext.FRAGMENT_BYTES), null);
        }
    }

    private void writeMore(Connection connection, FrameWriter frames, ByteBuf from) {
        if (from.readableBytes() > EndpointContext.FRAGMENT_BYTES) {
            connection.write(frames.more(handle, from, EndpointContext.FRAGMENT_BYTES), null);
        } else {
            OutboundMessage completed = current;
            current = null;
            remaining = null;
            ByteBuf last = frames.more(handle, from, from.readableBytes());
            from.release();
            connection.write(last, completed);
        }
    }

    /** Fails the message that is being fragmented, if there is one. */
    void fail(@Nullable Throwable cause) {
        ByteBuf unsent = remaining;
        OutboundMessage failed = current;
        remaining = null;
        current = null;
        if (unsent != null) {
            unsent.release();
        }
        if (failed != null) {
            failed.fail(
                    cause instanceof ParleyException known
                            ? known
                            : ErrorCode.DISCONNECTED.exception(
                                    "connection lost while the message was being written", cause));
        }
    }
}

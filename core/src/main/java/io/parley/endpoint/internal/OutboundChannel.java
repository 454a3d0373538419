package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.Connection;
import org.jspecify.annotations.Nullable;

/** A messenger's share of one link: its handle, its credit, and the message that is being cut into pieces. */
final class OutboundChannel {

    /** The largest message that is sent in one frame, and the size of the pieces of larger ones. */
    static final int PIECE_BYTES = 128 * 1024;

    private final Link link;
    private final PeerMessenger messenger;
    private final int handle;
    private final MessageEncoder encoder;
    private boolean opened;
    private boolean queued;
    private long credit;
    private @Nullable OutboundMessage current;
    private @Nullable ByteBuf rest;

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

    void opened(long window) {
        opened = true;
        credit = window;
    }

    void addCredit(long bytes) {
        credit += bytes;
    }

    /** Whether it stands in the link's queue of channels that have something to write. */
    boolean isQueued() {
        return queued;
    }

    void setQueued(boolean value) {
        queued = value;
    }

    /** Whether a message has been begun and not finished. */
    boolean isInMessage() {
        return rest != null;
    }

    /** Whether {@link #writeNext} would write something. */
    boolean isReady() {
        return rest != null || (opened && credit > 0 && messenger.hasQueued());
    }

    /** Writes one frame, unless there is nothing to write. */
    void writeNext(Connection connection, FrameWriter frames) {
        if (rest != null) {
            writeMore(connection, frames, rest);
            return;
        }
        OutboundMessage next = credit > 0 ? messenger.poll() : null;
        if (next != null) {
            try {
                begin(next, connection, frames);
            } finally {
                messenger.tellRoom();
            }
        }
    }

    private void begin(OutboundMessage next, Connection connection, FrameWriter frames) {
        ByteBuf encoded;
        try {
            encoded = next.take(encoder);
        } catch (ParleyException e) {
            next.fail(e);
            return;
        } catch (Error e) { // such as no memory: a codec that remembers is in no certain state now
            next.fail(ErrorCode.NOT_ENCODABLE.exception("encoding the message failed: " + e, e));
            link.abort(e);
            throw e;
        }
        long size = encoded.readableBytes();
        credit -= Link.cost(size);
        link.countSent(size);
        if (size <= PIECE_BYTES) {
            connection.write(frames.message(handle, encoded), next);
        } else {
            current = next;
            rest = encoded;
            connection.write(frames.first(handle, size, encoded, PIECE_BYTES), null);
        }
    }

    private void writeMore(Connection connection, FrameWriter frames, ByteBuf from) {
        if (from.readableBytes() > PIECE_BYTES) {
            connection.write(frames.more(handle, from, PIECE_BYTES), null);
        } else {
            OutboundMessage done = current;
            current = null;
            rest = null;
            ByteBuf last = frames.more(handle, from, from.readableBytes());
            from.release();
            connection.write(last, done);
        }
    }

    /** Ends the message that has been begun, if there is one, because the rest of it can't be sent. */
    void abandon(@Nullable Throwable cause) {
        ByteBuf unsent = rest;
        OutboundMessage failed = current;
        rest = null;
        current = null;
        if (unsent != null) {
            unsent.release();
        }
        if (failed != null) {
            failed.fail(
                    cause instanceof ParleyException known
                            ? known
                            : ErrorCode.DISCONNECTED.exception(
                                    "the connection was lost while the message was being sent", cause));
        }
    }
}

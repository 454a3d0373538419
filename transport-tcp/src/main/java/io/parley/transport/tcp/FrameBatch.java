package io.parley.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.transport.Connection;
import io.parley.transport.Connection.FrameSource;
import io.parley.transport.Connection.WriteListener;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gathers small frames in one buffer, so that many of them cost one write, and TLS seals them in one record. Measured: 511 ->
 * 322 ns of processor time for a message of 64 B. A lone frame is not copied. Must be used on the event loop.
 */
final class FrameBatch {

    /** The largest frame that is worth a copy, in bytes with its length field. */
    static final int MAX_FRAME_BYTES = 4096;

    /** The size of the buffer: two TLS records. */
    private static final int BYTES = 32 * 1024;

    private final ByteBufAllocator allocator;
    private @Nullable ByteBuf frames;
    private boolean lone;
    private List<WriteListener> listeners = new ArrayList<>();

    FrameBatch(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    boolean isEmpty() {
        return frames == null;
    }

    /** Returns whether there is room for a frame of {@link #MAX_FRAME_BYTES}. */
    boolean hasRoom() {
        ByteBuf gathered = frames;
        return gathered == null || lone || gathered.writableBytes() >= MAX_FRAME_BYTES;
    }

    /**
     * Adds a frame that begins with its length field. Takes ownership of it. There must be room.
     *
     * @param done notified with the result of the batch; may be null
     */
    void add(ByteBuf frame, @Nullable WriteListener done) {
        if (done != null) {
            listeners.add(done);
        }
        ByteBuf gathered = frames;
        if (gathered == null) {
            frames = frame;
            lone = true;
            return;
        }
        append(gather(gathered), frame);
    }

    /** Returns a buffer with room for more frames, which begins with the gathered ones. */
    private ByteBuf gather(ByteBuf gathered) {
        if (!lone) {
            return gathered;
        }
        ByteBuf buffer = allocator.ioBuffer(BYTES);
        append(buffer, gathered);
        frames = buffer;
        lone = false;
        return buffer;
    }

    /**
     * Lets the source write a frame behind the gathered ones. Returns false if there are none, or one that is better moved in
     * front of the next ({@link #moveInFrontOf}), or no room, or if the source declines.
     */
    boolean tryAppend(FrameSource source) {
        ByteBuf present = frames;
        if (present == null || !hasRoom() || (lone && present.readableBytes() <= Connection.HEADROOM)) {
            return false;
        }
        ByteBuf gathered = gather(present);
        int start = gathered.writerIndex();
        boolean written = false;
        try {
            gathered.writerIndex(start + FrameDecoder.LENGTH_BYTES);
            written = source.writeTo(gathered, MAX_FRAME_BYTES - FrameDecoder.LENGTH_BYTES);
        } finally {
            if (written) {
                gathered.setInt(start, gathered.writerIndex() - start - FrameDecoder.LENGTH_BYTES);
            } else {
                gathered.writerIndex(start);
            }
        }
        return written;
    }

    /**
     * Moves the only gathered frame into the free space in front of another frame, if it fits there. An acknowledgement and a
     * response become one buffer so, without a copy of the response. The frame begins with its length field, and the bytes
     * before its reader index are overwritten.
     */
    void moveInFrontOf(ByteBuf frame) {
        ByteBuf first = frames;
        if (first == null || !lone || !listeners.isEmpty() || first.readableBytes() > frame.readerIndex()) {
            return;
        }
        int start = frame.readerIndex() - first.readableBytes();
        frame.setBytes(start, first, first.readerIndex(), first.readableBytes());
        frame.readerIndex(start);
        first.release();
        frames = null;
    }

    private static void append(ByteBuf gathered, ByteBuf frame) {
        gathered.writeBytes(frame);
        frame.release();
    }

    /** Removes and returns the gathered frames, or null if there are none. The caller must release them. */
    @Nullable
    ByteBuf removeFrames() {
        ByteBuf gathered = frames;
        frames = null;
        return gathered;
    }

    /** Removes and returns the listener for the result of the gathered frames, or null if there is none. */
    @Nullable
    WriteListener removeListener() {
        if (listeners.isEmpty()) {
            return null;
        }
        List<WriteListener> notified = listeners;
        listeners = new ArrayList<>();
        return notified.size() == 1
                ? notified.get(0)
                : failure -> notified.forEach(listener -> listener.onWritten(failure));
    }
}

package io.parley.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the fields of one message in order. Headers and small payloads are copied into one direct buffer of the exact
 * size. Large payloads in direct memory are put between slices of that buffer, and in a message above
 * {@link #ONE_BUFFER_BYTES} so are all large ones: arrays as they are, files and what is lent in chunks read now.
 */
final class WireOutput {
    /** Up to here a copy is cheaper than a composite, and one buffer makes one write. */
    static final int ONE_BUFFER_BYTES = 128 * 1024;
    /** In larger messages, payloads below this are still copied: a component of its own costs about as much. */
    static final int MIN_WRAPPED_BYTES = 8 * 1024;
    /** What the usual allocators still take from their chunks. */
    private static final int FILE_CHUNK_BYTES = 1 << 20;

    private final ByteBufAllocator allocator;
    private final ByteBuf copied;
    private final @Nullable CompositeByteBuf whole;
    /** Whether large payloads are wrapped that have to be copied all the same before the network takes them. */
    private final boolean wrapsAll;

    private final int headroom;
    /** Up to where what was copied has its place in the composite, which begins with the headroom. */
    private int slicedBytes;

    /**
     * Allocates for a message of that encoded size, with room in front of it; what was allocated is given out by {@link #finish} or goes back
     * with {@link #release}.
     */
    WireOutput(Message message, int size, int headroom, ByteBufAllocator allocator) {
        this.allocator = allocator;
        wrapsAll = size > ONE_BUFFER_BYTES;
        long wrappedBytes = size < MIN_WRAPPED_BYTES ? 0 : wrappedBytes(message);
        int copiedBytes = (int) (size - wrappedBytes);
        copied = allocator
                .directBuffer(headroom + copiedBytes, headroom + copiedBytes)
                .setIndex(headroom, headroom);
        this.headroom = headroom;
        // Without a bound on components: consolidating them is what we do not want.
        whole = wrappedBytes == 0 ? null : allocator.compositeDirectBuffer(Integer.MAX_VALUE);
    }

    private long wrappedBytes(Message message) {
        List<MessageElement> elements = message.elements();
        long bytes = 0;
        for (int i = 0; i < elements.size(); i++) {
            MessageElement element = elements.get(i);
            bytes += wrappedBytes(element.payload());
            MessageElement signature = element.signature().orElse(null);
            bytes += signature == null ? 0 : wrappedBytes(signature.payload());
        }
        return bytes;
    }

    private long wrappedBytes(Payload payload) {
        boolean wrapped = payload.size() >= MIN_WRAPPED_BYTES && (wrapsAll || isDirect(payload));
        return wrapped ? payload.size() : 0;
    }

    private static boolean isDirect(Payload payload) {
        return payload.hasBuffer() && !payload.hasArray();
    }

    void u8(int value) {
        copied.writeByte(value);
    }

    void u16(int value) {
        copied.writeShort(value);
    }

    void u32(int value) {
        copied.writeInt(value);
    }

    /** A u16 byte count and the string in UTF-8; the plan has checked that it can be said so. */
    void string(String string) {
        int bytes = Utf8.length(string);
        copied.writeShort(bytes);
        if (bytes == string.length()) {
            copied.writeCharSequence(string, StandardCharsets.US_ASCII);
        } else {
            ByteBufUtil.reserveAndWriteUtf8(copied, string, bytes);
        }
    }

    /** A field that was encoded beforehand. */
    void bytes(byte[] bytes) {
        copied.writeBytes(bytes);
    }

    void payload(Payload payload) {
        int size = (int) payload.size();
        if (whole != null && wrappedBytes(payload) != 0) {
            appendCopied(whole);
            if (payload.hasArray()) {
                whole.addComponent(true, Unpooled.wrappedBuffer(payload.array(), payload.arrayOffset(), size));
            } else if (payload.hasBuffer()) {
                whole.addComponent(true, Unpooled.wrappedBuffer(payload.asByteBuffer()));
            } else {
                appendChunks(whole, payload);
            }
        } else if (payload.hasArray()) {
            copied.writeBytes(payload.array(), payload.arrayOffset(), size);
        } else {
            read(payload, 0, copied, size);
        }
    }

    /** Moves what was copied since the last large payload into the composite. */
    private void appendCopied(CompositeByteBuf composite) {
        int length = copied.writerIndex() - slicedBytes;
        if (length > 0) {
            composite.addComponent(true, copied.retainedSlice(slicedBytes, length));
            slicedBytes += length;
        }
    }

    private void appendChunks(CompositeByteBuf composite, Payload payload) {
        for (long done = 0; done < payload.size(); ) {
            int length = (int) Math.min(FILE_CHUNK_BYTES, payload.size() - done);
            ByteBuf chunk = allocator.directBuffer(length, length);
            try {
                read(payload, done, chunk, length);
            } catch (RuntimeException | Error e) {
                chunk.release();
                throw e;
            }
            composite.addComponent(true, chunk);
            done += length;
        }
    }

    private static void read(Payload payload, long position, ByteBuf target, int length) {
        int start = target.writerIndex();
        ByteBuffer bytes = target.nioBuffer(start, length);
        payload.readInto(bytes, position);
        target.writerIndex(start + length);
    }

    /** The encoded message; caller releases. */
    ByteBuf finish() {
        if (whole == null) {
            return copied;
        }
        appendCopied(whole);
        copied.release(); // the slices keep it
        return whole.readerIndex(headroom);
    }

    /** Gives everything back after a failure. */
    void release() {
        if (whole != null) {
            whole.release();
        }
        copied.release();
    }
}

package io.parley.codec.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
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
 * Writes the fields of one message in order. Headers and small payloads are copied into one direct buffer of the exact
 * size. Large payloads in direct memory are inserted between slices of that buffer. In messages larger than
 * {@link #ONE_BUFFER_BYTES} all large payloads are inserted: arrays without a copy, files and borrowed payloads as chunks
 * that are read immediately.
 */
final class WireOutput {
    /** Up to this size a copy is cheaper than a composite buffer, and one buffer needs one write. */
    static final int ONE_BUFFER_BYTES = 128 * 1024;
    /** In larger messages, payloads below this size are still copied: a component costs about the same as the copy. */
    static final int MIN_WRAPPED_BYTES = 8 * 1024;
    /** A size that common allocators still serve from their chunks. */
    private static final int FILE_CHUNK_BYTES = 1 << 20;

    private final ByteBuf copied;

    /** The memory of {@code copied} from its writer index on: a field costs less here, where it is not checked who owns the buffer. */
    private final ByteBuffer fields;

    private final @Nullable CompositeByteBuf whole;
    /** Whether large payloads in heap memory are wrapped too, although they are copied again before the network write. */
    private final boolean wrapsAll;

    /** The index in {@code copied} of the first field, and its position in {@code fields}. */
    private final int start;

    private final int firstField;

    /** The index in {@code copied} up to which the bytes are in the composite, which begins with the headroom. */
    private int slicedBytes;

    /**
     * Allocates the buffers for a message of an encoded size, with headroom. {@link #finish} returns them and {@link
     * #release} releases them.
     */
    WireOutput(Message message, int size, int headroom, ByteBufAllocator allocator) {
        wrapsAll = size > ONE_BUFFER_BYTES;
        long wrappedBytes = size < MIN_WRAPPED_BYTES ? 0 : wrappedBytes(message);
        int copiedBytes = (int) (size - wrappedBytes);
        copied = allocator
                .directBuffer(headroom + copiedBytes, headroom + copiedBytes)
                .setIndex(headroom, headroom);
        start = headroom;
        fields = copied.internalNioBuffer(headroom, copiedBytes);
        firstField = fields.position();
        // No maximum number of components, because consolidation would copy them.
        whole = wrappedBytes == 0 ? null : allocator.compositeDirectBuffer(Integer.MAX_VALUE);
    }

    /** Writes to a contiguous buffer of the caller, which has room for a message of this encoded size. Copies all payloads. */
    WireOutput(ByteBuf out, int size) {
        wrapsAll = false;
        copied = out;
        start = out.writerIndex();
        fields = out.internalNioBuffer(start, size);
        firstField = fields.position();
        whole = null;
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
        fields.put((byte) value);
    }

    void u16(int value) {
        fields.putShort((short) value);
    }

    void u32(int value) {
        fields.putInt(value);
    }

    /** Writes a {@link #string} that is the name or type of an element, of which few are in use. */
    void name(String name) {
        byte[] known = FrequentNames.SHARED.encoded(name);
        if (known == null) {
            string(name);
        } else {
            field(known);
        }
    }

    /** Writes a u16 byte count and the string in UTF-8. The layout has checked that the string is encodable. */
    void string(String string) {
        int chars = string.length();
        int content = fields.position() + Short.BYTES;
        for (int i = 0; i < chars; i++) {
            char c = string.charAt(i);
            if (c >= 0x80) {
                field(string.getBytes(StandardCharsets.UTF_8));
                return;
            }
            fields.put(content + i, (byte) c);
        }
        fields.putShort((short) chars).position(content + chars);
    }

    private void field(byte[] encoded) {
        fields.putShort((short) encoded.length).put(encoded);
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
            fields.put(payload.array(), payload.arrayOffset(), size);
        } else {
            int limit = fields.limit();
            payload.readInto(fields.limit(fields.position() + size), 0);
            fields.limit(limit);
        }
    }

    /** Adds the bytes copied since the last large payload to the composite. */
    private void appendCopied(CompositeByteBuf composite) {
        int length = start + fields.position() - firstField - slicedBytes;
        if (length > 0) {
            composite.addComponent(true, copied.retainedSlice(slicedBytes, length));
            slicedBytes += length;
        }
    }

    private void appendChunks(CompositeByteBuf composite, Payload payload) {
        for (long done = 0; done < payload.size(); ) {
            int length = (int) Math.min(FILE_CHUNK_BYTES, payload.size() - done);
            ByteBuf chunk = copied.alloc().directBuffer(length, length);
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

    /** Returns the encoded message, or the buffer of the caller with the message. The caller must release the result. */
    ByteBuf finish() {
        if (whole == null) {
            return copied.writerIndex(start + fields.position() - firstField);
        }
        appendCopied(whole);
        copied.release(); // the slices retain it
        return whole.readerIndex(start);
    }

    /** Releases all buffers after a failure. */
    void release() {
        if (whole != null) {
            whole.release();
        }
        copied.release();
    }
}

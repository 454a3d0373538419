package io.parley.codec.xml.fastinfoset;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Collects the octets of one message at a time. The structure is written to an array that is reused, and references to
 * the payloads are recorded until the exact size is known. Then all bytes are copied to one direct buffer. In a message
 * above {@link #ONE_BUFFER_BYTES}, large payloads are placed between slices of that buffer instead: arrays without a
 * copy, files in chunks that are read at that time. Not thread-safe.
 */
final class FastInfosetOutput {
    /** Up to this size a copy is cheaper than a composite buffer, and one buffer needs one write. */
    static final int ONE_BUFFER_BYTES = 128 * 1024;
    /** In larger messages, payloads below this size are copied, because a component has about the same cost. */
    private static final int MIN_WRAPPED_BYTES = 8 * 1024;
    /** A size that common allocators still serve from their chunks. */
    private static final int FILE_CHUNK_BYTES = 1 << 20;

    private static final int FIRST_BYTES = 512;
    private static final int FIRST_PAYLOADS = 16;
    /** The maximum sizes of the arrays that are retained between messages. A large message uses larger arrays. */
    static final int MAX_RETAINED_BYTES = 4096;

    static final int MAX_RETAINED_PAYLOADS = 256;

    /** The ends of the last element, the root and the document, which are the last octets of most messages. */
    private static final byte[] THREE_ENDS = {(byte) FastInfosetFormat.END_TWICE, (byte) FastInfosetFormat.END};

    private byte[] octets = new byte[FIRST_BYTES];
    private int count;
    /** Whether the last octet contains one end and has room for another. */
    private boolean halfEnd;

    private Payload[] payloads = new Payload[FIRST_PAYLOADS];
    /** For each payload the length of the structure before it. */
    private int[] offsets = new int[FIRST_PAYLOADS];

    private int payloadCount;
    private long payloadBytes;

    /** Returns the current size of the message in bytes. */
    long size() {
        return count + payloadBytes;
    }

    void u8(int value) {
        reserve(1);
        octets[count++] = (byte) value;
        halfEnd = false;
    }

    /** Writes two octets, high octet first. */
    void u16(int value) {
        reserve(2);
        octets[count] = (byte) (value >> 8);
        octets[count + 1] = (byte) value;
        count += 2;
        halfEnd = false;
    }

    void u32(int value) {
        u16(value >> 16);
        u16(value);
    }

    void bytes(byte[] bytes) {
        reserve(bytes.length);
        System.arraycopy(bytes, 0, octets, count, bytes.length);
        count += bytes.length;
        halfEnd = false;
    }

    /** Writes the end of an item. Two consecutive ends share an octet. */
    void end() {
        if (halfEnd) {
            octets[count - 1] = (byte) FastInfosetFormat.END_TWICE;
            halfEnd = false;
        } else {
            u8(FastInfosetFormat.END);
            halfEnd = true;
        }
    }

    /** C.22: writes a name of the message format. All of them have at most 64 bytes. */
    void name(byte[] utf8) {
        u8(utf8.length - 1);
        bytes(utf8);
    }

    /** C.14: writes an attribute value that is not empty. */
    void attributeValue(byte[] utf8, boolean add) {
        int flags = add ? FastInfosetFormat.VALUE_ADD : 0;
        int length = utf8.length;
        if (length <= 8) {
            u8(flags | length - 1);
        } else if (length <= 264) {
            u16((flags | 0x08) << 8 | length - 9);
        } else {
            u8(flags | 0x0C);
            u32(length - 265);
        }
        bytes(utf8);
    }

    /** C.26: writes an index of the table of attribute values. The bounds of the format need no longer form. */
    void attributeValueIndex(int index) {
        if (index < 64) {
            u8(FastInfosetFormat.VALUE_INDEX | index);
        } else {
            u16((FastInfosetFormat.VALUE_INDEX | 0x40) << 8 | index - 64);
        }
    }

    /** C.15: writes a payload that is not empty, as characters or as octets with the base64 algorithm. */
    void chunk(Payload payload, boolean base64, boolean add) {
        int first = FastInfosetFormat.CHUNK_LITERAL | (add ? FastInfosetFormat.CHUNK_ADD : 0);
        if (base64) {
            u8(first | FastInfosetFormat.CHUNK_ALGORITHM);
            first = FastInfosetFormat.BASE64 << 2;
        }
        int length = (int) payload.size();
        if (length <= 2) {
            u8(first | length - 1);
        } else if (length <= 258) {
            u16((first | 2) << 8 | length - 3);
        } else {
            u8(first | 3);
            u32(length - 259);
        }
        addPayload(payload);
    }

    /** C.28: writes an index of the table of chunks. The bounds of the format need no longer form. */
    void chunkIndex(int index) {
        if (index < 16) {
            u8(FastInfosetFormat.CHUNK_INDEX | index);
        } else {
            u16((FastInfosetFormat.CHUNK_INDEX | 0x10) << 8 | index - 16);
        }
    }

    private void addPayload(Payload payload) {
        if (payloadCount == payloads.length) {
            payloads = Arrays.copyOf(payloads, 2 * payloadCount);
            offsets = Arrays.copyOf(offsets, 2 * payloadCount);
        }
        payloads[payloadCount] = payload;
        offsets[payloadCount++] = count;
        payloadBytes += payload.size();
    }

    private void reserve(int length) {
        if (length > octets.length - count) {
            octets = Arrays.copyOf(octets, Math.max(2 * octets.length, count + length));
        }
    }

    /**
     * Returns the message. The caller must have checked its size and must release the result. Fails if a file payload
     * cannot be read, and then releases all buffers.
     */
    ByteBuf finish(int headroom, ByteBufAllocator allocator) {
        long size = size();
        long wrappedBytes = size <= ONE_BUFFER_BYTES ? 0 : wrappedBytes();
        int capacity = headroom + (int) (size - wrappedBytes);
        ByteBuf copied = allocator.directBuffer(capacity, capacity).setIndex(headroom, headroom);
        if (wrappedBytes == 0) {
            try {
                return copyAll(copied);
            } catch (RuntimeException | Error e) {
                copied.release();
                throw e;
            }
        }
        // No limit on components, because beyond it the buffer would copy them into one.
        CompositeByteBuf whole = allocator.compositeDirectBuffer(Integer.MAX_VALUE);
        try {
            compose(copied, whole, allocator);
        } catch (RuntimeException | Error e) {
            whole.release();
            throw e;
        } finally {
            copied.release(); // its slices retain it
        }
        return whole;
    }

    private long wrappedBytes() {
        long bytes = 0;
        for (int i = 0; i < payloadCount; i++) {
            bytes += isWrapped(payloads[i]) ? payloads[i].size() : 0;
        }
        return bytes;
    }

    private static boolean isWrapped(Payload payload) {
        return payload.size() >= MIN_WRAPPED_BYTES;
    }

    private ByteBuf copyAll(ByteBuf target) {
        int done = 0;
        for (int i = 0; i < payloadCount; i++) {
            target.writeBytes(octets, done, offsets[i] - done);
            done = offsets[i];
            copy(payloads[i], target);
        }
        return target.writeBytes(octets, done, count - done);
    }

    private void compose(ByteBuf copied, CompositeByteBuf whole, ByteBufAllocator allocator) {
        int sliced = copied.readerIndex();
        int done = 0;
        for (int i = 0; i < payloadCount; i++) {
            copied.writeBytes(octets, done, offsets[i] - done);
            done = offsets[i];
            if (isWrapped(payloads[i])) {
                sliced = appendCopied(copied, sliced, whole);
                appendWrapped(payloads[i], whole, allocator);
            } else {
                copy(payloads[i], copied);
            }
        }
        if (sliced == copied.writerIndex() && isThreeEnds(done)) {
            // Cheaper than a slice, which is reference counted.
            whole.addComponent(true, Unpooled.wrappedBuffer(THREE_ENDS));
        } else {
            copied.writeBytes(octets, done, count - done);
            appendCopied(copied, sliced, whole);
        }
    }

    private boolean isThreeEnds(int from) {
        return Arrays.equals(octets, from, count, THREE_ENDS, 0, THREE_ENDS.length);
    }

    /** Adds the bytes that were copied since the last large payload to the composite buffer. */
    private static int appendCopied(ByteBuf copied, int sliced, CompositeByteBuf whole) {
        int length = copied.writerIndex() - sliced;
        if (length > 0) {
            whole.addComponent(true, copied.retainedSlice(sliced, length));
        }
        return sliced + length;
    }

    private static void appendWrapped(Payload payload, CompositeByteBuf whole, ByteBufAllocator allocator) {
        if (payload.hasArray()) {
            whole.addComponent(
                    true, Unpooled.wrappedBuffer(payload.array(), payload.arrayOffset(), (int) payload.size()));
            return;
        }
        for (long done = 0; done < payload.size(); ) {
            int length = (int) Math.min(FILE_CHUNK_BYTES, payload.size() - done);
            ByteBuf chunk = allocator.directBuffer(length, length);
            try {
                read(payload, done, chunk, length);
            } catch (RuntimeException | Error e) {
                chunk.release();
                throw e;
            }
            whole.addComponent(true, chunk);
            done += length;
        }
    }

    private static void copy(Payload payload, ByteBuf target) {
        int size = (int) payload.size();
        if (payload.hasArray()) {
            target.writeBytes(payload.array(), payload.arrayOffset(), size);
        } else {
            read(payload, 0, target, size);
        }
    }

    private static void read(Payload payload, long position, ByteBuf target, int length) {
        int start = target.writerIndex();
        ByteBuffer bytes = target.nioBuffer(start, length);
        payload.readInto(bytes, position);
        target.writerIndex(start + length);
    }

    /** Discards the message. */
    void clear() {
        Arrays.fill(payloads, 0, payloadCount, null);
        if (octets.length > MAX_RETAINED_BYTES) {
            octets = new byte[FIRST_BYTES];
        }
        if (payloads.length > MAX_RETAINED_PAYLOADS) {
            payloads = new Payload[FIRST_PAYLOADS];
            offsets = new int[FIRST_PAYLOADS];
        }
        count = 0;
        halfEnd = false;
        payloadCount = 0;
        payloadBytes = 0;
    }
}

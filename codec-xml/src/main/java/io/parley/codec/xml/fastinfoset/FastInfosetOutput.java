package io.parley.codec.xml.fastinfoset;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Takes the octets of one message after the other. The structure is put together in an array that is used again, and
 * payloads are only noted, until the exact size is known: then all goes into one direct buffer, or, in a message above
 * {@link #ONE_BUFFER_BYTES}, large payloads go between slices of that buffer, arrays as they are and files in chunks read
 * now.
 */
final class FastInfosetOutput {
    /** Up to here a copy is cheaper than a composite, and one buffer makes one write. */
    static final int ONE_BUFFER_BYTES = 128 * 1024;
    /** In larger messages, payloads below this are still copied: a component of its own costs about as much. */
    private static final int MIN_WRAPPED_BYTES = 8 * 1024;
    /** What the usual allocators still take from their chunks. */
    private static final int FILE_CHUNK_BYTES = 1 << 20;

    private static final int FIRST_BYTES = 512;
    private static final int FIRST_PAYLOADS = 16;
    /** What is kept from message to message; a large message takes more for itself. */
    static final int MAX_KEPT_BYTES = 4096;

    static final int MAX_KEPT_PAYLOADS = 256;

    /** How most messages end: the last element, the root, the document. */
    private static final byte[] THREE_ENDS = {(byte) FastInfosetFormat.END_TWICE, (byte) FastInfosetFormat.END};

    private byte[] octets = new byte[FIRST_BYTES];
    private int count;
    /** The last octet holds one end, and has room for another. */
    private boolean halfEnd;

    private Payload[] payloads = new Payload[FIRST_PAYLOADS];
    /** How much of the structure comes before each payload. */
    private int[] places = new int[FIRST_PAYLOADS];

    private int payloadCount;
    private long payloadBytes;

    /** How long the message is so far. */
    long size() {
        return count + payloadBytes;
    }

    void u8(int value) {
        reserve(1);
        octets[count++] = (byte) value;
        halfEnd = false;
    }

    /** Two octets at once. */
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

    /** The end of something; two ends in a row share an octet. */
    void end() {
        if (halfEnd) {
            octets[count - 1] = (byte) FastInfosetFormat.END_TWICE;
            halfEnd = false;
        } else {
            u8(FastInfosetFormat.END);
            halfEnd = true;
        }
    }

    /** C.22: a name of this format's, none of which has more than 64 bytes. */
    void name(byte[] utf8) {
        u8(utf8.length - 1);
        bytes(utf8);
    }

    /** C.14: a string of an attribute's value, which is not empty. */
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

    /** C.26: an entry of the table of attribute values; the bounds of the format need no longer form. */
    void attributeValueIndex(int index) {
        if (index < 64) {
            u8(FastInfosetFormat.VALUE_INDEX | index);
        } else {
            u16((FastInfosetFormat.VALUE_INDEX | 0x40) << 8 | index - 64);
        }
    }

    /** C.15: a payload that is not empty, as characters or as octets in the base64 algorithm. */
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
        note(payload);
    }

    /** C.28: an entry of the table of chunks; the bounds of the format need no longer form. */
    void chunkIndex(int index) {
        if (index < 16) {
            u8(FastInfosetFormat.CHUNK_INDEX | index);
        } else {
            u16((FastInfosetFormat.CHUNK_INDEX | 0x10) << 8 | index - 16);
        }
    }

    private void note(Payload payload) {
        if (payloadCount == payloads.length) {
            payloads = Arrays.copyOf(payloads, 2 * payloadCount);
            places = Arrays.copyOf(places, 2 * payloadCount);
        }
        payloads[payloadCount] = payload;
        places[payloadCount++] = count;
        payloadBytes += payload.size();
    }

    private void reserve(int length) {
        if (length > octets.length - count) {
            octets = Arrays.copyOf(octets, Math.max(2 * octets.length, count + length));
        }
    }

    /**
     * The message, whose size was checked; caller releases. Fails with what a file payload fails with, and has then
     * released everything.
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
        // Without a bound on components: consolidating them is what we do not want.
        CompositeByteBuf whole = allocator.compositeDirectBuffer(Integer.MAX_VALUE);
        try {
            compose(copied, whole, allocator);
        } catch (RuntimeException | Error e) {
            whole.release();
            throw e;
        } finally {
            copied.release(); // its slices keep it
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
            target.writeBytes(octets, done, places[i] - done);
            done = places[i];
            copy(payloads[i], target);
        }
        return target.writeBytes(octets, done, count - done);
    }

    private void compose(ByteBuf copied, CompositeByteBuf whole, ByteBufAllocator allocator) {
        int sliced = copied.readerIndex();
        int done = 0;
        for (int i = 0; i < payloadCount; i++) {
            copied.writeBytes(octets, done, places[i] - done);
            done = places[i];
            if (isWrapped(payloads[i])) {
                sliced = appendCopied(copied, sliced, whole);
                appendWrapped(payloads[i], whole, allocator);
            } else {
                copy(payloads[i], copied);
            }
        }
        if (sliced == copied.writerIndex() && isThreeEnds(done)) {
            whole.addComponent(
                    true, Unpooled.wrappedBuffer(THREE_ENDS)); // cheaper than a slice, which has to be counted
        } else {
            copied.writeBytes(octets, done, count - done);
            appendCopied(copied, sliced, whole);
        }
    }

    private boolean isThreeEnds(int from) {
        return Arrays.equals(octets, from, count, THREE_ENDS, 0, THREE_ENDS.length);
    }

    /** Moves what was copied since the last large payload into the composite. */
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

    /** Forgets the message, for the next one. */
    void clear() {
        Arrays.fill(payloads, 0, payloadCount, null);
        if (octets.length > MAX_KEPT_BYTES) {
            octets = new byte[FIRST_BYTES];
        }
        if (payloads.length > MAX_KEPT_PAYLOADS) {
            payloads = new Payload[FIRST_PAYLOADS];
            places = new int[FIRST_PAYLOADS];
        }
        count = 0;
        halfEnd = false;
        payloadCount = 0;
        payloadBytes = 0;
    }
}

package io.parley.transport.udp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.parley.id.PeerId;
import org.jspecify.annotations.Nullable;

/**
 * One datagram: a fragment of a signed message with its index. Every fragment except the last is full, so the index
 * determines its offset, and a forger must send all the bytes that a receiver holds.
 *
 * <pre>
 *   0    4  magic "PRLU"
 *   4    1  version, 1
 *   5    1  index of this fragment, from 0
 *   6    1  number of fragments, 1 to 64
 *   7    1  0
 *   8   32  peer id of the sender
 *  40    8  number of the message, random
 *  48    n  the fragment: 1,184 bytes, the last one 1 to 1,184
 * </pre>
 */
final class Datagram {

    static final int MAGIC = 0x50524c55;
    static final int VERSION = 1;
    static final int HEADER_BYTES = 48;

    /** The largest UDP payload that no link fragments: the minimum MTU of IPv6 without the headers of IPv6 and UDP. */
    static final int MAX_BYTES = 1280 - 40 - 8;

    static final int FRAGMENT_BYTES = MAX_BYTES - HEADER_BYTES;
    static final int MAX_FRAGMENTS = 64;
    static final int MAX_MESSAGE_BYTES = MAX_FRAGMENTS * FRAGMENT_BYTES;

    private static final int VERSION_OFFSET = 4;
    private static final int SENDER_OFFSET = 8;

    private final MessageKey key;
    private final int index;
    private final int count;
    private final byte[] fragment;

    private Datagram(MessageKey key, int index, int count, byte[] fragment) {
        this.key = key;
        this.index = index;
        this.count = count;
        this.fragment = fragment;
    }

    static int fragments(int messageBytes) {
        return (messageBytes + FRAGMENT_BYTES - 1) / FRAGMENT_BYTES;
    }

    /** Writes fragment {@code index} of a message. */
    static void write(ByteBuf out, MessageKey key, int index, byte[] message) {
        int from = index * FRAGMENT_BYTES;
        out.writeInt(MAGIC)
                .writeByte(VERSION)
                .writeByte(index)
                .writeByte(fragments(message.length))
                .writeByte(0)
                .writeBytes(key.sender().toByteArray())
                .writeLong(key.number())
                .writeBytes(message, from, Math.min(FRAGMENT_BYTES, message.length - from));
    }

    /**
     * Checks a datagram; returns null if {@link #read} can read it, else the reason. {@code in} is borrowed for this call,
     * which does not move its indices.
     */
    static @Nullable DropReason check(ByteBuf in) {
        int at = in.readerIndex();
        int bytes = in.readableBytes();
        if (bytes <= VERSION_OFFSET || in.getInt(at) != MAGIC) {
            return DropReason.MALFORMED;
        }
        if (in.getByte(at + VERSION_OFFSET) != VERSION) {
            return DropReason.UNSUPPORTED_VERSION;
        }
        if (bytes <= HEADER_BYTES || bytes > MAX_BYTES || in.getByte(at + 7) != 0) {
            return DropReason.MALFORMED;
        }
        int index = in.getUnsignedByte(at + 5);
        int count = in.getUnsignedByte(at + 6);
        boolean inRange = count >= 1 && count <= MAX_FRAGMENTS && index < count;
        boolean isLast = index == count - 1;
        return inRange && (isLast || bytes == MAX_BYTES) ? null : DropReason.MALFORMED;
    }

    /** Returns the sender of a checked datagram. {@code in} is borrowed for this call. */
    static PeerId sender(ByteBuf in) {
        return PeerId.ofBytes(ByteBufUtil.getBytes(in, in.readerIndex() + SENDER_OFFSET, PeerId.BYTES));
    }

    /** Reads a checked datagram. {@code in} is borrowed for this call. */
    static Datagram read(ByteBuf in) {
        int at = in.readerIndex();
        long number = in.getLong(at + SENDER_OFFSET + PeerId.BYTES);
        return new Datagram(
                new MessageKey(sender(in), number),
                in.getUnsignedByte(at + 5),
                in.getUnsignedByte(at + 6),
                ByteBufUtil.getBytes(in, at + HEADER_BYTES, in.readableBytes() - HEADER_BYTES));
    }

    MessageKey key() {
        return key;
    }

    int index() {
        return index;
    }

    int count() {
        return count;
    }

    /** Returns the fragment, without copying it; the caller owns the array. */
    byte[] fragment() {
        return fragment;
    }
}

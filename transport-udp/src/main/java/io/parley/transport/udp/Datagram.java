package io.parley.transport.udp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.parley.id.PeerId;
import org.jspecify.annotations.Nullable;

/**
 * One datagram: a piece of a signed message, and which one. Every piece but the last is full, so a piece knows its place,
 * and all that a forger can make the receiver hold has to be sent first.
 *
 * <pre>
 *   0    4  magic "PRLU"
 *   4    1  version, 1
 *   5    1  number of this piece, from 0
 *   6    1  count of pieces, 1 to 64
 *   7    1  0
 *   8   32  peer id of the sender
 *  40    8  number of the message, at random
 *  48    n  the piece: 1,184 bytes, the last one 1 to 1,184
 * </pre>
 */
final class Datagram {

    static final int MAGIC = 0x50524c55;
    static final int VERSION = 1;
    static final int HEADER_BYTES = 48;

    /** What goes through every link unfragmented: IPv6's least MTU without the headers of IPv6 and UDP. */
    static final int MAX_BYTES = 1280 - 40 - 8;

    static final int PIECE_BYTES = MAX_BYTES - HEADER_BYTES;
    static final int MAX_PIECES = 64;
    static final int MAX_MESSAGE_BYTES = MAX_PIECES * PIECE_BYTES;

    private static final int VERSION_OFFSET = 4;
    private static final int SENDER_OFFSET = 8;

    private final MessageKey key;
    private final int index;
    private final int count;
    private final byte[] piece;

    private Datagram(MessageKey key, int index, int count, byte[] piece) {
        this.key = key;
        this.index = index;
        this.count = count;
        this.piece = piece;
    }

    static int pieces(int messageBytes) {
        return (messageBytes + PIECE_BYTES - 1) / PIECE_BYTES;
    }

    /** Writes piece {@code index} of a message. */
    static void write(ByteBuf out, MessageKey key, int index, byte[] message) {
        int from = index * PIECE_BYTES;
        out.writeInt(MAGIC)
                .writeByte(VERSION)
                .writeByte(index)
                .writeByte(pieces(message.length))
                .writeByte(0)
                .writeBytes(key.sender().toByteArray())
                .writeLong(key.number())
                .writeBytes(message, from, Math.min(PIECE_BYTES, message.length - from));
    }

    /** Why it can't be read, or null when {@link #read} can. Borrowed for this call, which does not move its indices. */
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
        boolean inRange = count >= 1 && count <= MAX_PIECES && index < count;
        boolean isLast = index == count - 1;
        return inRange && (isLast || bytes == MAX_BYTES) ? null : DropReason.MALFORMED;
    }

    /** The sender of a datagram that has been checked. Borrowed for this call. */
    static PeerId sender(ByteBuf in) {
        return PeerId.ofBytes(ByteBufUtil.getBytes(in, in.readerIndex() + SENDER_OFFSET, PeerId.BYTES));
    }

    /** Reads a datagram that has been checked. Borrowed for this call. */
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

    /** The array itself, which is nobody else's. */
    byte[] piece() {
        return piece;
    }
}

package io.parley.endpoint.internal.frame;

import io.netty.buffer.ByteBuf;
import io.parley.error.ErrorCode;

/** Reads and writes unsigned numbers in groups of seven bits, lowest first (LEB128), at most nine bytes: 0 to 2^63 - 1. */
final class Varint {

    private static final int MAX_BYTES = 9;

    private Varint() {}

    static void write(ByteBuf out, long value) {
        long rest = value;
        while (rest > 0x7f) {
            out.writeByte((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.writeByte((int) rest);
    }

    static int size(long value) {
        return Math.max(1, (70 - Long.numberOfLeadingZeros(value)) / 7);
    }

    static long read(ByteBuf in) {
        long value = 0;
        for (int i = 0; i < MAX_BYTES; i++) {
            if (!in.isReadable()) {
                throw ErrorCode.PROTOCOL_VIOLATION.exception("number: incomplete at the end of the frame");
            }
            int next = in.readByte();
            value |= (long) (next & 0x7f) << (7 * i);
            if (next >= 0) {
                return value;
            }
        }
        throw ErrorCode.PROTOCOL_VIOLATION.exception(
                "number: longer than " + MAX_BYTES + " bytes (expected: <= " + MAX_BYTES + ")");
    }

    static int readInt(ByteBuf in, String name) {
        long value = read(in);
        if (value > Integer.MAX_VALUE) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    name + ": " + value + " (expected: <= " + Integer.MAX_VALUE + ")");
        }
        return (int) value;
    }
}

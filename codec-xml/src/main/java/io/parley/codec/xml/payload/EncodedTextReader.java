package io.parley.codec.xml.payload;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Payload;

/** Reads what {@link EncodedTextHeader} describes; believes no length that goes beyond what there is. */
final class EncodedTextReader {
    private final byte[] bytes;
    private final int end;
    private int position;

    EncodedTextReader(Payload payload) {
        boolean hasArray = payload.hasArray();
        this.bytes = hasArray ? payload.array() : payload.toByteArray();
        this.position = hasArray ? payload.arrayOffset() : 0;
        this.end = position + (int) payload.size();
    }

    EncodedTextHeader readHead() {
        XmlTextStyle style = XmlTextStyle.ofByte(readByte());
        int originalBytes = readVarint();
        Payload prologue = readBytes();
        Payload epilogue = readBytes();
        return new EncodedTextHeader(style, originalBytes, prologue, epilogue);
    }

    /** All that follows, without a copy. */
    Payload rest() {
        return Payload.of(bytes, position, end - position);
    }

    private byte readByte() {
        if (position == end) {
            throw malformed("cut short");
        }
        return bytes[position++];
    }

    private int readVarint() {
        long value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            byte b = readByte();
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                if (value > Integer.MAX_VALUE) {
                    break;
                }
                return (int) value;
            }
        }
        throw malformed("a length beyond 2^31 - 1");
    }

    private Payload readBytes() {
        int length = readVarint();
        if (length > end - position) {
            throw malformed("length: " + length + " (expected: <= the " + (end - position) + " bytes that are left)");
        }
        Payload read = Payload.of(bytes, position, length);
        position += length;
        return read;
    }

    private static ParleyException malformed(String fault) {
        return ErrorCode.MALFORMED_MESSAGE.exception("encoded XML: " + fault);
    }
}

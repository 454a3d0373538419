package io.parley.codec.xml.payload;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Payload;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/**
 * The header of an encoded text, which precedes the Fast Infoset document:
 *
 * <pre>
 *   1 byte    style: bits 0 and 1 empty tags, 2 apostrophes, 3 escaped greater, 4 carriage returns
 *   varint    length of the complete text in bytes
 *   varint    length of the prologue in bytes, followed by the prologue: everything before the root element
 *   varint    length of the epilogue in bytes, followed by the epilogue: white space at the end
 * </pre>
 *
 * <p>A varint has seven bits per byte, lowest bits first. The eighth bit is set if another byte follows.
 */
record EncodedTextHeader(XmlTextStyle style, int originalBytes, Payload prologue, Payload epilogue) {

    /**
     * Reads a header and advances the buffer past it. The payloads share the array of {@code in}. Lengths are checked
     * against the remaining bytes.
     *
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE if the header is incomplete or invalid
     */
    static EncodedTextHeader readFrom(ByteBuffer in) {
        XmlTextStyle style = XmlTextStyle.ofByte(readByte(in));
        int originalBytes = readVarint(in);
        Payload prologue = readBytes(in);
        Payload epilogue = readBytes(in);
        return new EncodedTextHeader(style, originalBytes, prologue, epilogue);
    }

    private static byte readByte(ByteBuffer in) {
        if (!in.hasRemaining()) {
            throw malformed("header: incomplete (expected: more bytes)");
        }
        return in.get();
    }

    private static int readVarint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            byte b = readByte(in);
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                if (value > Integer.MAX_VALUE) {
                    break;
                }
                return (int) value;
            }
        }
        throw malformed("length: too large (expected: <= 2^31 - 1)");
    }

    private static Payload readBytes(ByteBuffer in) {
        int length = readVarint(in);
        if (length > in.remaining()) {
            throw malformed("length: " + length + " (expected: <= remaining bytes " + in.remaining() + ")");
        }
        Payload bytes = Payload.of(in.array(), in.arrayOffset() + in.position(), length);
        in.position(in.position() + length);
        return bytes;
    }

    private static ParleyException malformed(String fault) {
        return ErrorCode.MALFORMED_MESSAGE.exception("encoded XML: " + fault);
    }

    void writeTo(ByteArrayOutputStream out) {
        out.write(style.toByte());
        writeVarint(out, originalBytes);
        writeBytes(out, prologue);
        writeBytes(out, epilogue);
    }

    private static void writeBytes(ByteArrayOutputStream out, Payload bytes) {
        int length = (int) bytes.size();
        writeVarint(out, length);
        out.write(bytes.array(), bytes.arrayOffset(), length);
    }

    private static void writeVarint(ByteArrayOutputStream out, int value) {
        int left = value;
        while (left >= 0x80) {
            out.write(left | 0x80);
            left >>>= 7;
        }
        out.write(left);
    }
}

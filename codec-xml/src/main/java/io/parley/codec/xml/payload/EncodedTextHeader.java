package io.parley.codec.xml.payload;

import io.parley.message.Payload;
import java.io.ByteArrayOutputStream;

/**
 * What stands before the Fast Infoset document of an encoded text:
 *
 * <pre>
 *   1 byte    style: bits 0 and 1 empty tags, 2 apostrophes, 3 escaped greater, 4 carriage returns
 *   varint    bytes of the whole text
 *   varint    bytes of the prologue, and these: all before the root element
 *   varint    bytes of the epilogue, and these: white space at the end
 * </pre>
 *
 * <p>A varint has seven bits in a byte, the lowest first, and the eighth bit set where another byte follows.
 */
record EncodedTextHeader(XmlTextStyle style, int originalBytes, Payload prologue, Payload epilogue) {

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

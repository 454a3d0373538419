package io.parley.codec.compress;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;

/** Builds the nodes of a document byte by byte, also those that no encoder writes, and elements of any content. */
final class NodeBytes {

    static final int ELEMENT = 0;
    static final int EMPTY_ELEMENT = 1;
    static final int ATTRIBUTE = 2;
    static final int APOSTROPHE_ATTRIBUTE = 3;
    static final int COMMENT = 4;
    static final int CDATA = 5;
    static final int INSTRUCTION = 6;

    static final int TEXT = 0;
    static final int REST_OF_TAG = 253;
    static final int UNUSUAL_END = 254;
    static final int END = 255;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** Adds bytes. */
    NodeBytes put(int... values) {
        for (int value : values) {
            bytes.write(value);
        }
        return this;
    }

    /** Adds a text and the 0 behind it: a prologue, a label, the text of a node, or an epilogue. */
    NodeBytes raw(String text) {
        bytes.writeBytes(text.getBytes(UTF_8));
        return put(0);
    }

    /** Adds a codeword of zeros and ones, and the number of its bits before it. */
    NodeBytes code(String bits) {
        put(bits.length());
        for (int from = 0; from < bits.length(); from += 8) {
            String part = bits.substring(from, Math.min(bits.length(), from + 8));
            put(Integer.parseInt(part + "0".repeat(8 - part.length()), 2));
        }
        return this;
    }

    /** Adds a codeword and the kind and label that follow a new one. */
    NodeBytes newPath(String bits, int kind, String label) {
        return code(bits).put(kind).raw(label);
    }

    /** Adds the text of a node. */
    NodeBytes text(String text) {
        return put(TEXT).raw(text);
    }

    byte[] toArray() {
        return bytes.toByteArray();
    }

    /** Returns an element with these nodes, of a document that they may make or not. */
    byte[] content(String document) {
        byte[] content = document.getBytes(UTF_8);
        return content(1, content.length, checksum(content), deflated(toArray()));
    }

    /** Returns the code of the number of a path among the children of its parent. */
    static String golomb(int number) {
        return "1".repeat(number / 2) + "0" + number % 2;
    }

    /** Returns an element of any fields. */
    static byte[] content(int form, long length, int checksum, byte[] data) {
        NodeBytes content = new NodeBytes().put(form);
        long rest = length;
        while (rest >= 0x80) {
            content.put((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        content.put((int) rest);
        content.put(checksum >>> 24, checksum >>> 16, checksum >>> 8, checksum);
        content.bytes.writeBytes(data);
        return content.toArray();
    }

    static int checksum(byte[] content) {
        CRC32C checksum = new CRC32C();
        checksum.update(content);
        return (int) checksum.getValue();
    }

    /** Returns the deflate format of some bytes. */
    static byte[] deflated(byte[] bytes) {
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
        deflater.setInput(bytes);
        deflater.finish();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] part = new byte[4096];
        while (!deflater.finished()) {
            out.write(part, 0, deflater.deflate(part));
        }
        deflater.end();
        return out.toByteArray();
    }
}

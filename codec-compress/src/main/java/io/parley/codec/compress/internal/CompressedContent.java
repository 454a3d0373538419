package io.parley.codec.compress.internal;

import io.parley.error.ErrorCode;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;

/**
 * The content of an element that is compressed as XML if it is XML, and by deflate otherwise:
 *
 * <pre>
 * form:u8  length  crc32c:u32  data
 * </pre>
 *
 * The form is 0 for deflate and 1 for XML. Length and checksum are those of the original content. The length is a base-128 number, the
 * low bits first. Thread-safe.
 */
public final class CompressedContent {

    private static final int DEFLATE = 0;
    private static final int XML = 1;

    /** Form, length and checksum have at most this number of bytes. */
    private static final int MAX_HEADER_BYTES = 1 + 5 + Integer.BYTES;

    private final XmlCompression xml;
    private final int maxXmlBytes;

    private CompressedContent(XmlCompression xml, int maxXmlBytes) {
        this.xml = Objects.requireNonNull(xml);
        this.maxXmlBytes = maxXmlBytes;
    }

    /** Returns the contents of {@code TreechopEncodingScheme}. */
    public static CompressedContent treechop() {
        return new CompressedContent(new Treechop(), Treechop.MAX_DOCUMENT_BYTES);
    }

    /** Returns the contents of {@code XmlPpmEncodingScheme}. */
    public static CompressedContent xmlPpm() {
        return new CompressedContent(new XmlPpm(), XmlPpm.MAX_DOCUMENT_BYTES);
    }

    /** Compresses a content. Returns empty if the result would not be smaller. */
    public Optional<Payload> compress(Payload content) {
        byte[] bytes = content.toByteArray();
        if (bytes.length <= MAX_HEADER_BYTES) {
            return Optional.empty();
        }
        if (bytes.length <= maxXmlBytes && startsLikeXml(bytes)) {
            GrowingArray out = begin(XML, bytes);
            if (xml.compress(bytes, out)) {
                return Optional.of(Payload.of(out.toArray(0)));
            }
        }
        GrowingArray out = begin(DEFLATE, bytes);
        return RawDeflate.compress(List.of(ByteBuffer.wrap(bytes)), Deflater.BEST_COMPRESSION, out)
                ? Optional.of(Payload.of(out.toArray(0)))
                : Optional.empty();
    }

    /** White space and a byte order mark may precede. */
    private static boolean startsLikeXml(byte[] bytes) {
        for (byte b : bytes) {
            if (b == '<') {
                return true;
            }
            if (b > ' ') {
                return false;
            }
        }
        return false;
    }

    /** A full output is a result that is as large as the content. */
    private static GrowingArray begin(int form, byte[] bytes) {
        GrowingArray out = new GrowingArray(0, bytes.length - 1, bytes.length / 4);
        out.write(form);
        int length = bytes.length;
        while (length >= 0x80) {
            out.write(length | 0x80);
            length >>>= 7;
        }
        out.write(length);
        CRC32C checksum = new CRC32C();
        checksum.update(bytes);
        byte[] value = ByteBuffer.allocate(Integer.BYTES)
                .putInt((int) checksum.getValue())
                .array();
        out.write(value, 0, value.length);
        return out;
    }

    /**
     * Restores a content.
     *
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE if it is not one that {@link #compress} returns; LIMIT_EXCEEDED if
     *     the content has more than {@code maxBytes}
     */
    public Payload expand(Payload compressed, long maxBytes) {
        ByteBuffer in = compressed.asByteBuffer();
        int form = readByte(in);
        long length = readLength(in);
        if (length > maxBytes) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "compressed element: content of " + length + " bytes (expected: <= " + maxBytes + ")");
        }
        if (in.remaining() < Integer.BYTES) {
            throw Malformed.because("truncated after " + in.limit() + " bytes");
        }
        int checksum = in.getInt();
        GrowingArray out =
                new GrowingArray(0, (int) length, (int) Math.min(length, 4L * Math.min(in.remaining(), 1 << 24)));
        switch (form) {
            case DEFLATE -> inflate(in, out);
            case XML -> expandXml(in, out);
            default -> throw Malformed.because("unknown form: " + form);
        }
        byte[] content = out.toArray(0);
        check(content, length, checksum);
        return Payload.of(content);
    }

    private static void inflate(ByteBuffer in, GrowingArray out) {
        if (!RawDeflate.expand(in, out)) {
            throw Malformed.because("the content is larger than stated");
        }
        if (in.hasRemaining()) {
            throw Malformed.because(in.remaining() + " bytes behind the compressed data");
        }
    }

    private void expandXml(ByteBuffer in, GrowingArray out) {
        if (out.room() > maxXmlBytes) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "compressed element: XML of " + out.room() + " bytes (expected: <= " + maxXmlBytes + ")");
        }
        xml.expand(in, out);
    }

    private static void check(byte[] content, long length, int expected) {
        CRC32C checksum = new CRC32C();
        checksum.update(content);
        if (content.length != length || (int) checksum.getValue() != expected) {
            throw Malformed.because("the checksum or the size is that of another content");
        }
    }

    private static int readByte(ByteBuffer in) {
        if (!in.hasRemaining()) {
            throw Malformed.because("truncated after " + in.limit() + " bytes");
        }
        return in.get() & 0xff;
    }

    private static long readLength(ByteBuffer in) {
        long length = 0;
        for (int shift = 0; shift < 5 * 7; shift += 7) {
            int b = readByte(in);
            length |= (b & 0x7fL) << shift;
            if (b < 0x80) {
                return length;
            }
        }
        throw Malformed.because("a length of more than 5 bytes");
    }
}

package io.parley.store.internal;

import io.parley.id.GroupId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Converts entries to the values of their rows and back: times (8 bytes each), the number of attributes (4), names and values with
 * a length (4) each, and the document as the rest.
 */
final class EntryCodec {
    private static final int FIXED_BYTES = 2 * Long.BYTES + Integer.BYTES;

    private EntryCodec() {}

    static byte[] encode(StoreEntry entry) {
        List<byte[]> texts = new ArrayList<>(2 * entry.attributes().size());
        int length = FIXED_BYTES + entry.documentBytes();
        for (StoreAttribute attribute : entry.attributes()) {
            texts.add(StoreText.bytes(attribute.name()));
            texts.add(StoreText.bytes(attribute.value()));
        }
        for (byte[] text : texts) {
            length += Integer.BYTES + text.length;
        }
        ByteBuffer out = ByteBuffer.allocate(length)
                .putLong(entry.issuedMillis())
                .putLong(entry.expiresMillis())
                .putInt(entry.attributes().size());
        for (byte[] text : texts) {
            out.putInt(text.length).put(text);
        }
        return out.put(entry.document()).array();
    }

    static long issuedMillis(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getLong();
    }

    static long expiresMillis(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getLong(Long.BYTES);
    }

    /** Decodes a row. Fails with a runtime exception if the bytes are invalid, which happens only in a corrupt file. */
    static StoreEntry decode(byte[] key, byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        long issued = in.getLong();
        long expires = in.getLong();
        int count = in.getInt();
        List<StoreAttribute> attributes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            attributes.add(new StoreAttribute(text(in), text(in)));
        }
        byte[] document = new byte[in.remaining()];
        in.get(document);
        return new StoreEntry(RowKeyCodec.parseEntry(key), attributes, issued, expires, document);
    }

    private static String text(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new IllegalStateException("text: " + length + " bytes (expected: 0 to " + in.remaining() + ")");
        }
        byte[] text = new byte[length];
        in.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    static long maxBytes(int maxAttributes, int maxAttributeNameBytes, int maxAttributeValueBytes, int documentBytes) {
        long perAttribute = 2L * Integer.BYTES + maxAttributeNameBytes + maxAttributeValueBytes;
        return FIXED_BYTES + maxAttributes * perAttribute + documentBytes;
    }

    /** Returns the maximum length of the key of an entry's row. */
    static long maxKeyBytes(int maxTypeBytes, int maxNameBytes) {
        return (long) GroupId.BYTES + maxTypeBytes + 1 + maxNameBytes;
    }
}

package io.parley.store.internal;

import java.util.Arrays;
import java.util.Collection;
import java.util.TreeSet;

/**
 * All rows of an entry in the {@link Tables}.
 *
 * @param key        key of its own row
 * @param record     value of its own row
 * @param attributes keys of its rows in the attribute index, each once; empty values have no row
 * @param expiry     key of its row in the expiration index
 */
@SuppressWarnings("ArrayRecordComponent") // never compared or modified
public record EntryRows(byte[] key, byte[] record, Collection<byte[]> attributes, byte[] expiry) {

    /** The value of an attribute's row is the expiration, so that a search skips expired entries without reading them. */
    private static final int ATTRIBUTE_ROW_VALUE_BYTES = Long.BYTES;

    static EntryRows of(StoreEntry entry) {
        byte[] key = RowKeyCodec.entry(entry.key());
        TreeSet<byte[]> attributes = new TreeSet<>(Arrays::compareUnsigned);
        for (StoreAttribute attribute : entry.attributes()) {
            if (!attribute.value().isEmpty()) {
                attributes.add(RowKeyCodec.attribute(entry.key(), attribute));
            }
        }
        return new EntryRows(key, EntryCodec.encode(entry), attributes, RowKeyCodec.expiry(entry.expiresMillis(), key));
    }

    /**
     * Returns the size of the rows, in bytes.
     *
     * @param rowOverhead what a row needs besides its key and value
     */
    long bytes(int rowOverhead) {
        long bytes = (long) key.length + record.length + expiry.length + (2L + attributes.size()) * rowOverhead;
        for (byte[] attribute : attributes) {
            bytes += attribute.length + ATTRIBUTE_ROW_VALUE_BYTES;
        }
        return bytes;
    }

    /** Returns the maximum of {@link #bytes} under these limits, without overhead. */
    public static long maxBytes(
            int maxTypeBytes,
            int maxNameBytes,
            int maxAttributes,
            int maxAttributeNameBytes,
            int maxAttributeValueBytes,
            int maxDocumentBytes) {
        long key = EntryCodec.maxKeyBytes(maxTypeBytes, maxNameBytes);
        long record =
                EntryCodec.maxBytes(maxAttributes, maxAttributeNameBytes, maxAttributeValueBytes, maxDocumentBytes);
        long attribute = key + maxAttributeNameBytes + 1 + maxAttributeValueBytes + 1 + ATTRIBUTE_ROW_VALUE_BYTES;
        return key + record + maxAttributes * attribute + Long.BYTES + key;
    }
}

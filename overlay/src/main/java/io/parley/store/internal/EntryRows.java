package io.parley.store.internal;

import java.util.Arrays;
import java.util.Collection;
import java.util.TreeSet;

/**
 * All rows that an entry has in the {@link Tables}.
 *
 * @param key        of its own row
 * @param record     the value of that
 * @param attributes keys of its rows in the index over attributes, each once; empty values have none
 * @param expiry     key of its row in the index over expiry
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares or changes them
public record EntryRows(byte[] key, byte[] record, Collection<byte[]> attributes, byte[] expiry) {

    /** The value of an attribute's row is the expiry, so that expired entries are passed over without being read. */
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

    /** What the rows count for in the size of the store. */
    long bytes() {
        long bytes = (long) key.length + record.length + expiry.length;
        for (byte[] attribute : attributes) {
            bytes += attribute.length + ATTRIBUTE_ROW_VALUE_BYTES;
        }
        return bytes;
    }

    /** The {@link #bytes} of the largest entry there can be. */
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

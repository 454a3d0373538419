package io.parley.store.internal;

import io.parley.error.ErrorCode;
import io.parley.store.StoreLimits;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A document with its searchable attributes. Times are in milliseconds since the epoch.
 *
 * @param key           the key; a store has at most one entry per key
 * @param attributes    in the given order; a name may occur several times
 * @param issuedMillis  time of issue of the document, or another number that increases with each issue; not negative
 * @param expiresMillis time from which the entry is never returned; not negative
 * @param document      the bytes; copied by the constructor and by the accessor
 */
@SuppressWarnings("ArrayRecordComponent") // copied in both directions, compared by content
public record StoreEntry(
        StoreKey key, List<StoreAttribute> attributes, long issuedMillis, long expiresMillis, byte[] document) {

    /** @throws IllegalArgumentException if a time is negative */
    public StoreEntry {
        checkTime("issuedMillis", issuedMillis);
        checkTime("expiresMillis", expiresMillis);
        attributes = List.copyOf(attributes);
        document = document.clone();
    }

    private static void checkTime(String field, long millis) {
        if (millis < 0) {
            throw new IllegalArgumentException(field + ": " + millis + " (expected: >= 0)");
        }
    }

    @Override
    public byte[] document() {
        return document.clone();
    }

    /** Returns the length of {@link #document} without copying it. */
    public int documentBytes() {
        return document.length;
    }

    /** Returns a copy that expires at another time. */
    public StoreEntry withExpiresMillis(long millis) {
        return new StoreEntry(key, attributes, issuedMillis, millis, document);
    }

    /** Returns a copy with an empty document. */
    StoreEntry withoutDocument() {
        return new StoreEntry(key, attributes, issuedMillis, expiresMillis, new byte[0]);
    }

    /** Returns the size that the entry has in a store in memory, including its indexes, in bytes. */
    public long heapBytes() {
        return EntryRows.of(this).bytes(MemoryTables.ROW_OVERHEAD_BYTES);
    }

    /** Requires the entry to be within the limits. Fails with {@link ErrorCode#LOCAL_LIMIT}, naming the exceeded limit. */
    public void requireWithin(StoreLimits limits) {
        requireAtMost("type", bytes(key.type()), "maxTypeBytes", limits.maxTypeBytes());
        requireAtMost("name", bytes(key.name()), "maxNameBytes", limits.maxNameBytes());
        requireAtMost("attributes", attributes.size(), "maxAttributes", limits.maxAttributes());
        for (StoreAttribute attribute : attributes) {
            requireAtMost(
                    "attribute name", bytes(attribute.name()), "maxAttributeNameBytes", limits.maxAttributeNameBytes());
            requireAtMost(
                    "attribute value",
                    bytes(attribute.value()),
                    "maxAttributeValueBytes",
                    limits.maxAttributeValueBytes());
        }
        requireAtMost("document", document.length, "maxDocumentBytes", limits.maxDocumentBytes());
    }

    private static void requireAtMost(String field, int value, String limit, int max) {
        if (value > max) {
            throw ErrorCode.LOCAL_LIMIT.exception(field + ": " + value + " (expected: <= " + limit + " " + max + ")");
        }
    }

    private static int bytes(String text) {
        return StoreText.bytes(text).length;
    }

    boolean isExpired(long nowMillis) {
        return expiresMillis <= nowMillis;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StoreEntry that
                && issuedMillis == that.issuedMillis
                && expiresMillis == that.expiresMillis
                && key.equals(that.key)
                && attributes.equals(that.attributes)
                && Arrays.equals(document, that.document);
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, issuedMillis, expiresMillis);
    }

    @Override
    public String toString() {
        return "StoreEntry[" + key + ", " + attributes.size() + " attributes, issued " + issuedMillis + ", expires "
                + expiresMillis + ", " + document.length + " bytes]";
    }
}

package io.parley.store.internal;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A document with what it is found by. Times are milliseconds since 1970.
 *
 * @param key           what there is one entry of at most
 * @param attributes    in the order given; a name may come several times
 * @param issuedMillis  when the document was issued, or any other number that grows with each issue; not negative
 * @param expiresMillis from then on the entry is never returned; not negative
 * @param document      the bytes; copied on the way in and on the way out
 */
@SuppressWarnings("ArrayRecordComponent") // copied both ways, and compared by its content
public record StoreEntry(
        StoreKey key, List<StoreAttribute> attributes, long issuedMillis, long expiresMillis, byte[] document) {

    /** @throws IllegalArgumentException when a time is negative */
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

    /** The length of {@link #document}, without a copy. */
    public int documentBytes() {
        return document.length;
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

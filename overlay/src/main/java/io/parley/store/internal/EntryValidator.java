package io.parley.store.internal;

import io.parley.error.ErrorCode;
import io.parley.store.StoreLimits;

/** Holds an entry against the limits. */
final class EntryValidator {

    private EntryValidator() {}

    /** Fails with {@link ErrorCode#LOCAL_LIMIT}, naming the limit that is broken. */
    static void check(StoreEntry entry, StoreLimits limits) {
        check("type", bytes(entry.key().type()), limits.maxTypeBytes());
        check("name", bytes(entry.key().name()), limits.maxNameBytes());
        check("attributes", entry.attributes().size(), limits.maxAttributes());
        for (StoreAttribute attribute : entry.attributes()) {
            check("attribute name", bytes(attribute.name()), limits.maxAttributeNameBytes());
            check("attribute value", bytes(attribute.value()), limits.maxAttributeValueBytes());
        }
        check("document", entry.documentBytes(), limits.maxDocumentBytes());
    }

    private static void check(String field, int value, int max) {
        if (value > max) {
            throw ErrorCode.LOCAL_LIMIT.exception(field + ": " + value + " (expected: <= " + max + ")");
        }
    }

    private static int bytes(String text) {
        return StoreText.bytes(text).length;
    }
}

package io.parley.codec.xml.fastinfoset;

import io.parley.codec.xml.internal.ElementHead;
import io.parley.codec.xml.internal.QualifiedName;
import org.jspecify.annotations.Nullable;

/**
 * The value of an attribute, usually an entry of a decoder table. A value that names elements caches the most recent
 * head that was created from it, so that the same element in the next message needs no string comparison.
 */
final class AttributeValue {
    private final String text;
    private boolean entry;
    private @Nullable QualifiedName name;
    private @Nullable ElementHead head;
    private @Nullable AttributeValue headType;
    private @Nullable AttributeValue headEncoding;

    AttributeValue(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    /**
     * Returns the value as the name of an element. Parsed once, so that all elements of this name share the strings.
     */
    QualifiedName name() {
        QualifiedName parsed = name;
        if (parsed == null) {
            parsed = QualifiedName.parse(text);
            name = parsed;
        }
        return parsed;
    }

    /** Marks this value as an entry of the table. */
    void markEntry() {
        entry = true;
    }

    /** Returns the cached head if it was created with the same type and encoding; otherwise {@code null}. */
    @Nullable
    ElementHead cachedHead(@Nullable AttributeValue type, @Nullable AttributeValue encoding) {
        return headType == type && headEncoding == encoding ? head : null;
    }

    /** Caches a head, unless it refers to strings that the size of no table accounts for. */
    void cacheHead(ElementHead newHead, @Nullable AttributeValue type, @Nullable AttributeValue encoding) {
        if ((type != null && !type.entry) || (encoding != null && !encoding.entry)) {
            return;
        }
        head = newHead;
        headType = type;
        headEncoding = encoding;
    }
}

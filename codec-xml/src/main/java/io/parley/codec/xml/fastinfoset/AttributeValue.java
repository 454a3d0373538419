package io.parley.codec.xml.fastinfoset;

import io.parley.codec.xml.internal.ElementHead;
import io.parley.codec.xml.internal.QualifiedName;
import org.jspecify.annotations.Nullable;

/**
 * The value of an attribute, mostly an entry of a decoder's table. One that names elements keeps the latest head it
 * belonged to, so that the same element in the next message needs no string to be looked at.
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

    /** Its parts, where it names an element: made once, so that all elements of the name share them. */
    QualifiedName name() {
        QualifiedName known = name;
        if (known == null) {
            known = QualifiedName.parse(text);
            name = known;
        }
        return known;
    }

    /** Tells that this is an entry of the table. */
    void markEntry() {
        entry = true;
    }

    /** The head that this name made with that type and encoding, the last time it was used. */
    @Nullable
    ElementHead head(@Nullable AttributeValue type, @Nullable AttributeValue encoding) {
        return headType == type && headEncoding == encoding ? head : null;
    }

    /** Keeps a head, unless that would keep strings that count in no table. */
    void keep(ElementHead newHead, @Nullable AttributeValue type, @Nullable AttributeValue encoding) {
        if ((type != null && !type.entry) || (encoding != null && !encoding.entry)) {
            return;
        }
        head = newHead;
        headType = type;
        headEncoding = encoding;
    }
}

package io.parley.codec.xml.internal;

import io.parley.message.Payload;

/** How an element's bytes travel. */
public sealed interface Content {

    /** As octets: base64 in XML text, octets in Fast Infoset. May be a file, which is read while it is written. */
    record Octets(Payload payload) implements Content {}

    /**
     * As characters that the bytes already are, in UTF-8: checked, nothing but what XML can say. The common case, in
     * which no string is made.
     *
     * @param payload lies in an array
     */
    record Utf8(Payload payload) implements Content {}

    /** As characters that were decoded from another charset: checked, nothing but what XML can say. */
    record Text(String text) implements Content {}
}

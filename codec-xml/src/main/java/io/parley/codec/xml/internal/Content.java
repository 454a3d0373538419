package io.parley.codec.xml.internal;

import io.parley.message.Payload;

/** The encoded form of the bytes of an element. */
public sealed interface Content {

    /** Octets: base64 in XML text, octets in Fast Infoset. The payload may be a file, which is read during encoding. */
    record Octets(Payload payload) implements Content {}

    /**
     * Characters whose UTF-8 is the bytes of the element. Only characters of XML 1.0; already checked. The common case,
     * for which no string is created.
     *
     * @param payload has an array
     */
    record Utf8(Payload payload) implements Content {}

    /** Characters that were decoded from another charset. Only characters of XML 1.0; already checked. */
    record Text(String text) implements Content {}
}

package io.parley.codec.compress.internal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * A text that gets a number when it occurs first.
 *
 * @param symbol the symbol with which it is written then
 * @param text   its bytes in ISO 8859-1. Few tokens of a document get numbers, so equal hashes cost little
 */
record XmlToken(int symbol, String text) {

    static XmlToken of(int symbol, byte[] in, int from, int to) {
        return new XmlToken(symbol, new String(in, from, to - from, ISO_8859_1));
    }

    byte[] bytes() {
        return text.getBytes(ISO_8859_1);
    }
}

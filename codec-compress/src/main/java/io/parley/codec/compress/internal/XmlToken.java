package io.parley.codec.compress.internal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * A text that gets a number when it occurs first.
 *
 * @param symbol the symbol with which it is written then
 * @param text   its bytes in ISO 8859-1
 */
record XmlToken(int symbol, String text) implements Comparable<XmlToken> {

    static XmlToken of(int symbol, byte[] in, int from, int to) {
        return new XmlToken(symbol, new String(in, from, to - from, ISO_8859_1));
    }

    byte[] bytes() {
        return text.getBytes(ISO_8859_1);
    }

    /** An order, because a map compares keys with the same hash one by one otherwise, and documents are from strangers. */
    @Override
    public int compareTo(XmlToken other) {
        int order = Integer.compare(symbol, other.symbol);
        return order != 0 ? order : text.compareTo(other.text);
    }
}

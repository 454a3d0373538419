package io.parley.codec.xml.payload;

import io.parley.error.ErrorCode;

/**
 * The choices of an XML writer that {@link XmlTextWriter} can reproduce. One style applies to a complete document.
 *
 * @param emptyTags the form of an element without content
 * @param apostrophes whether attribute values are enclosed in apostrophes instead of quotes
 * @param escapedGreater whether the greater-than sign in text is escaped, which XML does not require
 * @param carriageReturns whether lines end with carriage return and line feed
 */
record XmlTextStyle(EmptyTags emptyTags, boolean apostrophes, boolean escapedGreater, boolean carriageReturns) {

    enum EmptyTags {
        /** {@code <a></a>}. */
        PAIR(0),
        /** {@code <a/>}. */
        SHORT(1),
        /** {@code <a />}. */
        SPACED(2);

        private final int bits;

        EmptyTags(int bits) {
            this.bits = bits;
        }
    }

    private static final int APOSTROPHES = 4;
    private static final int ESCAPED_GREATER = 8;
    private static final int CARRIAGE_RETURNS = 16;

    /**
     * Detects the style from the first occurrence of each choice. A wrong result only prevents the encoding, because
     * the encoder verifies that the text is restored; it never changes the document.
     */
    static XmlTextStyle of(byte[] text, int start, int end) {
        EmptyTags emptyTags = EmptyTags.PAIR;
        boolean emptyTagSeen = false;
        boolean apostrophes = false;
        boolean valueSeen = false;
        boolean escapedGreater = false;
        boolean carriageReturns = false;
        for (int i = start + 1; i < end; i++) {
            switch (text[i]) {
                case '>' -> {
                    if (!emptyTagSeen && text[i - 1] == '/') {
                        emptyTagSeen = true;
                        emptyTags = text[i - 2] == ' ' ? EmptyTags.SPACED : EmptyTags.SHORT;
                    }
                }
                case '"', '\'' -> {
                    if (!valueSeen && text[i - 1] == '=') {
                        valueSeen = true;
                        apostrophes = text[i] == '\'';
                    }
                }
                case ';' -> escapedGreater |= i - start >= 3 && text[i - 1] == 't' && text[i - 2] == 'g';
                case '\n' -> carriageReturns |= text[i - 1] == '\r';
                default -> {}
            }
        }
        return new XmlTextStyle(emptyTags, apostrophes, escapedGreater, carriageReturns);
    }

    byte toByte() {
        return (byte) (emptyTags.bits
                | (apostrophes ? APOSTROPHES : 0)
                | (escapedGreater ? ESCAPED_GREATER : 0)
                | (carriageReturns ? CARRIAGE_RETURNS : 0));
    }

    static XmlTextStyle ofByte(byte flags) {
        for (EmptyTags emptyTags : EmptyTags.values()) {
            if (emptyTags.bits == (flags & 3) && flags >= 0 && flags < 2 * CARRIAGE_RETURNS) {
                return new XmlTextStyle(
                        emptyTags,
                        (flags & APOSTROPHES) != 0,
                        (flags & ESCAPED_GREATER) != 0,
                        (flags & CARRIAGE_RETURNS) != 0);
            }
        }
        throw ErrorCode.MALFORMED_MESSAGE.exception(
                "encoded XML: style " + (flags & 0xFF) + " (expected: a style that this version knows)");
    }
}

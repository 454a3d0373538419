package io.parley.id;

/** Thrown if a text is not a valid id of the expected kind. The message names the fault and quotes the text, clipped and escaped. */
final class IdFormatException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;
    private static final int MAX_QUOTED_CHARS = 80;

    private final Fault fault;

    IdFormatException(Fault fault, String description, String given) {
        super(description + ": \"" + printable(given) + '"');
        this.fault = fault;
    }

    /** The fault of a text. */
    public enum Fault {
        /** The text is too long or too short. */
        LENGTH,
        /** The text contains a character that is not in the alphabet. */
        CHARACTER,
        /** All characters are valid but the checksum does not match: a typing error. */
        CHECKSUM,
        /** The text is a valid id of another kind. */
        KIND,
        /** The text is a URN, but not one of an id. */
        URN
    }

    /** Returns the fault. */
    public Fault fault() {
        return fault;
    }

    /** Escapes and clips a text. Ids come from the network and appear in logs, where line breaks and escape sequences are harmful. */
    static String printable(String text) {
        StringBuilder printable = new StringBuilder();
        int length = Math.min(text.length(), MAX_QUOTED_CHARS);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c <= '~') {
                printable.append(c);
            } else {
                printable.append(String.format("\\u%04x", (int) c));
            }
        }
        return text.length() > length ? printable.append("...").toString() : printable.toString();
    }
}

package io.parley.id;

/** A text is not the id it should be. The message names the fault and quotes the text, clipped and made printable. */
final class IdFormatException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;
    private static final int MAX_QUOTED_CHARS = 80;

    private final Fault fault;

    IdFormatException(Fault fault, String what, String given) {
        super(what + ": \"" + printable(given) + '"');
        this.fault = fault;
    }

    /** What is wrong with a text. */
    public enum Fault {
        /** Too long or too short. */
        LENGTH,
        /** It has a character that no id has. */
        CHARACTER,
        /** All characters are fine but they do not belong together: a typing error. */
        CHECKSUM,
        /** It is a good id of another kind. */
        KIND,
        /** It is a URN, but not of an id. */
        URN
    }

    /** What is wrong. */
    public Fault fault() {
        return fault;
    }

    /** Ids are read from the network and end up in logs, where a line break or an escape sequence would do harm. */
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

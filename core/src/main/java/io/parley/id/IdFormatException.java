package io.parley.id;

import io.parley.common.internal.TextSanitizer;

/** Thrown if a text is not a valid id of the expected kind. The message names the fault and quotes the text, clipped and escaped. */
final class IdFormatException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final Fault fault;

    IdFormatException(Fault fault, String description, String given) {
        super(description + ": " + TextSanitizer.quote(given));
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
}

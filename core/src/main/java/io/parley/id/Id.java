package io.parley.id;

/**
 * The name of something in the overlay. Two ids are equal when they are of one kind and their bytes are equal.
 * {@code toString} is {@link #text}.
 */
public sealed interface Id permits PeerId, GroupId, PipeId {
    /** The canonical text: lower-case base32 with a checksum, 32 or 56 characters long. */
    String text();

    /** The text as a URN, such as {@code urn:parley:peer:<text>}. */
    String urn();

    /** The payload, without checksum. The caller owns the array. */
    byte[] toByteArray();

    /**
     * Reads an id of any kind, as text or as URN. Case does not matter and white space around it is ignored. Where the
     * kind is known, parse that kind: the checksum tells bare texts of peers and pipes apart but for one in 2^24. The URN
     * always says the kind.
     *
     * @throws IllegalArgumentException if it is no id; the message names the fault
     */
    static Id parse(CharSequence text) {
        return IdParser.parse(text, null);
    }
}

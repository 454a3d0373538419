package io.parley.id;

/**
 * A typed id of a peer, group or pipe. Two ids are equal if their kinds and their bytes are equal.
 * {@code toString} is {@link #text}.
 */
public sealed interface Id permits PeerId, GroupId, PipeId {
    /** Returns the canonical text: lower-case base32 with a checksum, 32 or 56 characters long. */
    String text();

    /** Returns the text as a URN, such as {@code urn:parley:peer:<text>}. */
    String urn();

    /** Returns a copy of the payload, without checksum. */
    byte[] toByteArray();

    /**
     * Parses an id of any kind, as text or as URN. Case and surrounding white space are ignored. If the kind is known, use
     * the {@code parse} method of that kind: only the checksum distinguishes the texts of peers and pipes, and one text in
     * 2^24 is ambiguous. A URN always contains the kind.
     *
     * @throws IllegalArgumentException if the text is not an id; the message names the fault
     */
    static Id parse(CharSequence text) {
        return IdParser.parse(text, null);
    }
}

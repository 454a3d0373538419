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
     * Reads an id of any kind, as text or as URN. Case does not matter and white space around it is ignored.
     *
     * @throws IdFormatException when it is no id; the message names the fault
     */
    static Id parse(CharSequence text) {
        IdText.Parsed parsed = IdText.parse(text);
        return switch (parsed.kind()) {
            case PEER -> PeerId.ofBytes(parsed.payload());
            case GROUP -> GroupId.ofBytes(parsed.payload());
            case PIPE -> PipeId.ofBytes(parsed.payload());
        };
    }
}

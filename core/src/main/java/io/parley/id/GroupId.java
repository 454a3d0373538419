package io.parley.id;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/** The id of a peer group: 16 bytes, either random or derived from a name. */
public final class GroupId extends AbstractId implements Id, Comparable<GroupId> {
    /** The size of a group id in bytes. */
    public static final int BYTES = 16;

    /** The net group. Every peer is a member of it from its start. */
    public static final GroupId NET = new GroupId("parley-net-group".getBytes(StandardCharsets.US_ASCII));

    private static final String NAME_DOMAIN = "parley-group-name";

    private GroupId(byte[] payload) {
        super(IdKind.GROUP, payload);
    }

    /** Creates an id from the platform's secure randomness; it cannot be guessed. */
    public static GroupId random() {
        return random(new SecureRandom());
    }

    /** Creates an id from the given source of randomness. */
    public static GroupId random(RandomGenerator random) {
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        return new GroupId(bytes);
    }

    /**
     * Derives an id from a name. Every peer derives the same id, so the id is as secret as the name. Case and white space
     * are significant; the name is normalized to Unicode normalization form C first. The id is the first 16 bytes of
     * {@code SHA-256("parley-group-name" || 0 || UTF-8(name))}.
     *
     * @throws IllegalArgumentException if the name is empty or not well-formed Unicode
     */
    public static GroupId ofName(String name) {
        return new GroupId(Sha256.ofName(NAME_DOMAIN, new byte[0], name));
    }

    /**
     * Creates an id from a copy of the given bytes.
     *
     * @throws IllegalArgumentException if the length is not 16
     */
    public static GroupId ofBytes(byte[] bytes) {
        return new GroupId(bytes.clone());
    }

    /**
     * Parses a group id, as text or as URN. Case and surrounding white space are ignored.
     *
     * @throws IllegalArgumentException if the text is not a group id; the message names the fault
     */
    public static GroupId parse(CharSequence text) {
        return (GroupId) IdParser.parse(text, IdKind.GROUP);
    }

    /** Compares the bytes as unsigned numbers, first byte first. */
    @Override
    public int compareTo(GroupId other) {
        return Arrays.compareUnsigned(payload(), other.payload());
    }
}

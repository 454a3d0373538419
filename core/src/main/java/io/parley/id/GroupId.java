package io.parley.id;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/** Which peer group: 16 bytes, either drawn at random or derived from a name. */
public final class GroupId extends AbstractId implements Id, Comparable<GroupId> {
    /** The size of a group id in bytes. */
    public static final int BYTES = 16;

    /** The net group, which every peer is in from its start. */
    public static final GroupId NET = new GroupId("parley-net-group".getBytes(StandardCharsets.US_ASCII));

    private static final String NAME_DOMAIN = "parley-group-name";

    private GroupId(byte[] payload) {
        super(IdKind.GROUP, payload);
    }

    /** A new id that nobody can guess. */
    public static GroupId random() {
        return random(new SecureRandom());
    }

    /** A new id, from the caller's source of randomness. */
    public static GroupId random(RandomGenerator random) {
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        return new GroupId(bytes);
    }

    /**
     * The id that belongs to a name: the same on every peer, and known to everybody who knows the name. Upper and lower
     * case differ, white space counts; the name is brought into Unicode's normal form C first. The id is the first 16
     * bytes of {@code SHA-256("parley-group-name" || 0 || UTF-8(name))}.
     *
     * @throws IllegalArgumentException when the name is empty or not well-formed Unicode
     */
    public static GroupId ofName(String name) {
        return new GroupId(Sha256.ofName(NAME_DOMAIN, new byte[0], name));
    }

    /**
     * The id with these bytes, which are copied.
     *
     * @throws IllegalArgumentException when they are not 16
     */
    public static GroupId ofBytes(byte[] bytes) {
        return new GroupId(bytes.clone());
    }

    /**
     * Reads a group id, as text or as URN. Case does not matter and white space around it is ignored.
     *
     * @throws IllegalArgumentException if it is none; the message names the fault
     */
    public static GroupId parse(CharSequence text) {
        return (GroupId) IdParser.parse(text, IdKind.GROUP);
    }

    /** Orders by the bytes as unsigned numbers, first byte first. */
    @Override
    public int compareTo(GroupId other) {
        return Arrays.compareUnsigned(payload(), other.payload());
    }
}

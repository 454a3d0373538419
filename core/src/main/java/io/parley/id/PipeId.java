package io.parley.id;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/** The id of a pipe: the 16 bytes of its group's id, then 16 bytes that are random or derived from a name. */
public final class PipeId extends AbstractId implements Id, Comparable<PipeId> {
    /** The size of a pipe id in bytes, including the group id. */
    public static final int BYTES = GroupId.BYTES + 16;

    private static final String NAME_DOMAIN = "parley-pipe-name";

    private final GroupId group;

    private PipeId(byte[] payload) {
        super(IdKind.PIPE, payload);
        this.group = GroupId.ofBytes(Arrays.copyOf(payload, GroupId.BYTES));
    }

    /** Creates an id in a group from the platform's secure randomness; it cannot be guessed. */
    public static PipeId random(GroupId group) {
        return random(group, new SecureRandom());
    }

    /** Creates an id in a group from the given source of randomness. */
    public static PipeId random(GroupId group, RandomGenerator random) {
        byte[] own = new byte[BYTES - GroupId.BYTES];
        random.nextBytes(own);
        return new PipeId(join(group, own));
    }

    /**
     * Derives an id from a group and a name. Every peer derives the same id, so the id is as secret as the two. Case and
     * white space are significant; the name is normalized to Unicode normalization form C first. The last 16 bytes are
     * the first 16 of {@code SHA-256("parley-pipe-name" || 0 || group || UTF-8(name))}.
     *
     * @throws IllegalArgumentException if the name is empty or not well-formed Unicode
     */
    public static PipeId ofName(GroupId group, String name) {
        return new PipeId(join(group, Sha256.ofName(NAME_DOMAIN, group.payload(), name)));
    }

    /**
     * Creates an id from a copy of the given bytes.
     *
     * @throws IllegalArgumentException if the length is not 32
     */
    public static PipeId ofBytes(byte[] bytes) {
        return new PipeId(bytes.clone());
    }

    /**
     * Parses a pipe id, as text or as URN. Case and surrounding white space are ignored.
     *
     * @throws IllegalArgumentException if the text is not a pipe id; the message names the fault
     */
    public static PipeId parse(CharSequence text) {
        return (PipeId) IdParser.parse(text, IdKind.PIPE);
    }

    /** Returns the group of the pipe. */
    public GroupId group() {
        return group;
    }

    /** Compares the bytes as unsigned numbers, first byte first. The pipes of one group are therefore adjacent. */
    @Override
    public int compareTo(PipeId other) {
        return Arrays.compareUnsigned(payload(), other.payload());
    }

    private static byte[] join(GroupId group, byte[] own) {
        byte[] bytes = Arrays.copyOf(group.payload(), BYTES);
        System.arraycopy(own, 0, bytes, GroupId.BYTES, own.length);
        return bytes;
    }
}

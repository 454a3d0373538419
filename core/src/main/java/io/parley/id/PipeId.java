package io.parley.id;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/** Which pipe of which group: the 16 bytes of the group, then 16 that are drawn at random or derived from a name. */
public final class PipeId extends AbstractId implements Id, Comparable<PipeId> {
    /** The size of a pipe id in bytes, its group included. */
    public static final int BYTES = GroupId.BYTES + 16;

    private static final String NAME_DOMAIN = "parley-pipe-name";

    private final GroupId group;

    private PipeId(byte[] payload) {
        super(IdKind.PIPE, payload);
        this.group = GroupId.ofBytes(Arrays.copyOf(payload, GroupId.BYTES));
    }

    /** A new id in that group that nobody can guess. */
    public static PipeId random(GroupId group) {
        return random(group, new SecureRandom());
    }

    /** A new id in that group, from the caller's source of randomness. */
    public static PipeId random(GroupId group, RandomGenerator random) {
        byte[] own = new byte[BYTES - GroupId.BYTES];
        random.nextBytes(own);
        return new PipeId(join(group, own));
    }

    /**
     * The id that belongs to a name in that group: the same on every peer, and known to everybody who knows both. Upper
     * and lower case differ, white space counts; the name is brought into Unicode's normal form C first. The pipe's own
     * bytes are the first 16 of {@code SHA-256("parley-pipe-name" || 0 || group || UTF-8(name))}.
     *
     * @throws IllegalArgumentException when the name is empty or not well-formed Unicode
     */
    public static PipeId ofName(GroupId group, String name) {
        return new PipeId(join(group, Sha256.ofName(NAME_DOMAIN, group.payload(), name)));
    }

    /**
     * The id with these bytes, which are copied.
     *
     * @throws IllegalArgumentException when they are not 32
     */
    public static PipeId ofBytes(byte[] bytes) {
        return new PipeId(bytes.clone());
    }

    /**
     * Reads a pipe id, as text or as URN. Case does not matter and white space around it is ignored.
     *
     * @throws IllegalArgumentException if it is none; the message names the fault
     */
    public static PipeId parse(CharSequence text) {
        return (PipeId) IdParser.parse(text, IdKind.PIPE);
    }

    /** The group that the pipe belongs to. */
    public GroupId group() {
        return group;
    }

    /** Orders by the bytes as unsigned numbers, first byte first, so that the pipes of a group stand together. */
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

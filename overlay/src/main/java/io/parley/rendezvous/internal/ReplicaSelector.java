package io.parley.rendezvous.internal;

import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Which rendezvous keep what has a certain attribute: those with the highest weights, which are hashes of rendezvous and
 * attribute. All who know the same rendezvous agree, each has its even share, and when one comes or goes only what was or
 * will be its own moves. Immutable.
 */
final class ReplicaSelector {

    private final List<PeerId> members;
    private final long[] hashes;

    ReplicaSelector(Collection<PeerId> members) {
        this.members = members.stream().sorted().toList();
        this.hashes = this.members.stream()
                .mapToLong(member -> hash(member.toByteArray()))
                .toArray();
    }

    List<PeerId> members() {
        return members;
    }

    /**
     * What stands for an attribute. The type of the advertisement is not part of it, so that who does not name one is
     * brought to the same rendezvous.
     */
    static long item(GroupId group, String attribute, String value) {
        byte[] name = attribute.getBytes(StandardCharsets.UTF_8);
        byte[] text = value.getBytes(StandardCharsets.UTF_8);
        return hash(ByteBuffer.allocate(GroupId.BYTES + Integer.BYTES + name.length + text.length)
                .put(group.toByteArray())
                .putInt(name.length)
                .put(name)
                .put(text)
                .array());
    }

    /** The first ones, best first; fewer when there are fewer. */
    List<PeerId> first(int count, long item) {
        int size = Math.min(count, hashes.length);
        int[] best = new int[size];
        long[] weights = new long[size];
        int found = 0;
        for (int i = 0; i < hashes.length; i++) {
            long weight = mix(item ^ hashes[i]);
            int at = found;
            while (at > 0 && Long.compareUnsigned(weights[at - 1], weight) < 0) {
                at--;
            }
            if (at < size) {
                int kept = Math.min(found, size - 1) - at;
                System.arraycopy(best, at, best, at + 1, kept);
                System.arraycopy(weights, at, weights, at + 1, kept);
                best[at] = i;
                weights[at] = weight;
                found = Math.min(found + 1, size);
            }
        }
        List<PeerId> ranked = new ArrayList<>(size);
        Arrays.stream(best).forEach(index -> ranked.add(members.get(index)));
        return ranked;
    }

    /** Each bit of the result depends on each of the input: two rounds of multiplication and shift, as in SplitMix64. */
    private static long mix(long input) {
        long value = (input ^ (input >>> 30)) * 0xbf58476d1ce4e5b9L;
        value = (value ^ (value >>> 27)) * 0x94d049bb133111ebL;
        return value ^ (value >>> 31);
    }

    private static long hash(byte[] bytes) {
        try {
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes))
                    .getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "Ranking" + members;
    }
}

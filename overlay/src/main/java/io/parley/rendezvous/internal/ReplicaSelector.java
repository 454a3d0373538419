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
 * Selects the rendezvous that replicate the entries with an attribute value: those with the highest weights, which are hashes
 * of rendezvous and attribute (highest-random-weight hashing). All peers with the same peer view select the same rendezvous.
 * Each rendezvous gets an equal share, and a change of one rendezvous moves only the entries of its own share. Immutable.
 */
final class ReplicaSelector {

    private final List<PeerId> peers;
    private final long[] hashes;

    ReplicaSelector(Collection<PeerId> peers) {
        this.peers = peers.stream().sorted().toList();
        this.hashes =
                this.peers.stream().mapToLong(peer -> hash(peer.toByteArray())).toArray();
    }

    List<PeerId> peers() {
        return peers;
    }

    /**
     * Returns the hash of an attribute value. The type of the advertisement is not part of it, so a search without a type
     * selects the same rendezvous.
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

    /** Returns the {@code count} rendezvous of the highest rank, the highest first; all if there are fewer. */
    List<PeerId> select(int count, long item) {
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
                int shifted = Math.min(found, size - 1) - at;
                System.arraycopy(best, at, best, at + 1, shifted);
                System.arraycopy(weights, at, weights, at + 1, shifted);
                best[at] = i;
                weights[at] = weight;
                found = Math.min(found + 1, size);
            }
        }
        List<PeerId> ranked = new ArrayList<>(size);
        Arrays.stream(best).forEach(index -> ranked.add(peers.get(index)));
        return ranked;
    }

    /** Mixes the bits as SplitMix64 does, with two rounds: each bit of the result depends on each bit of the input. */
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
            throw new IllegalStateException("SHA-256 is missing (expected: present on every Java platform)", e);
        }
    }

    @Override
    public String toString() {
        return "ReplicaSelector" + peers;
    }
}

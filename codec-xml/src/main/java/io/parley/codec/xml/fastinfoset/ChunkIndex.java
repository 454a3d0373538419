package io.parley.codec.xml.fastinfoset;

import io.parley.message.Payload;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A hash table from short payloads to their indices in the table of the decoder. The latest entries can be removed
 * after a message has failed.
 */
final class ChunkIndex {
    private static final int ABSENT = EncoderVocabulary.ABSENT;
    private static final int FIRST_CAPACITY = 16;
    private static final byte[] EMPTY = {};
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private byte[][] contents = new byte[FIRST_CAPACITY][];
    private int[] hashes = new int[FIRST_CAPACITY];
    /** The previous entry in the same bucket, or {@link #ABSENT}. */
    private int[] nexts = new int[FIRST_CAPACITY];
    /** The latest entry of each bucket. The number of buckets is twice the capacity. */
    private int[] buckets = emptyBuckets(2 * FIRST_CAPACITY);

    private int count;

    private static int[] emptyBuckets(int length) {
        int[] buckets = new int[length];
        Arrays.fill(buckets, ABSENT);
        return buckets;
    }

    /**
     * Returns the hash of a payload that has an array. The lowest bit distinguishes octets from characters, which are
     * never equal.
     */
    static int hash(Payload payload, boolean octets) {
        byte[] array = payload.array();
        int at = payload.arrayOffset();
        int end = at + (int) payload.size();
        long hash = payload.size();
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            hash = (hash ^ (long) LONGS.get(array, at)) * MULTIPLIER;
            hash ^= hash >>> 32;
        }
        for (; at < end; at++) {
            hash = (hash ^ array[at]) * MULTIPLIER;
        }
        int folded = (int) (hash >>> 32);
        return octets ? folded | 1 : folded & ~1;
    }

    /** Returns the index of a payload, or {@link #ABSENT}. {@code hash} must be its {@link #hash}. */
    int find(Payload payload, int hash) {
        int entry = buckets[bucket(hash)];
        while (entry != ABSENT && !(hashes[entry] == hash && isEntry(entry, payload))) {
            entry = nexts[entry];
        }
        return entry;
    }

    private boolean isEntry(int entry, Payload payload) {
        byte[] content = contents[entry];
        int start = payload.arrayOffset();
        return Arrays.equals(content, 0, content.length, payload.array(), start, start + (int) payload.size());
    }

    /** Adds an absent payload with the next index. */
    void add(Payload payload, int hash) {
        if (count == contents.length) {
            grow();
        }
        contents[count] = payload.toByteArray();
        hashes[count] = hash;
        link(count++);
    }

    private void link(int entry) {
        int bucket = bucket(hashes[entry]);
        nexts[entry] = buckets[bucket];
        buckets[bucket] = entry;
    }

    private int bucket(int hash) {
        return hash >>> 1 & (buckets.length - 1);
    }

    private void grow() {
        int capacity = 2 * count;
        contents = Arrays.copyOf(contents, capacity);
        hashes = Arrays.copyOf(hashes, capacity);
        nexts = new int[capacity];
        buckets = emptyBuckets(2 * capacity);
        for (int i = 0; i < count; i++) {
            link(i);
        }
    }

    int count() {
        return count;
    }

    /** Removes the latest entries until {@code newCount} remain. */
    void truncate(int newCount) {
        while (count > newCount) {
            count--;
            buckets[bucket(hashes[count])] = nexts[count];
            contents[count] = EMPTY;
        }
    }
}

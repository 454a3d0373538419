package io.parley.codec.xml.fastinfoset;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A hash table from pairs of strings, which are not concatenated, to their indices in the table of the decoder. The
 * latest entries can be removed after a message has failed.
 */
final class StringIndex {
    private static final int ABSENT = EncoderVocabulary.ABSENT;
    private static final int FIRST_CAPACITY = 16;

    private @Nullable String[] firsts = new String[FIRST_CAPACITY];
    private @Nullable String[] seconds = new String[FIRST_CAPACITY];
    private int[] indexes = new int[FIRST_CAPACITY];
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

    int find(String first, String second) {
        int entry = buckets[bucket(first, second)];
        while (entry != ABSENT) {
            if (second.equals(seconds[entry]) && first.equals(firsts[entry])) {
                return indexes[entry];
            }
            entry = nexts[entry];
        }
        return ABSENT;
    }

    void add(String first, String second, int index) {
        if (count == firsts.length) {
            grow();
        }
        firsts[count] = first;
        seconds[count] = second;
        indexes[count] = index;
        link(count++, first, second);
    }

    private void link(int entry, String first, String second) {
        int bucket = bucket(first, second);
        nexts[entry] = buckets[bucket];
        buckets[bucket] = entry;
    }

    private int bucket(String first, String second) {
        int hash = 31 * first.hashCode() + second.hashCode();
        return (hash ^ hash >>> 15) & (buckets.length - 1);
    }

    private void grow() {
        int capacity = 2 * count;
        firsts = Arrays.copyOf(firsts, capacity);
        seconds = Arrays.copyOf(seconds, capacity);
        indexes = Arrays.copyOf(indexes, capacity);
        nexts = new int[capacity];
        buckets = emptyBuckets(2 * capacity);
        for (int i = 0; i < count; i++) {
            link(i, firsts[i], seconds[i]);
        }
    }

    int count() {
        return count;
    }

    /** Removes the latest entries until {@code newCount} remain. */
    void truncate(int newCount) {
        while (count > newCount) {
            count--;
            buckets[bucket(firsts[count], seconds[count])] = nexts[count];
            firsts[count] = null;
            seconds[count] = null;
        }
    }
}

package io.parley.store.internal;

import io.parley.store.StoreLimits;
import org.jspecify.annotations.Nullable;

/**
 * The use of a full store by the owners of its entries, such as the publishers of documents. The owners are counted when the store is
 * full for the first time. A fixed number of counters, which owners share by a secret hash, bounds the memory. Must not be used by
 * several threads concurrently.
 */
final class OwnerShares {

    private static final int COUNTER_BITS = 16;

    /** The maximum number of entries that are examined to find one that has to go. */
    private static final int MAX_EXAMINED = 200;

    private static final byte[] FIRST = new byte[0];

    private final Tables tables;
    private final long minEntryBytes;
    private final long minShareBytes;
    private final long seed;

    /** The bytes by owner; {@code null} while the store has not been full. */
    private long @Nullable [] counters;

    private long bytes;
    private int owners;

    /** Where the search for an entry that has to go continues. */
    private byte[] next = FIRST;

    /** @param seed a number that other peers do not know */
    OwnerShares(Tables tables, StoreLimits limits, long seed) {
        this.tables = tables;
        this.minEntryBytes = Math.max(1, limits.maxBytes() / limits.maxEntries());
        this.minShareBytes = limits.maxDocumentBytes();
        this.seed = seed;
    }

    boolean isOf(Tables others) {
        return tables == others;
    }

    /** Counts the entries, unless they are counted already. */
    void count() {
        if (counters == null) {
            counters = new long[1 << COUNTER_BITS];
            tables.entries().scan(FIRST, (key, row) -> {
                change(key, row, 1);
                return true;
            });
        }
    }

    void add(byte[] key, byte[] row) {
        change(key, row, 1);
    }

    void remove(byte[] key, byte[] row) {
        change(key, row, -1);
    }

    private void change(byte[] key, byte[] row, int sign) {
        if (counters == null) {
            return;
        }
        int counter = counter(key);
        long before = counters[counter];
        long change = sign * Math.max(minEntryBytes, (long) key.length + row.length);
        counters[counter] = before + change;
        bytes += change;
        if (before == 0) {
            owners++;
        } else if (before + change == 0) {
            owners--;
        }
    }

    private int counter(byte[] key) {
        long hash = seed;
        for (int at = RowKeyCodec.nameStart(key); at < key.length && !StoreKey.endsOwner(key[at]); at++) {
            hash = (hash ^ key[at]) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        return (int) (hash >>> (Long.SIZE - COUNTER_BITS));
    }

    /** Returns whether the owner of an entry uses more than an equal share, and more than one large document. */
    boolean isAboveShare(byte[] key) {
        return counters != null && counters[counter(key)] > Math.max(minShareBytes, bytes / Math.max(1, owners));
    }

    /** Returns the key of an entry of an owner above its share; {@code null} if there is none among the next ones. */
    byte @Nullable [] findAboveShare() {
        Examination examination = new Examination();
        tables.entries().scan(next, examination);
        if (examination.isAtEnd()) {
            next = FIRST;
            tables.entries().scan(FIRST, examination);
        }
        return examination.found;
    }

    /** Examines entries in the order of their keys, from the first one behind those that were examined before. */
    private final class Examination implements Table.Visitor {

        private int examined;
        private byte @Nullable [] found;

        @Override
        public boolean visit(byte[] key, byte[] row) {
            next = key;
            if (isAboveShare(key)) {
                found = key;
            }
            return ++examined < MAX_EXAMINED && found == null;
        }

        private boolean isAtEnd() {
            return examined < MAX_EXAMINED && found == null;
        }
    }
}

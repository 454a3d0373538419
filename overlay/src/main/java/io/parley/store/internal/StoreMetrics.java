package io.parley.store.internal;

import io.parley.common.internal.Counters;

/** Counters of one store since it was opened; each only grows. Safe from any thread. */
public final class StoreMetrics {

    /** What is counted. */
    public enum Counter {
        /** Entries stored, whether new or in the place of others. */
        PUTS,
        /** Entries not stored because the same or a newer one was there. */
        PUTS_NOT_NEWER,
        /** Entries not stored because they broke a limit, had expired or were the nearest to expiry in a full store. */
        PUTS_REJECTED,
        /** Searches. */
        SEARCHES,
        /** Searches that the limit on scanned rows ended. */
        SEARCHES_TRUNCATED,
        /** Entries removed to make room. */
        EVICTED,
        /** Entries removed because they had expired. */
        PURGED,
        /** Times that what had changed was written to the file. */
        COMMITS,
        /** Damaged files set aside; all that was in them is lost. */
        CORRUPT_FILES,
        /** Times that the file could not be written; what had changed since the last commit is lost. */
        WRITE_FAILURES
    }

    private final Counters<Counter> counters = new Counters<>(Counter.class);

    /** All counters at zero. */
    public StoreMetrics() {}

    /** The count so far. */
    public long get(Counter counter) {
        return counters.get(counter);
    }

    /** Counts one. */
    public void increment(Counter counter) {
        counters.add(counter, 1);
    }
}

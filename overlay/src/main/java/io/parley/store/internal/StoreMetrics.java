package io.parley.store.internal;

import io.parley.common.internal.Counters;

/** Monotonic counters of one store since it was opened. Thread-safe. */
public final class StoreMetrics {

    /** The counted events. */
    public enum Counter {
        /** Entries stored, both new ones and replacements. */
        PUTS,
        /** Entries not stored because the store had the same or a newer one. */
        PUTS_NOT_NEWER,
        /** Entries not stored because they exceeded a limit, had expired or had no share in a full store. */
        PUTS_REJECTED,
        /** Searches. */
        SEARCHES,
        /** Searches ended by the limit on scanned rows. */
        SEARCHES_TRUNCATED,
        /** Entries removed because the store was full. */
        EVICTED,
        /** Entries removed because they had expired. */
        PURGED,
        /** Commits of changes to the file. */
        COMMITS,
        /** Corrupt files moved aside; their content is lost. */
        CORRUPT_FILES,
        /** Failures to write the file; the changes since the last commit are lost. */
        WRITE_FAILURES
    }

    private final Counters<Counter> counters = new Counters<>(Counter.class);

    /** Creates counters with the value 0. */
    public StoreMetrics() {}

    /** Returns the current count. */
    public long get(Counter counter) {
        return counters.get(counter);
    }

    /** Increments a counter. */
    public void increment(Counter counter) {
        counters.add(counter, 1);
    }
}

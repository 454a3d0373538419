package io.parley.store.internal;

/** What became of an entry that was put. */
public enum PutOutcome {
    /** There was none with this key. */
    ADDED,
    /** It took the place of one that was not newer. */
    REPLACED,
    /** The very same is stored already. */
    UNCHANGED,
    /** A newer one is stored, which stays. */
    STALE,
    /** It has expired. */
    EXPIRED,
    /** The store is full of entries that expire later. One with this key that was not newer is gone, too. */
    FULL;

    /** Whether the entry was news and is now in the store. */
    public boolean isStored() {
        return this == ADDED || this == REPLACED;
    }
}

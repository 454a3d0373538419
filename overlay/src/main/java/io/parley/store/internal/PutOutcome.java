package io.parley.store.internal;

/** The outcome of storing an entry. */
public enum PutOutcome {
    /** The store had no entry with this key. */
    ADDED,
    /** The entry replaced one that was not newer. */
    REPLACED,
    /** The store has the same entry already. */
    UNCHANGED,
    /** The store has a newer entry, which remains. */
    STALE,
    /** The entry has expired. */
    EXPIRED,
    /** The store is full, and its owner has a share or no other one has more. An older entry with this key was removed, too. */
    FULL;

    /** Returns whether the entry is new or newer and was stored. */
    public boolean isStored() {
        return this == ADDED || this == REPLACED;
    }
}

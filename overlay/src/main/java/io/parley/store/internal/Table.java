package io.parley.store.internal;

import org.jspecify.annotations.Nullable;

/**
 * Rows in the order of their keys as unsigned bytes. Any thread may read; one thread at a time may write. Callers and
 * implementations must not modify arrays that they share.
 */
interface Table {

    byte @Nullable [] get(byte[] key);

    void put(byte[] key, byte[] value);

    void remove(byte[] key);

    /** Returns the first key that is not less than {@code key}. */
    byte @Nullable [] ceilingKey(byte[] key);

    /** Visits rows in order, from the first whose key is not less than {@code from}, until the visitor returns {@code false}. */
    void scan(byte[] from, Visitor visitor);

    /** Receives rows. */
    interface Visitor {
        /** Returns whether to continue. */
        boolean visit(byte[] key, byte[] value);
    }
}

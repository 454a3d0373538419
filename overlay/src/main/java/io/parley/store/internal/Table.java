package io.parley.store.internal;

import org.jspecify.annotations.Nullable;

/**
 * Rows in the order of their keys as unsigned bytes. Read from any thread; written by one at a time. Nobody changes an
 * array that was passed in or out.
 */
interface Table {

    byte @Nullable [] get(byte[] key);

    void put(byte[] key, byte[] value);

    void remove(byte[] key);

    /** The first key that is not before this one. */
    byte @Nullable [] ceilingKey(byte[] key);

    /** Visits rows in order, from the first that is not before this key, until there are no more or the visitor says. */
    void scan(byte[] from, Visitor visitor);

    /** Looks at rows. */
    interface Visitor {
        /** Whether to go on. */
        boolean visit(byte[] key, byte[] value);
    }
}

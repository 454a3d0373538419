package io.parley.store.internal;

import java.util.function.Supplier;

/** The rows of a store. Reads may run concurrently with all operations except {@link #close}; all others run one at a time. */
interface Tables {

    /** Returns the entries: {@link EntryCodec} by key. */
    Table entries();

    /** Returns the attribute index: expiration (8 bytes) by attribute key. */
    Table attributes();

    /** Returns the expiration index; without values. */
    Table expiries();

    /** Returns the number and size of entries, which are stored with the rows. */
    StoreSize size();

    /** Returns the memory that a row needs besides its key and value, in bytes; 0 for rows in a file. */
    int rowOverheadBytes();

    /** Runs a read operation on a consistent version, whose pages are not reclaimed before it returns. */
    <T> T reading(Supplier<T> read);

    /** Returns the size of unwritten changes, in bytes of memory. */
    long unwrittenBytes();

    /** Writes all changes to the file atomically: after a crash it contains all or none. Returns whether there were any. */
    boolean commit();

    /** Waits until committed changes are on disk. May run concurrently with all operations except {@link #close}. */
    void sync();

    /** Compacts the file for a short time if it is worthwhile. */
    void compact(boolean idle);

    /** Commits and releases all resources. */
    void close();

    /** Releases all resources without writing; never fails. */
    void abandon();

    /** Opens tables. */
    interface Source extends AutoCloseable {
        /** Opens the existing tables, or creates them. */
        Tables open();

        /** Reopens the tables after a failure; its kind decides whether their content survives. */
        Tables reopen(Throwable failure);

        /** Releases the tables for other stores. */
        @Override
        void close();
    }
}

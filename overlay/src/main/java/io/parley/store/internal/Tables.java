package io.parley.store.internal;

import java.util.function.Supplier;

/** The rows of a store. Reads run beside anything but {@link #close}; all else is one at a time. */
interface Tables {

    /** Entries: {@link EntryCodec} by key. */
    Table entries();

    /** The index over attributes: expiry (8 bytes) by attribute key. */
    Table attributes();

    /** The index over expiry; without values. */
    Table expiries();

    /** Entries and bytes, which are kept with the rows. */
    StoreSize totals();

    /** Reads; what it sees is not taken away under its feet. */
    <T> T reading(Supplier<T> read);

    /** What there is to write, in bytes of memory. */
    long unwrittenBytes();

    /** Makes all changes so far part of the file, together: after a crash there are all or none. */
    boolean commit();

    /** Waits until what was committed is on disk. Runs beside anything but {@link #close}. */
    void sync();

    /** Does some work to make the file smaller, where it is worth it. */
    void compact(boolean idle);

    /** Commits, and releases everything. */
    void close();

    /** Releases everything without writing; never fails. */
    void abandon();

    /** Where tables come from. */
    interface Source extends AutoCloseable {
        /** Opens them: those that are there, or new ones. */
        Tables open();

        /** Opens them again after they failed; whether what was in them survives depends on how they did. */
        Tables reopen(Throwable failure);

        /** Lets others have them. */
        @Override
        void close();
    }
}

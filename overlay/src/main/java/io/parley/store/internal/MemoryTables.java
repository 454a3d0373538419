package io.parley.store.internal;

import java.util.function.Supplier;

/** Tables in memory, where nothing has to be written. */
final class MemoryTables implements Tables {
    private final Table entries = new MemoryTable();
    private final Table attributes = new MemoryTable();
    private final Table expiries = new MemoryTable();
    private final StoreSize totals = new StoreSize(0, 0);

    @Override
    public Table entries() {
        return entries;
    }

    @Override
    public Table attributes() {
        return attributes;
    }

    @Override
    public Table expiries() {
        return expiries;
    }

    @Override
    public StoreSize totals() {
        return totals;
    }

    @Override
    public <T> T reading(Supplier<T> read) {
        return read.get();
    }

    @Override
    public long unwrittenBytes() {
        return 0;
    }

    @Override
    public boolean commit() {
        return false;
    }

    @Override
    public void sync() {}

    @Override
    public void compact(boolean idle) {}

    @Override
    public void close() {}

    @Override
    public void abandon() {}

    /** New tables, which nothing can go wrong with. */
    static final class Source implements Tables.Source {
        @Override
        public Tables open() {
            return new MemoryTables();
        }

        @Override
        public Tables reopen(Throwable failure) {
            throw new IllegalStateException("tables in memory have failed", failure);
        }

        @Override
        public void close() {}
    }
}

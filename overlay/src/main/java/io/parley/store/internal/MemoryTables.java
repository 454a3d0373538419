package io.parley.store.internal;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tables in memory, without a file. */
final class MemoryTables implements Tables {

    /** About the memory of a node of the map with its share of the index, and of the headers of two arrays, in bytes. */
    static final int ROW_OVERHEAD_BYTES = 80;

    private final Table entries = new SkipListTable();
    private final Table attributes = new SkipListTable();
    private final Table expiries = new SkipListTable();
    private final StoreSize size = new StoreSize(0, 0);

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
    public StoreSize size() {
        return size;
    }

    @Override
    public int rowOverheadBytes() {
        return ROW_OVERHEAD_BYTES;
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

    /** Creates empty tables, which cannot fail. */
    static final class Source implements Tables.Source {
        @Override
        public Tables open() {
            return new MemoryTables();
        }

        @Override
        public Tables reopen(Throwable failure) {
            throw new IllegalStateException("tables in memory: failed", failure);
        }

        @Override
        public void close() {}
    }

    /** Rows in a sorted map. */
    private static final class SkipListTable implements Table {
        private final ConcurrentSkipListMap<byte[], byte[]> rows = new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

        @Override
        public byte @Nullable [] get(byte[] key) {
            return rows.get(key);
        }

        @Override
        public void put(byte[] key, byte[] value) {
            rows.put(key, value);
        }

        @Override
        public void remove(byte[] key) {
            rows.remove(key);
        }

        @Override
        public byte @Nullable [] ceilingKey(byte[] key) {
            return rows.ceilingKey(key);
        }

        @Override
        public void scan(byte[] from, Visitor visitor) {
            for (Map.Entry<byte[], byte[]> row : rows.tailMap(from).entrySet()) {
                if (!visitor.visit(row.getKey(), row.getValue())) {
                    return;
                }
            }
        }
    }
}

package io.parley.store.internal;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** Rows in memory. */
final class MemoryTable implements Table {
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

package io.parley.store.internal;

import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.jspecify.annotations.Nullable;

/** Rows in a map of the library. */
final class MvTable implements Table {
    private final MVMap<byte[], byte[]> rows;

    MvTable(MVMap<byte[], byte[]> rows) {
        this.rows = rows;
    }

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
        Cursor<byte[], byte[]> cursor = rows.cursor(from);
        while (cursor.hasNext()) {
            byte[] key = cursor.next();
            if (!visitor.visit(key, cursor.getValue())) {
                return;
            }
        }
    }
}

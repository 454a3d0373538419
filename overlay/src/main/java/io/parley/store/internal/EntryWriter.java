package io.parley.store.internal;

import io.parley.store.StoreLimits;
import io.parley.store.internal.StoreMetrics.Counter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Changes tables and enforces their limits. Must not be used by several threads concurrently. */
final class EntryWriter {
    private static final byte[] FIRST = new byte[0];
    private static final byte[] NOTHING = new byte[0];

    /** Only lowered limits require more evictions; the maintenance performs the rest. */
    private static final int MAX_EVICTIONS = 256;

    private final Tables tables;
    private final StoreLimits limits;
    private final StoreMetrics metrics;

    EntryWriter(Tables tables, StoreLimits limits, StoreMetrics metrics) {
        this.tables = tables;
        this.limits = limits;
        this.metrics = metrics;
    }

    PutOutcome put(EntryRows rows, long nowMillis) {
        byte @Nullable [] old = tables.entries().get(rows.key());
        boolean alive = old != null && EntryCodec.expiresMillis(old) > nowMillis;
        if (old != null && alive) {
            if (Arrays.equals(old, rows.record())) {
                return PutOutcome.UNCHANGED;
            }
            if (EntryCodec.issuedMillis(old) > EntryCodec.issuedMillis(rows.record())) {
                return PutOutcome.STALE;
            }
        }
        write(rows, old == null ? null : rowsOf(rows.key(), old));
        if (evict(MAX_EVICTIONS) && tables.entries().get(rows.key()) == null) {
            return PutOutcome.FULL;
        }
        return alive ? PutOutcome.REPLACED : PutOutcome.ADDED;
    }

    /** Replaces rows. Rows that old and new entry share are never absent, because searches read concurrently. */
    private void write(EntryRows rows, @Nullable EntryRows old) {
        byte[] expiry = ByteBuffer.allocate(Long.BYTES)
                .putLong(EntryCodec.expiresMillis(rows.record()))
                .array();
        tables.entries().put(rows.key(), rows.record());
        tables.expiries().put(rows.expiry(), NOTHING);
        for (byte[] attribute : rows.attributes()) {
            tables.attributes().put(attribute, expiry);
        }
        if (old != null) {
            for (byte[] attribute : old.attributes()) {
                if (!rows.attributes().contains(attribute)) {
                    tables.attributes().remove(attribute);
                }
            }
            if (!Arrays.equals(old.expiry(), rows.expiry())) {
                tables.expiries().remove(old.expiry());
            }
        }
        tables.size().add(old == null ? 1 : 0, rows.bytes() - (old == null ? 0 : old.bytes()));
    }

    /** Removes an entry. Returns whether there was an unexpired one. */
    boolean remove(byte[] key, long nowMillis) {
        byte @Nullable [] record = tables.entries().get(key);
        if (record == null) {
            return false;
        }
        delete(rowsOf(key, record));
        return EntryCodec.expiresMillis(record) > nowMillis;
    }

    /** Removes at most {@code maxEntries} expired entries. Returns whether there may be more. */
    boolean purge(long nowMillis, int maxEntries) {
        for (int purged = 0; purged < maxEntries; purged++) {
            byte @Nullable [] first = tables.expiries().ceilingKey(FIRST);
            if (first == null || RowKeyCodec.millisOf(first) > nowMillis) {
                return false;
            }
            deleteExpiring(first);
            metrics.increment(Counter.PURGED);
        }
        return true;
    }

    /** Evicts the entries that expire first, at most {@code maxEntries}, until the rest is within the limits. Returns whether any. */
    boolean evict(int maxEntries) {
        int evicted = 0;
        while (evicted < maxEntries && isOverfull()) {
            byte @Nullable [] first = tables.expiries().ceilingKey(FIRST);
            if (first == null) {
                break;
            }
            deleteExpiring(first);
            metrics.increment(Counter.EVICTED);
            evicted++;
        }
        return evicted > 0;
    }

    private boolean isOverfull() {
        StoreSize size = tables.size();
        return size.count() > limits.maxEntries() || size.bytes() > limits.maxBytes();
    }

    private void deleteExpiring(byte[] expiry) {
        byte[] key = RowKeyCodec.entryOf(expiry);
        byte @Nullable [] record = tables.entries().get(key);
        if (record == null) {
            throw new IllegalStateException("expiration index: refers to a missing entry");
        }
        delete(rowsOf(key, record));
    }

    private void delete(EntryRows rows) {
        rows.attributes().forEach(tables.attributes()::remove);
        tables.expiries().remove(rows.expiry());
        tables.entries().remove(rows.key());
        tables.size().add(-1, -rows.bytes());
    }

    private static EntryRows rowsOf(byte[] key, byte[] record) {
        return EntryRows.of(EntryCodec.decode(key, record));
    }
}

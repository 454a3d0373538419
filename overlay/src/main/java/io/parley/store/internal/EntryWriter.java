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
    private final OwnerShares owners;

    EntryWriter(Tables tables, StoreLimits limits, StoreMetrics metrics, OwnerShares owners) {
        this.tables = tables;
        this.limits = limits;
        this.metrics = metrics;
        this.owners = owners;
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
        boolean isSurplus = isOverfull();
        write(rows, old == null ? null : rowsOf(rows.key(), old));
        if (isSurplus) {
            evict(MAX_EVICTIONS);
        } else if (isOverfull()) {
            purge(nowMillis, MAX_EVICTIONS);
            evictFor(rows.key());
        }
        if (tables.entries().get(rows.key()) == null) {
            return PutOutcome.FULL;
        }
        return alive ? PutOutcome.REPLACED : PutOutcome.ADDED;
    }

    /**
     * Makes room for a new entry at the cost of owners with more than an equal share, or removes it. When entries expire does not
     * matter: otherwise a flood of entries that expire late would displace the others.
     */
    private void evictFor(byte[] newKey) {
        if (isOverfull()) {
            owners.count();
        }
        for (int evicted = 0; isOverfull(); evicted++) {
            byte @Nullable [] key =
                    evicted == MAX_EVICTIONS || owners.isAboveShare(newKey) ? null : owners.findAboveShare();
            if (key == null) {
                delete(newKey);
                return;
            }
            delete(key);
            metrics.increment(Counter.EVICTED);
        }
    }

    /** Replaces rows. Rows that old and new entry share are never absent, because searches read concurrently. */
    private void write(EntryRows rows, @Nullable EntryRows old) {
        byte[] expiry = ByteBuffer.allocate(Long.BYTES)
                .putLong(EntryCodec.expiresMillis(rows.record()))
                .array();
        if (old != null) {
            owners.remove(old.key(), old.record());
        }
        tables.entries().put(rows.key(), rows.record());
        owners.add(rows.key(), rows.record());
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
        tables.size().add(old == null ? 1 : 0, bytes(rows) - (old == null ? 0 : bytes(old)));
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
        delete(RowKeyCodec.entryOf(expiry));
    }

    private void delete(byte[] key) {
        byte @Nullable [] record = tables.entries().get(key);
        if (record == null) {
            throw new IllegalStateException("index: refers to a missing entry");
        }
        delete(rowsOf(key, record));
    }

    private void delete(EntryRows rows) {
        rows.attributes().forEach(tables.attributes()::remove);
        tables.expiries().remove(rows.expiry());
        tables.entries().remove(rows.key());
        owners.remove(rows.key(), rows.record());
        tables.size().add(-1, -bytes(rows));
    }

    private long bytes(EntryRows rows) {
        return rows.bytes(tables.rowOverheadBytes());
    }

    private static EntryRows rowsOf(byte[] key, byte[] record) {
        return EntryRows.of(EntryCodec.decode(key, record));
    }
}

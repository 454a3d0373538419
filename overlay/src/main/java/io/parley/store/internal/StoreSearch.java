package io.parley.store.internal;

import io.parley.store.ValuePattern;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One look-up. Others write at the same time: the indexes only say where to look, the entry itself is what decides.
 */
final class StoreSearch {
    private final Tables tables;
    private final StoreQuery query;
    private final long nowMillis;
    private final int limit;
    private final Map<byte[], StoreEntry> found = new TreeMap<>(Arrays::compareUnsigned);
    private int rowsLeft;
    private boolean complete = true;

    /** A search for at most {@code limit} entries, in at most {@code maxRows} rows. */
    StoreSearch(Tables tables, StoreQuery query, long nowMillis, int limit, int maxRows) {
        this.tables = tables;
        this.query = query;
        this.nowMillis = nowMillis;
        this.limit = limit;
        this.rowsLeft = maxRows;
    }

    static Optional<StoreEntry> get(Tables tables, StoreKey key, long nowMillis) {
        byte[] row = RowKeyCodec.entry(key);
        byte @Nullable [] record = tables.entries().get(row);
        if (record == null || EntryCodec.expiresMillis(record) <= nowMillis) {
            return Optional.empty();
        }
        return Optional.of(EntryCodec.decode(row, record));
    }

    void run() {
        String type = query.type();
        if (type != null) {
            searchType(RowKeyCodec.type(query.group(), type));
        } else {
            searchGroup(RowKeyCodec.group(query.group()));
        }
    }

    Collection<StoreEntry> found() {
        return found.values();
    }

    /** Whether the limit on entries did not end the search, nor that on rows. */
    boolean isComplete() {
        return complete;
    }

    boolean isCutShort() {
        return rowsLeft <= 0 && !complete;
    }

    /** Jumps from type to type, whatever lies between. */
    private void searchGroup(byte[] group) {
        byte @Nullable [] next = tables.entries().ceilingKey(group);
        while (next != null && RowKeyCodec.startsWith(next, group) && takeRow()) {
            byte[] type = RowKeyCodec.typeOf(next);
            searchType(type);
            next = tables.entries().ceilingKey(RowKeyCodec.afterType(type));
        }
    }

    private void searchType(byte[] type) {
        String attribute = query.attribute();
        if (attribute == null) {
            scanEntries(type);
        } else {
            scanAttribute(type, attribute);
        }
    }

    private void scanEntries(byte[] type) {
        tables.entries().scan(type, (key, record) -> {
            if (!RowKeyCodec.startsWith(key, type)) {
                return false;
            }
            if (!takeRow()) {
                return false;
            }
            return EntryCodec.expiresMillis(record) <= nowMillis || add(key, record);
        });
    }

    private void scanAttribute(byte[] type, String attribute) {
        ValuePattern pattern = query.value();
        byte[] values = RowKeyCodec.values(type, attribute, "");
        byte[] prefix = RowKeyCodec.values(type, attribute, pattern.prefix());
        byte[] wanted = pattern.isExact() ? RowKeyCodec.terminated(prefix) : prefix;
        tables.attributes().scan(wanted, (row, expiry) -> {
            if (!RowKeyCodec.startsWith(row, wanted)) {
                return false;
            }
            if (!takeRow()) {
                return false;
            }
            if (ByteBuffer.wrap(expiry).getLong() <= nowMillis
                    || !pattern.matches(RowKeyCodec.valueOf(row, values.length))) {
                return true;
            }
            byte[] key = RowKeyCodec.entryOf(row, type.length, values.length);
            byte @Nullable [] record = tables.entries().get(key);
            return record == null || add(key, record);
        });
    }

    /** Adds the entry if it is one of those wanted; whether to go on. */
    private boolean add(byte[] key, byte[] record) {
        if (found.containsKey(key)) {
            return true;
        }
        StoreEntry entry = EntryCodec.decode(key, record);
        if (entry.isExpired(nowMillis) || !query.matches(entry)) {
            return true;
        }
        if (found.size() >= limit) {
            complete = false;
            return false;
        }
        found.put(key, entry);
        return true;
    }

    private boolean takeRow() {
        if (!complete) {
            return false;
        }
        if (rowsLeft <= 0) {
            complete = false;
            return false;
        }
        rowsLeft--;
        return true;
    }
}

package io.parley.store.internal;

import io.parley.store.ValuePattern;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One search. Writers run concurrently: an index row is only a hint, and the entry itself decides whether it matches. */
final class StoreSearch {
    private final Tables tables;
    private final StoreQuery query;
    private final long nowMillis;
    private final int limit;
    private final UnaryOperator<StoreEntry> kept;
    private final Map<byte[], StoreEntry> found = new TreeMap<>(Arrays::compareUnsigned);
    private int rowsLeft;
    private boolean complete = true;

    /**
     * Creates a search for at most {@code limit} entries, in at most {@code maxRows} rows.
     *
     * @param kept returns what is kept of an entry
     */
    StoreSearch(
            Tables tables, StoreQuery query, long nowMillis, int limit, int maxRows, UnaryOperator<StoreEntry> kept) {
        this.tables = tables;
        this.query = query;
        this.nowMillis = nowMillis;
        this.limit = limit;
        this.rowsLeft = maxRows;
        this.kept = kept;
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

    /** Returns whether neither the limit on entries nor that on rows ended the search. */
    boolean isComplete() {
        return complete;
    }

    /** Returns whether the limit on rows ended the search. */
    boolean isTruncated() {
        return rowsLeft <= 0 && !complete;
    }

    /** Skips from type to type without reading the entries between. */
    private void searchGroup(byte[] group) {
        byte @Nullable [] next = tables.entries().ceilingKey(group);
        while (next != null && RowKeyCodec.startsWith(next, group) && acquireRow()) {
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
            if (!acquireRow()) {
                return false;
            }
            return EntryCodec.expiresMillis(record) <= nowMillis || add(key, record);
        });
    }

    private void scanAttribute(byte[] type, String attribute) {
        ValuePattern pattern = query.value();
        byte[] values = RowKeyCodec.values(type, attribute, "");
        byte[] prefix = RowKeyCodec.values(type, attribute, pattern.prefix());
        byte[] start = pattern.isExact() ? RowKeyCodec.terminated(prefix) : prefix;
        tables.attributes().scan(start, (row, expiry) -> {
            if (!RowKeyCodec.startsWith(row, start)) {
                return false;
            }
            if (!acquireRow()) {
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

    /** Adds the entry if it matches. Returns whether the search continues. */
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
        found.put(key, kept.apply(entry));
        return true;
    }

    private boolean acquireRow() {
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

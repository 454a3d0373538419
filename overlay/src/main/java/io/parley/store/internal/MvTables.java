package io.parley.store.internal;

import io.parley.store.StoreLimits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tables in a file of H2's MVStore. MVStore never writes on its own: it has no thread, and commits happen only between two changes
 * of the store, so that indexes and entries in the file are always consistent.
 */
final class MvTables implements Tables {
    private static final Logger log = LoggerFactory.getLogger(MvTables.class);

    private static final byte[] SIZE_KEY = "totals".getBytes(StandardCharsets.US_ASCII);
    private static final int SIZE_BYTES = Integer.BYTES + 2 * Long.BYTES;

    /** The version of the row format; files of another version are not read. */
    private static final int FORMAT = 1;

    private static final int MIB = 1024 * 1024;

    /**
     * Pages are not reused before this time has passed. Every commit is synced within about a second. A power failure before the
     * sync may undo the commit, so the previous pages must still exist.
     */
    private static final int RETENTION_MILLIS = 5000;

    /** A file that exceeds its content by this factor is compacted even when it is busy. */
    private static final int MAX_FILE_FACTOR = 3;

    private static final long MIN_BUSY_COMPACTION_BYTES = 64L * MIB;

    private static final int COMPACTION_MILLIS = 100;

    /** The maximum for a file that continues to grow; its writers may be delayed. */
    private static final int MAX_COMPACTION_MILLIS = 500;

    /** Content moves several times before the end of the file becomes free. */
    private static final int MAX_INEFFECTIVE_COMPACTIONS = 20;

    private static final int CLOSING_COMPACTION_MILLIS = 1000;

    private final StoreFile file;
    private final MVStore store;
    private final MapTable entries;
    private final MapTable attributes;
    private final MapTable expiries;
    private final MVMap<byte[], byte[]> header;
    private final StoreSize size;

    /** Accessed by {@link #sync} and under its lock only. */
    private boolean unsynced;

    /** The smallest file size since the last commit, and the number of successive compactions without effect. */
    private long smallestBytes = Long.MAX_VALUE;

    private int ineffectiveCompactions;

    private MvTables(StoreFile file, MVStore store, boolean isNew) {
        this.file = file;
        this.store = store;
        store.setRetentionTime(RETENTION_MILLIS);
        entries = new MapTable(map("entries"));
        attributes = new MapTable(map("attributes"));
        expiries = new MapTable(map("expiries"));
        header = map("header");
        if (isNew) {
            size = new StoreSize(0, 0);
            commit();
            sync();
        } else {
            size = readSize(header.get(SIZE_KEY));
        }
    }

    /**
     * Opens the tables in an existing file; creates them if it is empty.
     *
     * @throws IOException if the file cannot be opened, whatever its content. All other failures mean that it is corrupt, except
     *     those for which {@link #isCorruption} returns {@code false}
     */
    static MvTables open(Path path, StoreLimits limits) throws IOException {
        StoreFile file = new StoreFile(path, (int) (limits.cacheBytes() / MIB));
        boolean opened = false;
        try {
            boolean isNew = file.fileBytes() == 0;
            MVStore store = new MVStore.Builder()
                    .adoptFileStore(file)
                    .autoCommitDisabled()
                    .autoCommitBufferSize(0)
                    .open();
            MvTables tables = new MvTables(file, store, isNew);
            opened = true;
            return tables;
        } finally {
            if (!opened) {
                file.closeFiles();
            }
        }
    }

    /** Returns whether a failure means that the content of the file is corrupt, rather than that the disk failed. */
    static boolean isCorruption(Throwable failure) {
        return !(failure instanceof MVStoreException e)
                || (e.getErrorCode() != org.h2.mvstore.DataUtils.ERROR_WRITING_FAILED
                        && e.getErrorCode() != org.h2.mvstore.DataUtils.ERROR_CLOSED);
    }

    private MVMap<byte[], byte[]> map(String name) {
        return store.openMap(
                name,
                new MVMap.Builder<byte[], byte[]>()
                        .keyType(ByteArrayDataType.INSTANCE)
                        .valueType(ByteArrayDataType.INSTANCE));
    }

    private static StoreSize readSize(byte @Nullable [] row) {
        if (row == null || row.length != SIZE_BYTES) {
            throw new IllegalStateException("header: missing or invalid (expected: an advertisement store)");
        }
        ByteBuffer in = ByteBuffer.wrap(row);
        int format = in.getInt();
        if (format != FORMAT) {
            throw new IllegalStateException("format: " + format + " (expected: " + FORMAT + ")");
        }
        return new StoreSize(in.getLong(), in.getLong());
    }

    private void writeSize() {
        byte[] row = ByteBuffer.allocate(SIZE_BYTES)
                .putInt(FORMAT)
                .putLong(size.count())
                .putLong(size.bytes())
                .array();
        header.put(SIZE_KEY, row);
    }

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
        return 0;
    }

    @Override
    public <T> T reading(Supplier<T> read) {
        MVStore.TxCounter version = store.registerVersionUsage();
        try {
            return read.get();
        } finally {
            store.deregisterVersionUsage(version);
        }
    }

    @Override
    public long unwrittenBytes() {
        return store.getUnsavedMemory();
    }

    @Override
    public boolean commit() {
        if (!store.hasUnsavedChanges()) {
            return false;
        }
        writeSize();
        markUnsynced();
        store.commit();
        smallestBytes = Long.MAX_VALUE;
        ineffectiveCompactions = 0;
        return true;
    }

    private synchronized void markUnsynced() {
        unsynced = true;
    }

    // Synchronized: a concurrent caller must not return before the sync in progress has completed.
    @Override
    public synchronized void sync() {
        if (unsynced) {
            store.sync();
            unsynced = false;
        }
    }

    @Override
    public void compact(boolean idle) {
        long before = file.fileBytes();
        boolean tooLarge = before > MIN_BUSY_COMPACTION_BYTES && before > MAX_FILE_FACTOR * size.bytes();
        if (ineffectiveCompactions >= MAX_INEFFECTIVE_COMPACTIONS || !(idle || tooLarge) || !file.isSparse()) {
            return;
        }
        commit();
        long excess = before / Math.max(1, MAX_FILE_FACTOR * size.bytes());
        store.compactFile((int) Math.min(MAX_COMPACTION_MILLIS, COMPACTION_MILLIS * Math.max(1, excess)));
        store.setRetentionTime(RETENTION_MILLIS); // compactFile sets it to zero
        ineffectiveCompactions = file.fileBytes() < smallestBytes ? 0 : ineffectiveCompactions + 1;
        smallestBytes = Math.min(smallestBytes, file.fileBytes());
        log.debug("Compacted {} from {} to {} bytes", file.getFileName(), before, file.fileBytes());
    }

    @Override
    public void close() {
        commit();
        sync();
        boolean interrupted = Thread.interrupted(); // MVStore would abort closing
        try {
            store.close(CLOSING_COMPACTION_MILLIS);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void abandon() {
        store.closeImmediately();
    }

    /** Rows in a map of the MVStore. */
    private static final class MapTable implements Table {
        private final MVMap<byte[], byte[]> rows;

        MapTable(MVMap<byte[], byte[]> rows) {
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
}

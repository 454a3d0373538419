package io.parley.store.internal;

import io.parley.store.StoreLimits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tables in a file. The library never writes on its own account: it has no thread, and a commit is only ever made
 * between two changes of the store, so that the indexes and the entries in the file always belong together.
 */
final class MvTables implements Tables {
    private static final Logger LOG = LoggerFactory.getLogger(MvTables.class);

    private static final byte[] TOTALS = "totals".getBytes(StandardCharsets.US_ASCII);
    private static final int TOTALS_BYTES = Integer.BYTES + 2 * Long.BYTES;

    /** Of the rows; a file of another one is not read. */
    private static final int FORMAT = 1;

    private static final int MIB = 1024 * 1024;

    /**
     * Space is written over only after that time. Every commit is synced within about a second, before which a power
     * failure may undo it, and then the older pages have to be there still.
     */
    private static final int RETENTION_MILLIS = 5000;

    /** A file that large for its content is compacted even when it is busy. */
    private static final int MAX_FILE_FACTOR = 3;

    private static final long MIN_BUSY_COMPACTION_BYTES = 64L * MIB;

    private static final int COMPACTION_MILLIS = 100;

    /** As long for a file that grows in spite of it: whoever changes so much can wait. */
    private static final int MAX_COMPACTION_MILLIS = 500;

    /** Content moves a few times before the end of the file is free. */
    private static final int MAX_VAIN_COMPACTIONS = 20;

    private static final int CLOSING_COMPACTION_MILLIS = 1000;

    private final StoreFile file;
    private final MVStore store;
    private final MvTable entries;
    private final MvTable attributes;
    private final MvTable expiries;
    private final MVMap<byte[], byte[]> header;
    private final StoreSize totals;

    /** Only {@link #sync} and what it excludes touch it. */
    private boolean unsynced;

    /** The smallest the file was since the last commit, and how often compacting has not made it smaller in a row. */
    private long smallestBytes = Long.MAX_VALUE;

    private int vainCompactions;

    private MvTables(StoreFile file, MVStore store, boolean isNew) {
        this.file = file;
        this.store = store;
        store.setRetentionTime(RETENTION_MILLIS);
        entries = new MvTable(map("entries"));
        attributes = new MvTable(map("attributes"));
        expiries = new MvTable(map("expiries"));
        header = map("header");
        if (isNew) {
            totals = new StoreSize(0, 0);
            commit();
            sync();
        } else {
            totals = readTotals(header.get(TOTALS));
        }
    }

    /**
     * Opens the tables in that file, which is there; new ones when it is empty.
     *
     * @throws IOException when the file can't be opened, whatever is in it. All other failures mean that it is damaged,
     *     but for those {@link #isDamage} says otherwise of
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

    /** Whether the failure speaks against the content of the file, and not against what it lies on. */
    static boolean isDamage(Throwable failure) {
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

    private static StoreSize readTotals(byte @Nullable [] row) {
        if (row == null || row.length != TOTALS_BYTES) {
            throw new IllegalStateException("it is not an advertisement store");
        }
        ByteBuffer in = ByteBuffer.wrap(row);
        int format = in.getInt();
        if (format != FORMAT) {
            throw new IllegalStateException("format: " + format + " (expected: " + FORMAT + ")");
        }
        return new StoreSize(in.getLong(), in.getLong());
    }

    private void writeTotals() {
        byte[] row = ByteBuffer.allocate(TOTALS_BYTES)
                .putInt(FORMAT)
                .putLong(totals.count())
                .putLong(totals.bytes())
                .array();
        header.put(TOTALS, row);
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
    public StoreSize totals() {
        return totals;
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
        writeTotals();
        markUnsynced();
        store.commit();
        smallestBytes = Long.MAX_VALUE;
        vainCompactions = 0;
        return true;
    }

    private synchronized void markUnsynced() {
        unsynced = true;
    }

    // Who comes while another syncs waits for it, and does not believe to be on disk what is on its way.
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
        boolean tooLarge = before > MIN_BUSY_COMPACTION_BYTES && before > MAX_FILE_FACTOR * totals.bytes();
        if (vainCompactions >= MAX_VAIN_COMPACTIONS || !(idle || tooLarge) || !file.isSparse()) {
            return;
        }
        commit();
        long excess = before / Math.max(1, MAX_FILE_FACTOR * totals.bytes());
        store.compactFile((int) Math.min(MAX_COMPACTION_MILLIS, COMPACTION_MILLIS * Math.max(1, excess)));
        store.setRetentionTime(RETENTION_MILLIS); // compactFile has set it to zero
        vainCompactions = file.fileBytes() < smallestBytes ? 0 : vainCompactions + 1;
        smallestBytes = Math.min(smallestBytes, file.fileBytes());
        LOG.debug("compacted {} from {} to {} bytes", file.getFileName(), before, file.fileBytes());
    }

    @Override
    public void close() {
        commit();
        sync();
        boolean interrupted = Thread.interrupted(); // the library would stop half way
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
}

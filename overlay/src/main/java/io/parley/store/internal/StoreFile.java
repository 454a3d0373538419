package io.parley.store.internal;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.ZipOutputStream;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.RandomAccessStore;
import org.h2.mvstore.SFChunk;

/**
 * The file of an MVStore. It replaces H2's implementation for two reasons: an interrupted reader would close H2's channel for all
 * threads, and H2 would trust a corrupt file that declares a chunk of 2 GiB.
 *
 * <p>This class does not lock the file; {@link StoreFileLock} does.
 */
final class StoreFile extends RandomAccessStore {

    /** Keys arrive in random order, so nearly every change modifies a page of its own, which is written as a whole. */
    private static final int PAGE_BYTES = 4096;

    /** Compaction writes this amount before it checks its time limit. A commit must fit into it. */
    private static final int COMPACTION_STEP_BYTES = 16 * 1024 * 1024;

    /** Pages with a lower fill rate are rewritten. */
    private static final int WANTED_FILL_PERCENT = 65;

    private final RandomAccessFile reader;
    private final RandomAccessFile writer;

    StoreFile(Path path, int cacheMebibytes) throws IOException {
        super(Map.of("cacheSize", cacheMebibytes, "pageSplitSize", PAGE_BYTES));
        writer = new RandomAccessFile(path.toFile(), "rw");
        try {
            reader = new RandomAccessFile(path.toFile(), "r");
            init(path.toString(), false);
            setSize(writer.length());
        } catch (IOException | RuntimeException e) {
            writer.close();
            throw e;
        }
    }

    long fileBytes() {
        return size();
    }

    /**
     * If the newest version is missing, H2 silently opens an older one. That is correct after a crash; a file that was closed
     * orderly has lost data.
     */
    @Override
    protected void readStoreHeader(boolean recovery) {
        super.readStoreHeader(recovery);
        long written = DataUtils.readHexLong(storeHeader, "version", 0);
        if (storeHeader.containsKey("clean") && lastChunkVersion() < written) {
            throw DataUtils.newMVStoreException(
                    DataUtils.ERROR_FILE_CORRUPT,
                    "file was closed with version {0}, but its newest version is {1}",
                    written,
                    lastChunkVersion());
        }
    }

    /** Returns whether compaction is worthwhile. */
    boolean isSparse() {
        return getChunksFillRate() < WANTED_FILL_PERCENT || getFillRate() < WANTED_FILL_PERCENT;
    }

    @Override
    public ByteBuffer readFully(SFChunk chunk, long position, int length) {
        if (position < 0 || length < 0 || position > size() - length) {
            throw DataUtils.newMVStoreException(
                    DataUtils.ERROR_FILE_CORRUPT,
                    "{0} bytes at {1} exceed the file of {2} bytes",
                    length,
                    position,
                    size());
        }
        byte[] bytes = new byte[length];
        try {
            synchronized (reader) {
                reader.seek(position);
                reader.readFully(bytes);
            }
        } catch (IOException e) {
            throw DataUtils.newMVStoreException(DataUtils.ERROR_READING_FAILED, "cannot read {0}", getFileName(), e);
        }
        readCount.incrementAndGet();
        readBytes.addAndGet(length);
        return ByteBuffer.wrap(bytes);
    }

    @Override
    protected void writeFully(SFChunk chunk, long position, ByteBuffer bytes) {
        int length = bytes.remaining();
        try {
            synchronized (writer) {
                writer.seek(position);
                writer.write(bytes.array(), bytes.arrayOffset() + bytes.position(), length);
            }
        } catch (IOException e) {
            throw cannotWrite(e);
        }
        setSize(Math.max(size(), position + length));
        writeCount.incrementAndGet();
        writeBytes.addAndGet(length);
    }

    @Override
    protected void truncate(long length) {
        try {
            writer.setLength(length);
        } catch (IOException e) {
            throw cannotWrite(e);
        }
        setSize(length);
        writeCount.incrementAndGet();
    }

    @Override
    public void sync() {
        try {
            writer.getFD().sync();
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    private MVStoreException cannotWrite(IOException e) {
        return DataUtils.newMVStoreException(DataUtils.ERROR_WRITING_FAILED, "cannot write {0}", getFileName(), e);
    }

    @Override
    public void compactStore(long maxMillis) {
        compactStore(WANTED_FILL_PERCENT, maxMillis, COMPACTION_STEP_BYTES, getMvStore());
    }

    @Override
    public void close() {
        closeFiles();
        super.close();
    }

    /** Closes the files if the MVStore has not been opened. */
    void closeFiles() {
        try (reader;
                writer) {
            // closes both, even if one fails
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    @Override
    public void open(String fileName, boolean readOnly, char[] encryptionKey) {
        throw new UnsupportedOperationException("store file: open since its construction");
    }

    @Override
    public StoreFile open(String fileName, boolean readOnly) {
        throw new UnsupportedOperationException("store file: compaction works in place");
    }

    @Override
    public void backup(ZipOutputStream out) {
        throw new UnsupportedOperationException("store file: a cache has no backup");
    }
}

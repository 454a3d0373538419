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
 * The file below the library. The library's own would be closed for all by any thread that is interrupted while it
 * reads, since that is what channels do; and it would believe a damaged file that announces a chunk of 2 GiB.
 *
 * <p>It does not lock the file: {@link StoreFileLock} does.
 */
final class StoreFile extends RandomAccessStore {

    /** Keys come in no order, so nearly every change touches a page of its own, which is written whole. */
    private static final int PAGE_BYTES = 4096;

    /** Compaction writes that much at a time, and looks at its clock in between. A commit must fit in. */
    private static final int COMPACTION_STEP_BYTES = 16 * 1024 * 1024;

    /** Pages of which less is in use are worth writing anew. */
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
     * Where the library misses the newest version it quietly takes an older one. After a crash that is what we want; a
     * file that was closed in order has lost something.
     */
    @Override
    protected void readStoreHeader(boolean recovery) {
        super.readStoreHeader(recovery);
        long written = DataUtils.readHexLong(storeHeader, "version", 0);
        if (storeHeader.containsKey("clean") && lastChunkVersion() < written) {
            throw DataUtils.newMVStoreException(
                    DataUtils.ERROR_FILE_CORRUPT,
                    "it was closed with version {0}, but the newest is {1}",
                    written,
                    lastChunkVersion());
        }
    }

    /** Whether compaction is worth it. */
    boolean isSparse() {
        return getChunksFillRate() < WANTED_FILL_PERCENT || getFillRate() < WANTED_FILL_PERCENT;
    }

    @Override
    public ByteBuffer readFully(SFChunk chunk, long position, int length) {
        if (position < 0 || length < 0 || position > size() - length) {
            throw DataUtils.newMVStoreException(
                    DataUtils.ERROR_FILE_CORRUPT,
                    "{0} bytes at {1} are not in a file of {2} bytes",
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
            throw DataUtils.newMVStoreException(DataUtils.ERROR_READING_FAILED, "can't read {0}", getFileName(), e);
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
        return DataUtils.newMVStoreException(DataUtils.ERROR_WRITING_FAILED, "can't write {0}", getFileName(), e);
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

    /** For when the library has not come as far as to know the file. */
    void closeFiles() {
        try (reader;
                writer) {
            // both are closed, whatever happens to the other
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    @Override
    public void open(String fileName, boolean readOnly, char[] encryptionKey) {
        throw new UnsupportedOperationException("it is open from the start");
    }

    @Override
    public StoreFile open(String fileName, boolean readOnly) {
        throw new UnsupportedOperationException("compaction is done in place");
    }

    @Override
    public void backup(ZipOutputStream out) {
        throw new UnsupportedOperationException("a cache needs no backup");
    }
}

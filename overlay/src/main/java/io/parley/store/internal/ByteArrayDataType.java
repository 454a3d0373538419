package io.parley.store.internal;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;

/**
 * Byte arrays in the order of unsigned bytes. All keys and all values of a page have a checksum, because H2 has checksums only for
 * the positions of its pages.
 */
final class ByteArrayDataType extends BasicDataType<byte[]> {
    static final ByteArrayDataType INSTANCE = new ByteArrayDataType();

    /** The overhead of an array in memory. */
    private static final int ARRAY_BYTES = 24;

    private ByteArrayDataType() {}

    @Override
    public int getMemory(byte[] bytes) {
        return ARRAY_BYTES + bytes.length;
    }

    @Override
    public int compare(byte[] first, byte[] second) {
        return Arrays.compareUnsigned(first, second);
    }

    @Override
    public void write(WriteBuffer out, byte[] bytes) {
        out.putVarInt(bytes.length).put(bytes);
    }

    @Override
    public byte[] read(ByteBuffer in) {
        int length = DataUtils.readVarInt(in);
        if (length < 0 || length > in.remaining()) {
            throw corrupt("length: " + length + " (expected: 0 to " + in.remaining() + ")");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    @Override
    public void write(WriteBuffer out, Object storage, int count) {
        byte[][] arrays = cast(storage);
        CRC32C checksum = new CRC32C();
        for (int i = 0; i < count; i++) {
            write(out, arrays[i]);
            update(checksum, arrays[i]);
        }
        out.putInt((int) checksum.getValue());
    }

    @Override
    public void read(ByteBuffer in, Object storage, int count) {
        byte[][] arrays = cast(storage);
        CRC32C checksum = new CRC32C();
        for (int i = 0; i < count; i++) {
            arrays[i] = read(in);
            update(checksum, arrays[i]);
        }
        if (in.remaining() < Integer.BYTES || in.getInt() != (int) checksum.getValue()) {
            throw corrupt("page: wrong checksum");
        }
    }

    private static void update(CRC32C checksum, byte[] bytes) {
        checksum.update(bytes.length);
        checksum.update(bytes);
    }

    private static MVStoreException corrupt(String what) {
        return DataUtils.newMVStoreException(DataUtils.ERROR_FILE_CORRUPT, what);
    }

    @Override
    public byte[][] createStorage(int size) {
        return new byte[size][];
    }
}

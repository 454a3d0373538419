package io.parley.encoding.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;

/** Memory without a limit. Counts what is reserved. */
final class UnlimitedElementMemory implements ElementMemory {

    private long reserved;

    long reserved() {
        return reserved;
    }

    @Override
    public long reserveSpare(long bytes) {
        return reserve(bytes);
    }

    @Override
    public long reserve(long bytes) {
        reserved += bytes;
        return bytes;
    }

    @Override
    public void release(long bytes) {
        reserved -= bytes;
    }

    @Override
    public ParleyException shortage(long bytes) {
        return ErrorCode.BUSY.exception("no memory");
    }
}

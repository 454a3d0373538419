package io.parley.store.internal;

/** The number of entries and their size in bytes. Must be changed by one thread at a time; any thread may read. */
final class StoreSize {
    private volatile long count;
    private volatile long bytes;

    StoreSize(long count, long bytes) {
        this.count = count;
        this.bytes = bytes;
    }

    long count() {
        return count;
    }

    long bytes() {
        return bytes;
    }

    // Only one writer at a time: no update is lost between read and write.
    void add(long entries, long rowBytes) {
        long newCount = count + entries;
        long newBytes = bytes + rowBytes;
        count = newCount;
        bytes = newBytes;
    }
}

package io.parley.store.internal;

/** How many entries there are, and their bytes; changed by one thread at a time. */
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

    // One writer at a time, so nothing is lost between reading and writing.
    void add(long entries, long rowBytes) {
        long newCount = count + entries;
        long newBytes = bytes + rowBytes;
        count = newCount;
        bytes = newBytes;
    }
}

package io.parley.message;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The period for which payloads may share borrowed memory: from construction until {@link #end}. Reads that are in
 * progress when the scope ends delay the release of the memory; later reads fail. For codecs and their callers.
 * Thread-safe.
 */
public final class BorrowScope {
    private static final int ENDED = Integer.MIN_VALUE;

    private final Runnable release;
    /** The number of reads in progress; the highest bit is set after the scope has ended. */
    private final AtomicInteger readers = new AtomicInteger();

    /**
     * Starts a scope.
     *
     * @param release releases the memory; runs once, in the thread that ends the scope or the last read
     */
    public BorrowScope(Runnable release) {
        this.release = release;
    }

    /** Ends the scope; a second call has no effect. */
    public void end() {
        if (readers.getAndUpdate(before -> before | ENDED) == 0) {
            release.run();
        }
    }

    /** Begins a read: the memory stays valid until {@link #doneReading}. */
    void startReading() {
        int before;
        do {
            before = readers.get();
            if (before < 0) {
                throw new IllegalStateException("borrowed message: read after its listener returned;"
                        + " copy the bytes in the listener (toByteArray), or use a listener that does not borrow");
            }
        } while (!readers.compareAndSet(before, before + 1));
    }

    void doneReading() {
        if (readers.decrementAndGet() == ENDED) {
            release.run();
        }
    }
}

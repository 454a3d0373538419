package io.parley.message;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The time for which payloads share memory that is not theirs, for codecs and those who call them: from the moment it is
 * made until {@link #end}. Memory that somebody is reading when the loan ends is given back when that read is done; who
 * comes later is refused. May be used from any thread.
 */
public final class BorrowScope {
    private static final int ENDED = Integer.MIN_VALUE;

    private final Runnable giveBack;
    /** How many are reading; with the highest bit set once the loan has ended. */
    private final AtomicInteger readers = new AtomicInteger();

    /** @param giveBack runs once, in the thread of the last to need the memory */
    public BorrowScope(Runnable giveBack) {
        this.giveBack = giveBack;
    }

    /** Ends the loan; a second call does nothing. */
    public void end() {
        if (readers.getAndUpdate(before -> before | ENDED) == 0) {
            giveBack.run();
        }
    }

    /** Keeps the memory in place until {@link #doneReading}. */
    void startReading() {
        int before;
        do {
            before = readers.get();
            if (before < 0) {
                throw new IllegalStateException("this message was lent to its listener and the listener has returned;"
                        + " copy in the listener what is needed later (toByteArray), or listen without borrowing");
            }
        } while (!readers.compareAndSet(before, before + 1));
    }

    void doneReading() {
        if (readers.decrementAndGet() == ENDED) {
            giveBack.run();
        }
    }
}

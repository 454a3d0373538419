package io.parley.endpoint.internal.memory;

import io.parley.encoding.internal.ElementMemory;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.function.LongPredicate;

/**
 * The memory that is reserved in the budget of a connection while the elements of one message are decoded. Keeps what is released for the
 * next element, so that a message of many small ones reserves a few times. Confined to the thread that decodes.
 */
public final class ElementReservation implements ElementMemory, AutoCloseable {

    private final MemoryBudget budget;
    private final LongPredicate reserving;

    /** The bytes that no content uses. */
    private long free;

    private long reserved;

    /**
     * Creates a reservation.
     *
     * @param reserving reserves memory in the budget; returns false if it is short
     * @param free      the bytes that are charged for the received message, which is not needed after that
     */
    public ElementReservation(MemoryBudget budget, LongPredicate reserving, long free) {
        this.budget = budget;
        this.reserving = reserving;
        this.free = free;
    }

    @Override
    public long reserveSpare(long bytes) {
        if (bytes > free) {
            add(budget.reserveSpare(bytes - free, 4));
        }
        return use(bytes);
    }

    @Override
    public long reserve(long bytes) {
        if (bytes > free) {
            long more = bytes - free;
            add(reserving.test(more) ? more : budget.reserveRest(more));
        }
        return use(bytes);
    }

    private void add(long bytes) {
        reserved += bytes;
        free += bytes;
    }

    private long use(long bytes) {
        long used = Math.min(bytes, free);
        free -= used;
        return used;
    }

    @Override
    public void release(long bytes) {
        free += bytes;
    }

    /**
     * Returns memory for the decoded message, which the caller must release.
     *
     * @throws ParleyException BUSY if there is none
     */
    public long keep(long bytes) {
        long more = bytes - reserved;
        if (more > 0) {
            if (!reserving.test(more)) {
                throw shortage(more);
            }
            reserved += more;
        }
        reserved -= bytes;
        return bytes;
    }

    /** Releases the rest. */
    @Override
    public void close() {
        budget.release(reserved);
        reserved = 0;
    }

    @Override
    public ParleyException shortage(long bytes) {
        return ErrorCode.BUSY.exception(
                "no memory for the decoded elements of a message: " + budget.describeShortage(bytes));
    }
}

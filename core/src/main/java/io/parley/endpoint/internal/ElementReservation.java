package io.parley.endpoint.internal;

import io.parley.encoding.internal.ElementMemory;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;

/**
 * The memory that is reserved in the budget of a connection while the elements of one message are decoded. Keeps what is released for the
 * next element, so that a message of many small ones reserves a few times. Confined to the thread that decodes.
 */
final class ElementReservation implements ElementMemory, AutoCloseable {

    private final InboundDeliverer deliverer;

    /** The bytes that no content uses. */
    private long free;

    private long reserved;

    /** @param free the bytes that are charged for the received message, which is not needed after that */
    ElementReservation(InboundDeliverer deliverer, long free) {
        this.deliverer = deliverer;
        this.free = free;
    }

    @Override
    public long reserveSpare(long bytes) {
        if (bytes > free) {
            add(deliverer.memory().reserveSpare(bytes - free, 4));
        }
        return use(bytes);
    }

    @Override
    public long reserve(long bytes) {
        if (bytes > free) {
            add(deliverer.reserveUpTo(bytes - free));
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
    long keep(long bytes) {
        long more = bytes - reserved;
        if (more > 0) {
            if (!deliverer.tryReserve(more)) {
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
        deliverer.memory().release(reserved);
        reserved = 0;
    }

    @Override
    public ParleyException shortage(long bytes) {
        return ErrorCode.BUSY.exception("no memory for the decoded elements of a message: "
                + deliverer.memory().describeShortage(bytes));
    }
}

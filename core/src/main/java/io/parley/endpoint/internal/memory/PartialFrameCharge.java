package io.parley.endpoint.internal.memory;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Charges the memory of a frame whose rest has not arrived to the budget of its connection. Confined to the event loop of the
 * connection.
 */
public final class PartialFrameCharge {

    /** The bytes that each connection may keep without a charge, because most reads leave none or few. */
    private static final int FREE_BYTES = 4 * 1024;

    private final MemoryBudget memory;
    private final LongPredicate tryReserve;

    /** The charged bytes: the maximum since the last read after which there were few. */
    private int charged;

    /** @param tryReserve reserves bytes of {@code memory} if there are that many */
    public PartialFrameCharge(MemoryBudget memory, LongPredicate tryReserve) {
        this.memory = memory;
        this.tryReserve = tryReserve;
    }

    /**
     * Changes the charge after a read.
     *
     * @param bytes the bytes that wait for the rest of their frame
     * @return the reason why they cannot be kept; {@code null} if they can
     */
    @Nullable
    public ParleyException set(int bytes) {
        if (bytes <= FREE_BYTES) {
            memory.release(charged);
            charged = 0;
        } else if (bytes > charged) {
            if (!tryReserve.test(bytes - charged)) {
                return ErrorCode.BUSY.exception(
                        "no memory for the rest of a frame: " + memory.describeShortage(bytes - charged));
            }
            charged = bytes;
        }
        return null;
    }
}

package io.parley.endpoint.internal;

import io.parley.error.ErrorCode;

/**
 * Charges the memory of a frame whose rest has not arrived to the budget of its connection. If there is none, the connection gives
 * way, and reliable channels go on over the next one. Confined to the event loop of the link.
 */
final class PartialFrameCharge {

    /** The bytes that each connection may keep without a charge, because most reads leave none or few. */
    private static final int FREE_BYTES = 4 * 1024;

    private final Link link;

    /** What is charged at present: the most of the frames since the last read that has left none. */
    private int charged;

    PartialFrameCharge(Link link) {
        this.link = link;
    }

    /** Called with the present size after each read. */
    void set(int bytes) {
        if (bytes <= FREE_BYTES) {
            link.memory().release(charged);
            charged = 0;
        } else if (bytes > charged && link.tryReserve(bytes - charged)) {
            charged = bytes;
        } else if (bytes > charged) {
            link.refuse(ErrorCode.BUSY.exception(
                    "no memory for the rest of a frame: " + link.memory().describeShortage(bytes - charged)));
        }
    }
}

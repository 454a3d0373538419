package io.parley.endpoint.internal.inbound;

import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.context.ServiceRegistry;
import io.parley.endpoint.internal.memory.MemoryBudget;
import io.parley.error.ErrorCode;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The window of one inbound channel: the bytes of messages that the sender may have sent and the service has not released. The window
 * of a sender of protocol version 1.1 or later begins small. It grows when the sender is short of credit although the service has
 * released most of the messages, and shrinks when the channel is idle. All of it is reserved from the budget of the connection. The
 * part of a message that exceeds the window is reserved with the message. {@link #release} is thread-safe; all other methods are
 * confined to the event loop of the link.
 */
final class InboundWindow {

    /** The full window is reached after a few round trips, and a window that is too large by this factor costs little. */
    private static final int GROWTH_FACTOR = 4;

    /** The largest window of a service that does not keep up with the sender. It lets the sender be ahead of the service. */
    private static final long MAX_LAGGING_BYTES = 256 * 1024;

    /** The number of keep-alive intervals that a sender has to respond to SHRINK. */
    private static final int MAX_INTERVALS_WITHOUT_RESPONSE = 3;

    private final int handle;
    private final ServiceRegistry.Binding binding;
    private final MemoryBudget memory;

    /** Whether the sender knows that windows grow and shrink. */
    private final boolean resizable;

    /** The bytes of messages that were released, until their credit is returned. */
    private final AtomicLong released = new AtomicLong();

    /** The bytes of the window that received messages use, until they are released and their credit is returned. */
    private long outstanding;

    /** The reserved window in bytes. Written on the event loop. */
    private volatile long window;

    /** The bytes that were returned to the sender since the size of the window has changed. */
    private long creditSinceResize;

    /** Whether the sender has reported that it has messages and no credit. */
    private boolean blocked;

    /** The number of bytes that the sender was asked to give back, until it responds. */
    private long shrinkBytes;

    private int intervalsWithoutResponse;

    /**
     * Creates a window without messages.
     *
     * @param window    the window in bytes, which is reserved in {@code memory}
     * @param resizable whether the sender knows that windows grow and shrink
     */
    InboundWindow(int handle, ServiceRegistry.Binding binding, MemoryBudget memory, int window, boolean resizable) {
        this.handle = handle;
        this.binding = binding;
        this.memory = memory;
        this.window = window;
        this.resizable = resizable;
    }

    /**
     * Charges a message to the window. Returns its cost.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#LIMIT_EXCEEDED} if the sender has no credit
     */
    long charge(long size) {
        if (outstanding >= window) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("window of service " + binding.service() + ": " + outstanding
                    + " bytes outstanding (expected: < " + window + " before the next message)");
        }
        long cost = EndpointContext.windowCost(size);
        outstanding += cost;
        return cost;
    }

    /** Reverses the charge of a message that is not delivered. Its credit is not returned, because the channel ends. */
    void discharge(long cost) {
        outstanding -= cost;
    }

    /** Returns the part of the cost of a charged message that exceeds the window. */
    long beyondWindow(long cost) {
        return Math.min(cost, Math.max(0, outstanding - window));
    }

    /**
     * Releases a message. Thread-safe.
     *
     * @return whether the credit should be returned to the sender: in portions, so that not every small message causes a frame
     */
    boolean release(long cost) {
        long uncredited = released.addAndGet(cost);
        return uncredited >= window / 4;
    }

    /** Takes the released bytes out of the window. Returns their number, which is the credit for the sender. */
    long takeReleased() {
        long credit = released.getAndSet(0);
        outstanding -= credit;
        creditSinceResize += credit;
        return credit;
    }

    /**
     * Lets the window grow if it delays the sender: the sender is blocked, or has used a quarter of the window since the last
     * credit. If unreleased messages use more than half of the window, the service is slower than the network, and a large window
     * would not help; then the window grows less, and only while memory is plentiful.
     *
     * @param credit the credit that is returned now
     * @return the number of bytes by which the window has grown
     */
    long grow(long credit) {
        boolean serviceLags = outstanding > window / 2;
        boolean useful = blocked || (!serviceLags && credit >= window / 4);
        blocked &= credit == 0; // the sender reports again if the credit is not enough
        long max = serviceLags ? Math.min(MAX_LAGGING_BYTES, binding.windowBytes()) : binding.windowBytes();
        if (!useful || window >= max || !resizable || shrinkBytes > 0) {
            return 0;
        }
        long wanted = Math.min(max, Math.max(GROWTH_FACTOR * window, credit));
        long growth = memory.reserveSpare(wanted - window, serviceLags ? 1 : 3);
        if (growth > 0) {
            resize(window + growth);
        }
        return growth;
    }

    private void resize(long bytes) {
        window = bytes;
        creditSinceResize = 0;
        blocked = false;
    }

    /**
     * Called when the sender has messages and had no credit. Ignores a report from before the window has got its present size.
     *
     * @return whether credit should be returned, so that the window grows
     */
    boolean onBlocked() {
        if (!resizable) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("unexpected BLOCKED frame on handle " + handle);
        }
        // A window that cannot grow returns credit in portions, as without the report. Small ones would cost a frame
        // for a few messages each: with 1 KB one way, 2.0 instead of 3.0 million messages a second.
        boolean usedUp = creditSinceResize + outstanding >= window; // all credit of this size
        if (usedUp && window < binding.windowBytes()) {
            blocked = true;
            return true;
        }
        return false;
    }

    /** Returns whether the sender was asked to give credit back, and has not responded. */
    boolean isShrinking() {
        return shrinkBytes > 0;
    }

    /** Returns the number of bytes for which the sender must be asked, because the channel is idle. */
    long startShrinking() {
        shrinkBytes = Math.max(0, Math.min(window - EndpointLimits.MIN_WINDOW_BYTES, window - outstanding));
        return shrinkBytes;
    }

    /**
     * Called at each keep-alive interval.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#PROTOCOL_VIOLATION} if the sender does not give memory back
     */
    void checkShrinkResponse() {
        intervalsWithoutResponse = shrinkBytes > 0 ? intervalsWithoutResponse + 1 : 0;
        if (intervalsWithoutResponse > MAX_INTERVALS_WITHOUT_RESPONSE) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("handle " + handle + ": no SHRUNK frame within "
                    + intervalsWithoutResponse + " keep-alive intervals");
        }
    }

    /**
     * Called when the sender has given unused credit back. Credit that is in use cannot be given back.
     *
     * @return whether the window has its smallest size now
     */
    boolean onShrunk(long bytes) {
        long max = Math.min(shrinkBytes, Math.max(0, window - outstanding));
        if (shrinkBytes == 0 || bytes > max) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("bytes of SHRUNK frame on handle " + handle + ": " + bytes
                    + " (expected: as response to SHRINK, <= " + max + ")");
        }
        shrinkBytes = 0;
        resize(window - bytes);
        memory.release(bytes);
        return window <= EndpointLimits.MIN_WINDOW_BYTES;
    }

    /**
     * Releases the window except for unreleased messages, whose memory stays reserved after the sender has ended the
     * channel. Called after the end, also for each message that is released then.
     */
    void close() {
        outstanding -= released.getAndSet(0);
        long used = Math.min(window, outstanding);
        memory.release(window - used);
        window = used;
    }
}

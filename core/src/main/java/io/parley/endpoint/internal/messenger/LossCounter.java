package io.parley.endpoint.internal.messenger;

import io.parley.endpoint.internal.context.EndpointContext;

/**
 * Counts the links that one messenger has lost in a row without progress. From the eighth on the messenger pauses before the next one,
 * and after the reconnect timeout it gives up: what makes the remote peer close each connection is not repeated forever, nor at full
 * speed. Must be called with the lock of the messenger.
 */
public final class LossCounter {

    /** The number of links from which on they are too many. */
    public static final int MANY_LINKS = 8;

    /**
     * The links that were lost in a row.
     *
     * @param links   their number; 0 if the last one does not count
     * @param overdue whether the first of them on which something was sent was lost the reconnect timeout ago
     */
    record Losses(int links, boolean overdue) {

        private static final Losses NONE = new Losses(0, false);

        /** Returns whether what the messenger does may be the reason why links are lost. */
        boolean isStalled() {
            return links >= MANY_LINKS;
        }
    }

    private final EndpointContext context;
    private int links;
    private boolean timed;
    private long firstLostNanos;

    LossCounter(EndpointContext context) {
        this.context = context;
    }

    /**
     * Called when a link is lost.
     *
     * @param counted whether there should have been progress on it
     */
    Losses onLinkLost(boolean counted) {
        if (!counted) {
            return Losses.NONE;
        }
        long now = context.scheduler().nanoTime();
        links++;
        if (!timed) {
            timed = true;
            firstLostNanos = now;
        }
        return new Losses(
                links,
                now - firstLostNanos >= context.limits().reconnectTimeout().toNanos());
    }

    /** Lets the reconnect timeout begin with the next loss, because nothing was sent on this link that its peer could have acknowledged. */
    void restartTime() {
        timed = false;
    }

    /** Begins anew, because there was progress, or there is something else to do. */
    void reset() {
        links = 0;
        timed = false;
    }
}

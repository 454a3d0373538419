package io.parley.endpoint.internal;

import io.parley.endpoint.QueueLimits;
import org.jspecify.annotations.Nullable;

/**
 * How hard a messenger tries to deliver messages.
 *
 * @param overflow what a full queue does
 * @param limits   the bounds of the queue; {@code null} for those of the endpoint
 */
record Delivery(Overflow overflow, @Nullable QueueLimits limits) {

    /** The treatment of messages for which a full queue has no room. */
    enum Overflow {
        REFUSE,
        DROP_OLDEST,
        DROP_NEWEST
    }

    /** A message is kept until it is acknowledged. A full queue refuses messages. */
    static final Delivery RELIABLE = new Delivery(Overflow.REFUSE, null);

    /** A message is forgotten when it is handed to the network. A full queue drops its oldest message for a new one. */
    static final Delivery DROP_OLDEST = new Delivery(Overflow.DROP_OLDEST, null);

    /** A message is forgotten when it is handed to the network. A full queue drops the new message. */
    static final Delivery DROP_NEWEST = new Delivery(Overflow.DROP_NEWEST, null);

    /** Returns {@link #DROP_OLDEST} with other bounds. */
    static Delivery dropOldest(QueueLimits limits) {
        return new Delivery(Overflow.DROP_OLDEST, limits);
    }
}

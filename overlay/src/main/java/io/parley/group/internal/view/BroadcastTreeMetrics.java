package io.parley.group.internal.view;

import io.parley.common.internal.Counters;

/** The counters of the broadcast trees of one peer. They only grow. Thread-safe. */
final class BroadcastTreeMetrics {

    /** The name of a counter. */
    enum Counter {
        /** Messages of other members that this peer has received, each once. */
        MESSAGES_RECEIVED,
        /** Messages that were sent to an eager neighbor, also those of this peer, counted once per neighbor. */
        MESSAGES_PUSHED,
        /** Messages that were sent to a neighbor which has requested them. */
        MESSAGES_GRAFTED,
        /** Messages that were received before. */
        MESSAGES_DUPLICATE,
        /** Messages of peers that are no neighbors. */
        MESSAGES_UNAUTHORIZED,
        /** Messages that were announced, counted once per neighbor. */
        ANNOUNCEMENTS_SENT,
        /** Announcements that were not sent, because the neighbor is not writable for too long, or not recorded, because it sends too many. */
        ANNOUNCEMENTS_DROPPED,
        /** Messages that this peer has requested, counted once per request. */
        GRAFTS_SENT,
        /** Requests that were refused, because this peer does not have the message any more or the neighbor exceeds its rate. */
        GRAFTS_REFUSED,
        /** Links that this peer has made lazy. */
        PRUNES_SENT
    }

    private final Counters<Counter> counters = new Counters<>(Counter.class);

    /** Returns the value of a counter. */
    long get(Counter counter) {
        return counters.get(counter);
    }

    /** Adds one to a counter. */
    void increment(Counter counter) {
        counters.add(counter, 1);
    }

    /** Adds {@code count} to a counter. */
    void add(Counter counter, long count) {
        counters.add(counter, count);
    }
}

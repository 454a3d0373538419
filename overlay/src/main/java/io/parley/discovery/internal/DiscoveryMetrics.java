package io.parley.discovery.internal;

import io.parley.common.internal.Counters;

/** Monotonic counters of one discovery. Thread-safe. */
public final class DiscoveryMetrics {

    /** The counted events. */
    public enum Counter {
        /** Verified advertisements of other peers that are new or newer. */
        ADVERTISEMENTS_ACCEPTED,
        /** Advertisements of other peers that were known already. */
        ADVERTISEMENTS_DUPLICATE,
        /** Expired advertisements and older versions of known ones; their senders may have acted correctly. */
        ADVERTISEMENTS_OUTDATED,
        /** Documents that are forged, malformed, too large, valid for too long or of another group. */
        ADVERTISEMENTS_REJECTED,
        /** Documents that were not requested, and those beyond the limit of one message. */
        ADVERTISEMENTS_UNSOLICITED,
        /** Peer advertisements whose addresses were added to the endpoint. */
        ADDRESSES_LEARNED,
        /** Searches that queried other peers. */
        REMOTE_SEARCHES,
        /** Searches that shared the remote queries of another search. */
        REMOTE_SEARCHES_SHARED,
        /** Failed queries and publications at the index. */
        INDEX_FAILURES,
        /** Advertisements accepted by an index. */
        ADVERTISEMENTS_INDEXED,
        /** Own advertisements that were signed again before they expired. */
        RENEWALS,
        /** Responses to queries of other peers. */
        RESPONSES_SENT,
        /** Announcements of this peer. */
        ANNOUNCEMENTS_SENT,
        /** Received announcements of other peers. */
        ANNOUNCEMENTS_RECEIVED,
        /** Advertisements dropped because a listener was too slow. */
        LISTENER_OVERFLOWS,
        /** Exceptions thrown by listeners. */
        LISTENER_FAILURES
    }

    private final Counters<Counter> counters = new Counters<>(Counter.class);

    /** Creates counters with the value 0. */
    public DiscoveryMetrics() {}

    /** Returns the current count. */
    public long get(Counter counter) {
        return counters.get(counter);
    }

    /** Increments a counter. */
    public void increment(Counter counter) {
        counters.add(counter, 1);
    }

    /** Adds to a counter. */
    public void add(Counter counter, long count) {
        counters.add(counter, count);
    }
}

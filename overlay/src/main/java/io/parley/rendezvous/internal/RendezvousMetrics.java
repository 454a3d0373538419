package io.parley.rendezvous.internal;

import io.parley.common.internal.Counters;

/** The counters of one peer's rendezvous service. They only grow. Thread-safe. */
public final class RendezvousMetrics {

    /** The name of a counter. */
    public enum Counter {
        /** Client: leases acquired from a rendezvous that had none for this peer. */
        LEASES_ACQUIRED,
        /** Client: leases lost, because the rendezvous was unreachable, closed or full. */
        LEASES_LOST,
        /** Leases granted to clients that had none. */
        LEASES_GRANTED,
        /** Leases that were ended, because their host had the most of them and another host needed one. */
        LEASES_EVICTED,
        /** Clients that were referred to other rendezvous, because this one is full. */
        CLIENTS_REDIRECTED,
        /** Rendezvous that were added to the peer view, also again. */
        VIEW_ENTRIES_ADDED,
        /** Rendezvous that were removed from the peer view, because they left, are silent or are unreachable. */
        VIEW_ENTRIES_REMOVED,
        /** Peer view entries that were rejected: forged, malformed or expired. */
        VIEW_ENTRIES_REJECTED,
        /**
         * Rendezvous that were not added to the peer view, because it has no place left for them, their host or their
         * network.
         */
        VIEW_ENTRIES_REFUSED,
        /** Candidates that were not recorded, because the rendezvous that named them has too many, or all have. */
        VIEW_CANDIDATES_REFUSED,
        /** Queries of the peer view that were refused, because the rate of their host or of all hosts was exceeded. */
        VIEW_QUERIES_THROTTLED,
        /** Advertisements of clients and of other rendezvous that the index has stored, or has had already. */
        ADVERTISEMENTS_STORED,
        /** Advertisements that were not stored, because the index has a newer version or they have just expired. */
        ADVERTISEMENTS_OUTDATED,
        /** Advertisements that were rejected: forged, expired, malformed or signed by another peer. */
        ADVERTISEMENTS_REJECTED,
        /** Advertisements that were refused, because they exceed the quota of their sender or the size of the index. */
        ADVERTISEMENTS_OVER_QUOTA,
        /** Advertisements that were removed from the full index, because their host had the most and another host needed room. */
        ADVERTISEMENTS_EVICTED,
        /** Advertisements that were removed, because their client has no lease any more. */
        ADVERTISEMENTS_LAPSED,
        /** Advertisements that were refused before they were verified, because the rate was exceeded. */
        ADVERTISEMENTS_THROTTLED,
        /** Advertisements sent to other rendezvous. */
        ADVERTISEMENTS_REPLICATED,
        /** Attempts to replicate an advertisement that failed; they are retried. */
        REPLICATIONS_FAILED,
        /** Searches that were processed. */
        SEARCHES,
        /** Requests to other rendezvous on behalf of a search. */
        SEARCHES_FORWARDED,
        /** Searches that had to walk from rendezvous to rendezvous. */
        WALKS,
        /** Searches that were refused, because the rate was exceeded. */
        SEARCHES_THROTTLED,
        /** Requests that were refused, because the sender has no lease for the group or is not a rendezvous. */
        REQUESTS_UNAUTHORIZED,
        /** Group messages that this peer has sent. */
        GROUP_MESSAGES_SENT,
        /** Group messages that were delivered to this peer's services. */
        GROUP_MESSAGES_RECEIVED,
        /** Group messages that were forwarded, counted once per receiver. */
        GROUP_MESSAGES_FORWARDED,
        /** Group messages that were received before. */
        GROUP_MESSAGES_DUPLICATE,
        /** Group messages that were rejected: forged, malformed, too old or from an unauthorized sender. */
        GROUP_MESSAGES_REJECTED,
        /** Group messages that were dropped, because the rate was exceeded or a queue was full. */
        GROUP_MESSAGES_THROTTLED,
        /** Group messages on which the service of this peer failed. */
        GROUP_LISTENER_FAILURES
    }

    private final Counters<Counter> counters = new Counters<>(Counter.class);

    /** Starts all counters at zero. */
    public RendezvousMetrics() {}

    /** Returns the value of a counter. */
    public long get(Counter counter) {
        return counters.get(counter);
    }

    /** Adds one to a counter. */
    public void increment(Counter counter) {
        counters.add(counter, 1);
    }

    /** Adds {@code count} to a counter. */
    public void add(Counter counter, long count) {
        counters.add(counter, count);
    }
}

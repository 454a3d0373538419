package io.parley.rendezvous;

import io.parley.common.internal.Counters;

/** Counters of one peer's rendezvous service; each only grows. Safe from any thread. */
public final class RendezvousMetrics {

    /** What is counted. */
    public enum Counter {
        /** As a client: leases got from a rendezvous that had none for this peer. */
        LEASES_ACQUIRED,
        /** As a client: leases lost, because the rendezvous was, or had enough. */
        LEASES_LOST,
        /** Leases granted to clients that had none. */
        LEASES_GRANTED,
        /** Clients that were sent elsewhere because there are enough. */
        CLIENTS_REDIRECTED,
        /** Rendezvous that became known, or known again. */
        VIEW_ENTRIES_ADDED,
        /** Rendezvous that have left, are silent or can't be reached. */
        VIEW_ENTRIES_REMOVED,
        /** Statements about rendezvous that were no good: forged, malformed, out of date. */
        VIEW_ENTRIES_REJECTED,
        /** Advertisements of clients and of other rendezvous that were taken into the index, or were in it already. */
        ADVERTISEMENTS_STORED,
        /** Advertisements that were not taken as the index has a newer version, or as they expired just then. */
        ADVERTISEMENTS_OUTDATED,
        /** Advertisements that were no good: forged, expired, malformed, of another peer. */
        ADVERTISEMENTS_REJECTED,
        /** Advertisements refused because they were more than the quota, or than there is room for. */
        ADVERTISEMENTS_OVER_QUOTA,
        /** Advertisements refused unseen because they were too many at a time. */
        ADVERTISEMENTS_THROTTLED,
        /** Advertisements handed to other rendezvous. */
        ADVERTISEMENTS_REPLICATED,
        /** Advertisements that another rendezvous should have got and has not, so far. */
        REPLICATIONS_FAILED,
        /** Searches answered. */
        SEARCHES,
        /** Other rendezvous asked for a search. */
        SEARCHES_FORWARDED,
        /** Searches that had to go from one rendezvous to the next. */
        WALKS,
        /** Searches refused because they were too many at a time. */
        SEARCHES_THROTTLED,
        /** Questions refused because the asker has no lease for the group, or is no rendezvous. */
        REQUESTS_UNAUTHORIZED,
        /** Messages to a group that this peer has said. */
        GROUP_MESSAGES_SENT,
        /** Messages to a group that were handed to this peer's services. */
        GROUP_MESSAGES_RECEIVED,
        /** Messages to a group handed on, counted once for each peer. */
        GROUP_MESSAGES_FORWARDED,
        /** Messages to a group that had come before. */
        GROUP_MESSAGES_DUPLICATE,
        /** Messages to a group that were no good: forged, malformed, too old, of a stranger. */
        GROUP_MESSAGES_REJECTED,
        /** Messages to a group thrown away because they were too many. */
        GROUP_MESSAGES_THROTTLED
    }

    private final Counters<Counter> counters = new Counters<>(Counter.class);

    /** All counters at zero. */
    public RendezvousMetrics() {}

    /** The count so far. */
    public long get(Counter counter) {
        return counters.get(counter);
    }

    /** Counts one. */
    public void increment(Counter counter) {
        counters.add(counter, 1);
    }

    /** Counts several. */
    public void add(Counter counter, long count) {
        counters.add(counter, count);
    }
}

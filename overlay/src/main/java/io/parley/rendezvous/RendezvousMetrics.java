package io.parley.rendezvous;

import io.parley.common.internal.Counters;

/** Counters of one peer's rendezvous service; each only grows. Safe from any thread. */
public final class RendezvousMetrics {

    /** What is counted. */
    public enum Counter {
        /** As a client: leases got from a rendezvous that had none for this peer. */
        LEASES_GOT,
        /** As a client: leases lost, because the rendezvous was, or had enough. */
        LEASES_LOST,
        /** Leases granted to clients that had none. */
        LEASES_GRANTED,
        /** Clients that were sent elsewhere because there are enough. */
        CLIENTS_REDIRECTED,
        /** Rendezvous that became known, or known again. */
        MEMBERS_JOINED,
        /** Rendezvous that have left, are silent or can't be reached. */
        MEMBERS_DROPPED,
        /** Statements about rendezvous that were no good: forged, malformed, out of date. */
        MEMBERS_REFUSED,
        /** Advertisements of clients and of other rendezvous that were taken into the index, or were in it already. */
        DOCUMENTS_STORED,
        /** Advertisements that were not taken as the index has a newer version, or as they expired just then. */
        DOCUMENTS_OUTDATED,
        /** Advertisements that were no good: forged, expired, malformed, of another peer. */
        DOCUMENTS_REFUSED,
        /** Advertisements refused because they were more than the quota, or than there is room for. */
        DOCUMENTS_OVER_QUOTA,
        /** Advertisements refused unseen because they were too many at a time. */
        DOCUMENTS_THROTTLED,
        /** Advertisements handed to other rendezvous. */
        DOCUMENTS_REPLICATED,
        /** Advertisements that another rendezvous should have got and has not, so far. */
        REPLICATIONS_FAILED,
        /** Searches answered. */
        FINDS,
        /** Other rendezvous asked for a search. */
        FINDS_FORWARDED,
        /** Searches that had to go from one rendezvous to the next. */
        WALKS,
        /** Searches refused because they were too many at a time. */
        FINDS_THROTTLED,
        /** Questions refused because the asker has no lease for the group, or is no rendezvous. */
        STRANGERS_REFUSED,
        /** Messages to a group that this peer has said. */
        PROPAGATED_SENT,
        /** Messages to a group that were handed to this peer's services. */
        PROPAGATED_RECEIVED,
        /** Messages to a group handed on, counted once for each peer. */
        PROPAGATED_FORWARDED,
        /** Messages to a group that had come before. */
        PROPAGATED_REPEATED,
        /** Messages to a group that were no good: forged, malformed, too old, of a stranger. */
        PROPAGATED_REFUSED,
        /** Messages to a group thrown away because they were too many. */
        PROPAGATED_THROTTLED
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

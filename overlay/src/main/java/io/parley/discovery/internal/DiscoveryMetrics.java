package io.parley.discovery.internal;

import io.parley.common.internal.Counters;

/** Counters of one discovery; each only grows. Safe from any thread. */
public final class DiscoveryMetrics {

    /** What is counted. */
    public enum Counter {
        /** Advertisements of others that were verified and are new or newer. */
        ADVERTISEMENTS_ACCEPTED,
        /** Documents of others that were known already. */
        ADVERTISEMENTS_DUPLICATE,
        /** Documents of others that have expired, or have a newer version, for which nobody is to blame. */
        ADVERTISEMENTS_OUTDATED,
        /** Documents of others that are forged, malformed, too large, too long valid or of another group. */
        ADVERTISEMENTS_REJECTED,
        /** Documents of others that were not asked for, and those beyond the bound of one message. */
        ADVERTISEMENTS_UNSOLICITED,
        /** Times that the way to a peer was learned from its advertisement. */
        ADDRESSES_LEARNED,
        /** Searches that asked others. */
        REMOTE_SEARCHES,
        /** Searches that shared the questions of another one. */
        REMOTE_SEARCHES_SHARED,
        /** Questions that the index failed to answer, and publications that it failed to take. */
        INDEX_FAILURES,
        /** Advertisements that an index has taken. */
        ADVERTISEMENTS_INDEXED,
        /** Advertisements of this peer that were signed anew. */
        RENEWALS,
        /** Questions of others that were answered. */
        RESPONSES_SENT,
        /** Times that this peer has announced itself. */
        ANNOUNCEMENTS_SENT,
        /** Announcements of others that were heard. */
        ANNOUNCEMENTS_RECEIVED,
        /** Advertisements that a listener did not get because it was too slow. */
        LISTENER_OVERFLOWS,
        /** Listeners that failed. */
        LISTENER_FAILURES
    }

    private final Counters<Counter> counters = new Counters<>(Counter.class);

    /** All counters at zero. */
    public DiscoveryMetrics() {}

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

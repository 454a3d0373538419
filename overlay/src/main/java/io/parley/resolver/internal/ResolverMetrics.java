package io.parley.resolver.internal;

import io.parley.common.internal.Counters;

/** Monotonic counters of one resolver. Thread-safe. */
public final class ResolverMetrics {

    /** The counted events. */
    public enum Counter {
        /** Queries of other peers passed to a handler. */
        QUERIES_HANDLED,
        /** Queries refused, or dropped if propagated, because of a limit. */
        QUERIES_THROTTLED,
        /** Of these queries, those beyond the rate of their host or of all hosts. */
        HOST_QUERIES_THROTTLED,
        /** Propagated queries received before. */
        QUERIES_DUPLICATE,
        /** Responses of this peer that were sent. */
        RESPONSES_SENT,
        /** Responses and errors of this peer that could not be sent. */
        RESPONSES_FAILED,
        /** Responses and errors of this peer that were dropped, because the receiver does not read and a limit was reached. */
        RESPONSES_DROPPED,
        /** Responses of other peers that were accepted. */
        RESPONSES_RECEIVED,
        /** Responses without a pending query: late, repeated, surplus, or from a peer that was not queried. */
        RESPONSES_UNSOLICITED,
        /** Messages that are neither queries nor responses, and propagated queries with too many hops. */
        MESSAGES_REJECTED,
        /** Handlers that failed or timed out, and listeners that failed. */
        HANDLER_FAILURES
    }

    private final Counters<Counter> counters = new Counters<>(Counter.class);

    /** Creates counters with the value 0. */
    public ResolverMetrics() {}

    /** Returns the current count. */
    public long get(Counter counter) {
        return counters.get(counter);
    }

    /** Increments a counter. */
    public void increment(Counter counter) {
        counters.add(counter, 1);
    }
}

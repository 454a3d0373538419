package io.parley.resolver.internal;

import io.parley.common.internal.Counters;

/** Counters of one resolver; each only grows. Safe from any thread. */
public final class ResolverMetrics {

    /** What is counted. */
    public enum Counter {
        /** Questions of other peers that were handed to a handler. */
        QUERIES_HANDLED,
        /** Questions that were refused, or if propagated thrown away, because of a limit. */
        QUERIES_THROTTLED,
        /** Propagated questions that had been heard before. */
        QUERIES_DUPLICATE,
        /** Answers of this peer that were handed to the network. */
        RESPONSES_SENT,
        /** Answers and refusals of this peer that could not be sent. */
        RESPONSES_FAILED,
        /** Answers of others that were taken. */
        RESPONSES_RECEIVED,
        /** Answers that nobody waits for: late, a second one, more than wanted, or from a peer that was not asked. */
        RESPONSES_UNSOLICITED,
        /** Messages that are no question and no answer, or propagated ones passed on by too many peers. */
        MESSAGES_REJECTED,
        /** Handlers that failed or were not done in time, and listeners that failed. */
        HANDLER_FAILURES
    }

    private final Counters<Counter> counters = new Counters<>(Counter.class);

    /** All counters at zero. */
    public ResolverMetrics() {}

    /** The count so far. */
    public long get(Counter counter) {
        return counters.get(counter);
    }

    /** Counts one. */
    public void increment(Counter counter) {
        counters.add(counter, 1);
    }
}

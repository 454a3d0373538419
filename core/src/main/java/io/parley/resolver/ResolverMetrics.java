package io.parley.resolver;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counters of one resolver; each only grows. Safe from any thread. */
public final class ResolverMetrics {

    /** What is counted. */
    public enum Counter {
        /** Questions of other peers that were handed to a handler. */
        QUERIES_HANDLED,
        /** Questions that were refused, or if propagated thrown away, because of a limit. */
        QUERIES_THROTTLED,
        /** Propagated questions that had been heard before. */
        QUERIES_REPEATED,
        /** Answers of this peer that were handed to the network. */
        ANSWERS_SENT,
        /** Answers and refusals of this peer that could not be sent. */
        ANSWERS_LOST,
        /** Answers of others that were taken. */
        ANSWERS_RECEIVED,
        /** Answers that nobody waits for: late, a second one, more than wanted, or from a peer that was not asked. */
        ANSWERS_UNSOLICITED,
        /** Messages that are no question and no answer, or propagated ones passed on by too many peers. */
        MESSAGES_REFUSED,
        /** Handlers that failed or were not done in time, and listeners that failed. */
        HANDLER_FAILURES
    }

    private final Map<Counter, LongAdder> counters = new EnumMap<>(Counter.class);

    ResolverMetrics() {
        for (Counter counter : Counter.values()) {
            counters.put(counter, new LongAdder());
        }
    }

    /** The count so far. */
    public long get(Counter counter) {
        return adder(counter).sum();
    }

    void increment(Counter counter) {
        adder(counter).increment();
    }

    private LongAdder adder(Counter counter) {
        return Objects.requireNonNull(counters.get(counter));
    }
}

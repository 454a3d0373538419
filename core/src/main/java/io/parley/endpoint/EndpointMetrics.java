package io.parley.endpoint;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counters of one endpoint; each only grows. Safe from any thread. */
public final class EndpointMetrics {

    /** What is counted. */
    public enum Counter {
        /** Connections on which both sides agreed to talk. */
        CONNECTIONS_OPENED,
        /** Such connections that ended, for whatever reason. */
        CONNECTIONS_CLOSED,
        /** Incoming connections that were refused before both sides had agreed: garbage, a wrong identity, too slow. */
        HANDSHAKES_REFUSED,
        /** Connections closed because the peer broke the protocol or went past a limit. */
        CONNECTIONS_DROPPED,
        /** Messages handed to a transport. */
        MESSAGES_SENT,
        /** Encoded bytes of those messages. */
        MESSAGE_BYTES_SENT,
        /** Messages handed to a service. */
        MESSAGES_RECEIVED,
        /** Encoded bytes of those messages. */
        MESSAGE_BYTES_RECEIVED,
        /** Services of this peer that threw from their listener. */
        LISTENER_FAILURES,
        /** Payloads propagated to all peers nearby. */
        PROPAGATIONS_SENT,
        /** Payloads of others that were propagated and handed to this peer's listener. */
        PROPAGATIONS_RECEIVED,
        /** Pieces of what others propagate that were no good: garbage, a wrong signature, too old, another version. */
        PROPAGATIONS_REFUSED,
        /** Pieces of what others propagate that were thrown away because they were too many. */
        PROPAGATIONS_THROTTLED
    }

    private final Map<Counter, LongAdder> counters = new EnumMap<>(Counter.class);

    /** All counters at zero. */
    public EndpointMetrics() {
        for (Counter counter : Counter.values()) {
            counters.put(counter, new LongAdder());
        }
    }

    /** The count so far. */
    public long get(Counter counter) {
        return adder(counter).sum();
    }

    /** Counts one. */
    public void increment(Counter counter) {
        adder(counter).increment();
    }

    /** Counts several. */
    public void add(Counter counter, long amount) {
        adder(counter).add(amount);
    }

    private LongAdder adder(Counter counter) {
        return Objects.requireNonNull(counters.get(counter));
    }
}

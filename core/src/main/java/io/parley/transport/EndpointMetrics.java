package io.parley.transport;

import io.parley.common.internal.Counters;

/** Counters of one endpoint; each only grows. Safe from any thread. */
public final class EndpointMetrics {

    /** What is counted. */
    public enum Counter {
        /** Connections on which both sides agreed to talk. */
        CONNECTIONS_OPENED,
        /** Such connections that ended, for whatever reason. */
        CONNECTIONS_CLOSED,
        /** Incoming connections that were refused before both sides had agreed: garbage, a wrong identity, too slow. */
        HANDSHAKES_FAILED,
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
        /** Pieces of what others propagate that were no good: garbage, incomplete, too old, a wrong signature. */
        PROPAGATIONS_REJECTED,
        /** Pieces of what others propagate that were thrown away because they were too many. */
        PROPAGATIONS_THROTTLED
    }

    private final Counters<Counter> counters = new Counters<>(Counter.class);

    /** All counters at zero. */
    public EndpointMetrics() {}

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

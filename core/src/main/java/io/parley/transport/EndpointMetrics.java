package io.parley.transport;

import io.parley.common.internal.Counters;

/** The counters of one endpoint. They never decrease. Thread-safe. */
public final class EndpointMetrics {

    /** A counter. */
    public enum Counter {
        /** Connections whose handshake was completed. */
        CONNECTIONS_OPENED,
        /** Connections that were closed after their handshake, for any reason. */
        CONNECTIONS_CLOSED,
        /** Accepted connections whose handshake failed: malformed data, wrong identity, timeout. */
        HANDSHAKES_FAILED,
        /** Connections closed because the remote peer violated the protocol or a limit. */
        CONNECTIONS_DROPPED,
        /**
         * Connections refused, or closed for those of another host, because there were {@code maxConnections}, or {@code maxClients} of a relay,
         * or closed because there was no memory for the rest of a frame.
         */
        CONNECTIONS_REFUSED,
        /** Circuits that this relay has joined. */
        CIRCUITS_OPENED,
        /** Circuits that this relay, or the peer that was dialed, has refused, and those that were not accepted in time. */
        CIRCUITS_REFUSED,
        /** Messages passed to a transport. */
        MESSAGES_SENT,
        /** Encoded bytes of the messages that were sent. */
        MESSAGE_BYTES_SENT,
        /** Messages sent again because a connection was lost before they were acknowledged. */
        MESSAGES_RESENT,
        /** Messages that best-effort messengers have dropped because their queues were full. */
        MESSAGES_DROPPED,
        /** Waits of senders whose rate was used up. The messages behind the first one wait too, and are not counted. */
        RATE_WAITS,
        /** Messages passed to a service. */
        MESSAGES_RECEIVED,
        /** Encoded bytes of the messages that were received. */
        MESSAGE_BYTES_RECEIVED,
        /** Received messages that were dropped, because their encoded elements could not be decoded. */
        MESSAGES_UNDECODABLE,
        /** Exceptions of listeners of this peer. */
        LISTENER_FAILURES,
        /** Payloads that this peer has propagated. */
        PROPAGATIONS_SENT,
        /** Propagated payloads of other peers that were passed to the listener. */
        PROPAGATIONS_RECEIVED,
        /** Propagated datagrams and messages that were invalid: malformed, incomplete, too old, wrongly signed. */
        PROPAGATIONS_REJECTED,
        /** Propagated datagrams and messages that were dropped because a rate or limit was exceeded. */
        PROPAGATIONS_THROTTLED
    }

    private final Counters<Counter> counters = new Counters<>(Counter.class);

    /** Creates counters at zero. */
    public EndpointMetrics() {}

    /** Returns the count so far. */
    public long get(Counter counter) {
        return counters.get(counter);
    }

    /** Adds one to a counter. */
    public void increment(Counter counter) {
        counters.add(counter, 1);
    }

    /** Adds a number to a counter. */
    public void add(Counter counter, long count) {
        counters.add(counter, count);
    }
}

package io.parley.transport.udp;

import io.parley.transport.EndpointMetrics.Counter;

/**
 * The reason why a received datagram or message was dropped. Own datagrams and duplicates are not counted, because they are
 * not faults.
 */
enum DropReason {
    MALFORMED("malformed datagram", Counter.PROPAGATIONS_REJECTED),
    UNSUPPORTED_VERSION("unsupported protocol version", Counter.PROPAGATIONS_REJECTED),
    NOT_LOCAL("source address is not on a network of this machine", Counter.PROPAGATIONS_REJECTED),
    INVALID_SIGNATURE("invalid signature", Counter.PROPAGATIONS_REJECTED),
    CLOCK_SKEW("time differs from the local clock by more than the tolerance", Counter.PROPAGATIONS_REJECTED),
    REASSEMBLY_TIMEOUT("message incomplete after the reassembly timeout", Counter.PROPAGATIONS_REJECTED),
    DATAGRAM_RATE("datagram rate exceeded", Counter.PROPAGATIONS_THROTTLED),
    SIGNATURE_RATE("signature rate exceeded", Counter.PROPAGATIONS_THROTTLED),
    REASSEMBLY_LIMIT("incomplete message evicted by another one", Counter.PROPAGATIONS_THROTTLED);

    private final String text;
    private final Counter counter;

    DropReason(String text, Counter counter) {
        this.text = text;
        this.counter = counter;
    }

    /** Returns the text for the log. */
    String text() {
        return text;
    }

    Counter counter() {
        return counter;
    }
}

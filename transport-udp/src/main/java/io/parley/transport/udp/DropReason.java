package io.parley.transport.udp;

import io.parley.transport.EndpointMetrics.Counter;

/** Why something that came was thrown away. What is ours, or was heard before, is not among these: it is no fault. */
enum DropReason {
    MALFORMED("is none of ours", Counter.PROPAGATIONS_REJECTED),
    UNSUPPORTED_VERSION("has another version of the protocol", Counter.PROPAGATIONS_REJECTED),
    NOT_LOCAL("does not come from a network of this machine", Counter.PROPAGATIONS_REJECTED),
    INVALID_SIGNATURE("has a wrong signature", Counter.PROPAGATIONS_REJECTED),
    CLOCK_SKEW("has a time too far from this peer's clock", Counter.PROPAGATIONS_REJECTED),
    REASSEMBLY_TIMEOUT("was never completed", Counter.PROPAGATIONS_REJECTED),
    DATAGRAM_RATE("is one of too many datagrams", Counter.PROPAGATIONS_THROTTLED),
    SIGNATURE_RATE("is one of too many signatures", Counter.PROPAGATIONS_THROTTLED),
    REASSEMBLY_LIMIT("made room for another one that is incomplete", Counter.PROPAGATIONS_THROTTLED);

    private final String text;
    private final Counter counter;

    DropReason(String text, Counter counter) {
        this.text = text;
        this.counter = counter;
    }

    /** How the sentence goes on that begins with what came. */
    String text() {
        return text;
    }

    Counter counter() {
        return counter;
    }
}

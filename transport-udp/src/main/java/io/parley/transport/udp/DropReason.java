package io.parley.transport.udp;

import io.parley.transport.EndpointMetrics.Counter;

/** Why something that came was thrown away. What is ours, or was heard before, is not among these: it is no fault. */
enum DropReason {
    GARBAGE("is none of ours", Counter.PROPAGATIONS_REFUSED),
    OTHER_VERSION("has another version of the protocol", Counter.PROPAGATIONS_REFUSED),
    NOT_LOCAL("does not come from a network of this machine", Counter.PROPAGATIONS_REFUSED),
    FORGED("has a wrong signature", Counter.PROPAGATIONS_REFUSED),
    STALE("has a time too far from this peer's clock", Counter.PROPAGATIONS_REFUSED),
    INCOMPLETE("was never completed", Counter.PROPAGATIONS_REFUSED),
    TOO_MANY_DATAGRAMS("is one of too many datagrams", Counter.PROPAGATIONS_THROTTLED),
    TOO_MANY_SIGNATURES("is one of too many signatures", Counter.PROPAGATIONS_THROTTLED),
    TOO_MANY_INCOMPLETE("made room for another one that is incomplete", Counter.PROPAGATIONS_THROTTLED);

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

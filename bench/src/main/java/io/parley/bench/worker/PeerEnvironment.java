package io.parley.bench.worker;

import java.time.Duration;

/** What a peer finds when it starts. */
public enum PeerEnvironment {
    /** Nothing but the other, which multicast finds. */
    NEARBY("nearby", false, 0, Duration.ZERO),
    /** The same, with forty advertisements in the cache. */
    CACHED("cached", false, 40, Duration.ZERO),
    /** A rendezvous on this machine. */
    RENDEZVOUS("rendezvous", true, 0, Duration.ZERO),
    /** A rendezvous 67 ms away and back; the other is near. */
    FAR_RENDEZVOUS("far-rendezvous", true, 0, Duration.ofMillis(67));

    private final String label;
    private final boolean rendezvous;
    private final int cached;
    private final Duration roundTrip;

    PeerEnvironment(String label, boolean rendezvous, int cached, Duration roundTrip) {
        this.label = label;
        this.rendezvous = rendezvous;
        this.cached = cached;
        this.roundTrip = roundTrip;
    }

    /** The word used in results. */
    public String label() {
        return label;
    }

    /** Whether there is a rendezvous, and nothing in the way to it. */
    public boolean isNearestRendezvous() {
        return rendezvous && roundTrip.isZero();
    }

    /** Whether there is one. */
    public boolean hasRendezvous() {
        return rendezvous;
    }

    int cached() {
        return cached;
    }

    /** To the rendezvous, beside what it takes anyway. */
    Duration roundTrip() {
        return roundTrip;
    }
}

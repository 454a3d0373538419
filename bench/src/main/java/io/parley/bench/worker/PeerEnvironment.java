package io.parley.bench.worker;

import java.time.Duration;

/** The peers and cached advertisements that are present when the measured peer starts. */
public enum PeerEnvironment {
    /** Only the other peer, discovered by multicast. */
    NEARBY("nearby", false, 0, Duration.ZERO),
    /** Only the other peer, with 40 advertisements in the cache. */
    CACHED("cached", false, 40, Duration.ZERO),
    /** A rendezvous on this machine, without delay. */
    RENDEZVOUS("rendezvous", true, 0, Duration.ZERO),
    /** A rendezvous with a round-trip time of 67 ms; the other peer has no delay. */
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

    /** Returns the label used in the results. */
    public String label() {
        return label;
    }

    /** Returns whether there is a rendezvous without delay. */
    public boolean hasDirectRendezvous() {
        return rendezvous && roundTrip.isZero();
    }

    /** Returns whether there is a rendezvous. */
    public boolean hasRendezvous() {
        return rendezvous;
    }

    int cached() {
        return cached;
    }

    /** Returns the added round-trip time to the rendezvous. */
    Duration roundTrip() {
        return roundTrip;
    }
}

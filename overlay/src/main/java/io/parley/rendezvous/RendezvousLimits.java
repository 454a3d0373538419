package io.parley.rendezvous;

import io.parley.common.internal.Arguments;
import io.parley.endpoint.EndpointLimits;
import java.time.Duration;

/**
 * Every bound on what others can make a rendezvous, or its client, hold or do, and how often they talk. All defaults are
 * finite. Sizes are bytes.
 *
 * @param leasing     of clients and their rendezvous
 * @param viewing     of rendezvous among themselves
 * @param indexing    of what is published
 * @param propagating of what is said to a group
 * @param askTimeout  how long an answer is waited for where nobody else could give it
 * @param hopTimeout  how long one rendezvous is waited for where others could answer as well
 */
public record RendezvousLimits(
        LeaseLimits leasing,
        PeerViewLimits viewing,
        IndexLimits indexing,
        PropagationLimits propagating,
        Duration askTimeout,
        Duration hopTimeout) {

    /** The defaults. */
    public static final RendezvousLimits DEFAULTS = new RendezvousLimits(
            LeaseLimits.DEFAULTS,
            PeerViewLimits.DEFAULTS,
            IndexLimits.DEFAULTS,
            PropagationLimits.DEFAULTS,
            Duration.ofSeconds(5),
            Duration.ofSeconds(2));

    /** @throws IllegalArgumentException naming the limit, its value and its range */
    public RendezvousLimits {
        Arguments.wait("askTimeout", askTimeout, EndpointLimits.MAX_WAIT);
        Arguments.wait("hopTimeout", hopTimeout, EndpointLimits.MAX_WAIT);
    }

    /**
     * Leases.
     *
     * @param lease         how long one lasts that is not renewed; at least {@link #MIN_LEASE}
     * @param renewInterval after which time it is renewed, unless a third of the lease is shorter; a rendezvous that has
     *     gone without a word is noticed after that and the time that an answer is waited for
     * @param minBackoff    pause when no rendezvous was found; doubles each time
     * @param maxBackoff    the longest such pause
     * @param maxClients    of one rendezvous
     * @param maxGroups     of one client
     */
    public record LeaseLimits(
            Duration lease,
            Duration renewInterval,
            Duration minBackoff,
            Duration maxBackoff,
            int maxClients,
            int maxGroups) {

        /** The shortest lease. */
        public static final Duration MIN_LEASE = Duration.ofSeconds(1);

        /** Two minutes, renewed every ten seconds; 2,000 clients. */
        public static final LeaseLimits DEFAULTS = new LeaseLimits(
                Duration.ofMinutes(2),
                Duration.ofSeconds(10),
                Duration.ofMillis(250),
                Duration.ofSeconds(30),
                2000,
                256);

        /** @throws IllegalArgumentException naming the limit, its value and its range */
        public LeaseLimits {
            Arguments.wait("lease", lease, EndpointLimits.MAX_WAIT);
            if (lease.compareTo(MIN_LEASE) < 0) {
                throw new IllegalArgumentException("lease: " + lease + " (expected: >= " + MIN_LEASE + ")");
            }
            Arguments.wait("renewInterval", renewInterval, EndpointLimits.MAX_WAIT);
            Arguments.wait("minBackoff", minBackoff, EndpointLimits.MAX_WAIT);
            Arguments.wait("maxBackoff", maxBackoff, EndpointLimits.MAX_WAIT);
            Arguments.range("maxClients", maxClients, 0, 1_000_000);
            Arguments.range("maxGroups", maxGroups, 1, 10_000);
        }

        /** A copy with another {@link #maxClients()}. */
        public LeaseLimits withMaxClients(int value) {
            return new LeaseLimits(lease, renewInterval, minBackoff, maxBackoff, value, maxGroups);
        }
    }

    /**
     * What rendezvous know of each other.
     *
     * @param gossipInterval how often each tells some others what it knows, and that it is alive
     * @param failTimeout    after how long a silence one is dropped; asked directly before
     * @param fanout         how many are told each time
     * @param maxMembers     how many are known, this one not counted
     */
    public record PeerViewLimits(Duration gossipInterval, Duration failTimeout, int fanout, int maxMembers) {

        /** Three are told every five seconds; dropped after twenty; 256 in all. */
        public static final PeerViewLimits DEFAULTS =
                new PeerViewLimits(Duration.ofSeconds(5), Duration.ofSeconds(20), 3, 255);

        /** @throws IllegalArgumentException naming the limit, its value and its range */
        public PeerViewLimits {
            Arguments.wait("gossipInterval", gossipInterval, EndpointLimits.MAX_WAIT);
            Arguments.wait("failTimeout", failTimeout, EndpointLimits.MAX_WAIT);
            if (failTimeout.compareTo(gossipInterval.multipliedBy(2)) < 0) {
                throw new IllegalArgumentException("failTimeout: " + failTimeout
                        + " (expected: >= twice the gossipInterval " + gossipInterval + ")");
            }
            Arguments.range("fanout", fanout, 1, 100);
            Arguments.range("maxMembers", maxMembers, 1, 1000);
        }
    }

    /**
     * The index.
     *
     * @param maxEntries       advertisements that a rendezvous keeps; another rendezvous may fill half of that
     * @param maxBytes         the same in bytes, with what they are found by
     * @param replicas         rendezvous that keep an advertisement for each of its attributes
     * @param clientDocuments  advertisements that one client may have there
     * @param clientBytes      the same in bytes
     * @param publishPerSecond advertisements that one client may publish, with as many more in a burst; all together, and
     *     another rendezvous, ten times that
     * @param maxWalk          rendezvous that are asked when it can't be known who has what is looked for
     * @param walksPerSecond   such searches of one client, with as many more in a burst; all together ten times that
     */
    public record IndexLimits(
            int maxEntries,
            long maxBytes,
            int replicas,
            int clientDocuments,
            long clientBytes,
            int publishPerSecond,
            int maxWalk,
            int walksPerSecond) {

        private static final long MIB = 1 << 20;

        /** What the largest document with all it can be found by may take. */
        public static final long MIN_BYTES = 4 * MIB;

        /** A million, of a quarter of the heap; three replicas; 10,000 of one client, 1,000 a second. */
        public static final IndexLimits DEFAULTS = new IndexLimits(
                1_000_000, Math.max(64 * MIB, Runtime.getRuntime().maxMemory() / 4), 3, 10_000, 16 * MIB, 1000, 64, 20);

        /** @throws IllegalArgumentException naming the limit, its value and its range */
        public IndexLimits {
            Arguments.range("maxEntries", maxEntries, 1, Integer.MAX_VALUE);
            Arguments.range("maxBytes", maxBytes, MIN_BYTES, Long.MAX_VALUE);
            Arguments.range("replicas", replicas, 1, 16);
            Arguments.range("clientDocuments", clientDocuments, 0, Integer.MAX_VALUE);
            Arguments.range("clientBytes", clientBytes, 0, Long.MAX_VALUE);
            Arguments.range("publishPerSecond", publishPerSecond, 1, 1_000_000);
            Arguments.range("maxWalk", maxWalk, 0, 1000);
            Arguments.range("walksPerSecond", walksPerSecond, 1, 1_000_000);
        }

        /** A copy with another {@link #maxEntries()} and {@link #maxBytes()}. */
        public IndexLimits withSize(int entries, long bytes) {
            return new IndexLimits(
                    entries, bytes, replicas, clientDocuments, clientBytes, publishPerSecond, maxWalk, walksPerSecond);
        }

        /** A copy with another {@link #clientDocuments()}, {@link #clientBytes()} and {@link #publishPerSecond()}. */
        public IndexLimits withQuota(int documents, long bytes, int perSecond) {
            return new IndexLimits(
                    maxEntries, maxBytes, replicas, documents, bytes, perSecond, maxWalk, walksPerSecond);
        }

        /** A copy with another {@link #replicas()}. */
        public IndexLimits withReplicas(int value) {
            return new IndexLimits(
                    maxEntries,
                    maxBytes,
                    value,
                    clientDocuments,
                    clientBytes,
                    publishPerSecond,
                    maxWalk,
                    walksPerSecond);
        }

        /** A copy with another {@link #maxWalk()} and {@link #walksPerSecond()}. */
        public IndexLimits withWalk(int members, int perSecond) {
            return new IndexLimits(
                    maxEntries, maxBytes, replicas, clientDocuments, clientBytes, publishPerSecond, members, perSecond);
        }
    }

    /**
     * What is said to a group.
     *
     * @param perSecond     messages that one client may say, with as many more in a burst; all together, and another
     *     rendezvous, twenty times that
     * @param maxBodyBytes  one message
     * @param maxSeen       messages that are remembered, about 170 bytes each, to pass on each once. One that is forgotten
     *     before twice the {@code maxAge} is over may be repeated, by somebody who means harm; so it should be no less than
     *     what all clients and at least one other rendezvous may say in that time
     * @param maxAge        how far a message's time may differ from this peer's
     */
    public record PropagationLimits(int perSecond, int maxBodyBytes, int maxSeen, Duration maxAge) {

        /**
         * Fifty a second of 64 KiB each; two minutes. Half a million are remembered, 85 MB when there are that many: of all
         * clients and one other rendezvous at their bounds, 1,000 a second each, 480,000 come in four minutes.
         */
        public static final PropagationLimits DEFAULTS =
                new PropagationLimits(50, 64 << 10, 500_000, Duration.ofMinutes(2));

        /** @throws IllegalArgumentException naming the limit, its value and its range */
        public PropagationLimits {
            Arguments.range("perSecond", perSecond, 1, 1_000_000);
            Arguments.range("maxBodyBytes", maxBodyBytes, 1, 1 << 20);
            Arguments.range("maxSeen", maxSeen, 1, Integer.MAX_VALUE);
            Arguments.wait("maxAge", maxAge, EndpointLimits.MAX_WAIT);
        }
    }

    /** A copy with another {@link #leasing()}. */
    public RendezvousLimits withLeasing(LeaseLimits value) {
        return new RendezvousLimits(value, viewing, indexing, propagating, askTimeout, hopTimeout);
    }

    /** A copy with another {@link #viewing()}. */
    public RendezvousLimits withViewing(PeerViewLimits value) {
        return new RendezvousLimits(leasing, value, indexing, propagating, askTimeout, hopTimeout);
    }

    /** A copy with another {@link #indexing()}. */
    public RendezvousLimits withIndexing(IndexLimits value) {
        return new RendezvousLimits(leasing, viewing, value, propagating, askTimeout, hopTimeout);
    }

    /** A copy with another {@link #propagating()}. */
    public RendezvousLimits withPropagating(PropagationLimits value) {
        return new RendezvousLimits(leasing, viewing, indexing, value, askTimeout, hopTimeout);
    }

    /** A copy with another {@link #askTimeout()} and {@link #hopTimeout()}. */
    public RendezvousLimits withTimeouts(Duration ask, Duration hop) {
        return new RendezvousLimits(leasing, viewing, indexing, propagating, ask, hop);
    }
}

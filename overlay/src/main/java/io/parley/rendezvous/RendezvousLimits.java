package io.parley.rendezvous;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * The limits on the memory and the work that other peers can cause at a rendezvous and at its clients, and the intervals of
 * their messages. All defaults are finite. {@code RendezvousLimits.DEFAULTS.toBuilder()} changes some of them.
 *
 * @param lease          limits of clients and of the rendezvous that grants their leases
 * @param peerView       limits of the peer view of a rendezvous
 * @param index          limits of the index
 * @param propagation    limits of group messages
 * @param requestTimeout timeout of a request that no other peer can serve
 * @param hopTimeout     timeout of a request to one rendezvous if other rendezvous can serve it as well
 */
public record RendezvousLimits(
        LeaseLimits lease,
        PeerViewLimits peerView,
        IndexLimits index,
        PropagationLimits propagation,
        Duration requestTimeout,
        Duration hopTimeout) {

    /** The defaults: five seconds for a request, two for one hop. */
    public static final RendezvousLimits DEFAULTS = new RendezvousLimits(
            LeaseLimits.DEFAULTS,
            PeerViewLimits.DEFAULTS,
            IndexLimits.DEFAULTS,
            PropagationLimits.DEFAULTS,
            Duration.ofSeconds(5),
            Duration.ofSeconds(2));

    /**
     * Checks the limits.
     *
     * @throws IllegalArgumentException naming the limit, its value and its range
     */
    public RendezvousLimits {
        Arguments.requireTimeout("requestTimeout", requestTimeout);
        Arguments.requireTimeout("hopTimeout", hopTimeout);
    }

    /**
     * The limits of leases.
     *
     * @param lease         duration of a lease that is not renewed; at least {@link #MIN_LEASE}
     * @param renewInterval interval of renewals, unless a third of the lease is shorter. A client notices the silent failure of
     *     its rendezvous after this interval and {@link RendezvousLimits#requestTimeout()}
     * @param minBackoff    delay after a search that found no rendezvous; doubles with each further one
     * @param maxBackoff    maximum of this delay
     * @param maxClients    maximum number of clients of one rendezvous; beyond four fifths each host gets an equal share
     * @param maxGroups     maximum number of groups of one client
     */
    public record LeaseLimits(
            Duration lease,
            Duration renewInterval,
            Duration minBackoff,
            Duration maxBackoff,
            int maxClients,
            int maxGroups) {

        /** The minimum duration of a lease. */
        public static final Duration MIN_LEASE = Duration.ofSeconds(1);

        /** The defaults: leases of two minutes, renewed every ten seconds; 2,000 clients. */
        public static final LeaseLimits DEFAULTS = new LeaseLimits(
                Duration.ofMinutes(2),
                Duration.ofSeconds(10),
                Duration.ofMillis(250),
                Duration.ofSeconds(30),
                2000,
                256);

        /**
         * Checks the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public LeaseLimits {
            Arguments.requireTimeout("lease", lease);
            if (lease.compareTo(MIN_LEASE) < 0) {
                throw new IllegalArgumentException("lease: " + lease + " (expected: >= " + MIN_LEASE + ")");
            }
            Arguments.requireTimeout("renewInterval", renewInterval);
            Arguments.requireTimeout("minBackoff", minBackoff);
            Arguments.requireTimeout("maxBackoff", maxBackoff);
            Arguments.requireRange("maxClients", maxClients, 0, 1_000_000);
            Arguments.requireRange("maxGroups", maxGroups, 1, 10_000);
        }

        /** Returns a builder with the values of these limits. */
        public Builder toBuilder() {
            return new Builder(this);
        }

        /** Builds {@link LeaseLimits}. Not thread-safe. */
        public static final class Builder {

            private Duration lease;
            private Duration renewInterval;
            private Duration minBackoff;
            private Duration maxBackoff;
            private int maxClients;
            private int maxGroups;

            private Builder(LeaseLimits values) {
                this.lease = values.lease;
                this.renewInterval = values.renewInterval;
                this.minBackoff = values.minBackoff;
                this.maxBackoff = values.maxBackoff;
                this.maxClients = values.maxClients;
                this.maxGroups = values.maxGroups;
            }

            /** Sets {@link LeaseLimits#lease()}. */
            public Builder lease(Duration value) {
                this.lease = value;
                return this;
            }

            /** Sets {@link LeaseLimits#renewInterval()}. */
            public Builder renewInterval(Duration value) {
                this.renewInterval = value;
                return this;
            }

            /** Sets {@link LeaseLimits#minBackoff()}. */
            public Builder minBackoff(Duration value) {
                this.minBackoff = value;
                return this;
            }

            /** Sets {@link LeaseLimits#maxBackoff()}. */
            public Builder maxBackoff(Duration value) {
                this.maxBackoff = value;
                return this;
            }

            /** Sets {@link LeaseLimits#maxClients()}. */
            public Builder maxClients(int value) {
                this.maxClients = value;
                return this;
            }

            /** Sets {@link LeaseLimits#maxGroups()}. */
            public Builder maxGroups(int value) {
                this.maxGroups = value;
                return this;
            }

            /**
             * Returns the limits.
             *
             * @throws IllegalArgumentException naming the limit, its value and its range
             */
            public LeaseLimits build() {
                return new LeaseLimits(lease, renewInterval, minBackoff, maxBackoff, maxClients, maxGroups);
            }
        }
    }

    /**
     * The limits of the peer view.
     *
     * @param gossipInterval interval at which a rendezvous exchanges its entries with some others
     * @param failureTimeout silence after which a rendezvous is removed; it is queried directly after half of it
     * @param fanout         number of rendezvous of one exchange
     * @param maxRendezvous  maximum number of entries, without this rendezvous
     */
    public record PeerViewLimits(Duration gossipInterval, Duration failureTimeout, int fanout, int maxRendezvous) {

        /** The defaults: an exchange with three rendezvous every five seconds; removal after twenty; 256 rendezvous in total. */
        public static final PeerViewLimits DEFAULTS =
                new PeerViewLimits(Duration.ofSeconds(5), Duration.ofSeconds(20), 3, 255);

        /**
         * Checks the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public PeerViewLimits {
            Arguments.requireTimeout("gossipInterval", gossipInterval);
            Arguments.requireTimeout("failureTimeout", failureTimeout);
            if (failureTimeout.compareTo(gossipInterval.multipliedBy(2)) < 0) {
                throw new IllegalArgumentException("failureTimeout: " + failureTimeout
                        + " (expected: >= twice the gossipInterval " + gossipInterval + ")");
            }
            Arguments.requireRange("fanout", fanout, 1, 100);
            Arguments.requireRange("maxRendezvous", maxRendezvous, 1, 1000);
        }

        /** Returns a builder with the values of these limits. */
        public Builder toBuilder() {
            return new Builder(this);
        }

        /** Builds {@link PeerViewLimits}. Not thread-safe. */
        public static final class Builder {

            private Duration gossipInterval;
            private Duration failureTimeout;
            private int fanout;
            private int maxRendezvous;

            private Builder(PeerViewLimits values) {
                this.gossipInterval = values.gossipInterval;
                this.failureTimeout = values.failureTimeout;
                this.fanout = values.fanout;
                this.maxRendezvous = values.maxRendezvous;
            }

            /** Sets {@link PeerViewLimits#gossipInterval()}. */
            public Builder gossipInterval(Duration value) {
                this.gossipInterval = value;
                return this;
            }

            /** Sets {@link PeerViewLimits#failureTimeout()}. */
            public Builder failureTimeout(Duration value) {
                this.failureTimeout = value;
                return this;
            }

            /** Sets {@link PeerViewLimits#fanout()}. */
            public Builder fanout(int value) {
                this.fanout = value;
                return this;
            }

            /** Sets {@link PeerViewLimits#maxRendezvous()}. */
            public Builder maxRendezvous(int value) {
                this.maxRendezvous = value;
                return this;
            }

            /**
             * Returns the limits.
             *
             * @throws IllegalArgumentException naming the limit, its value and its range
             */
            public PeerViewLimits build() {
                return new PeerViewLimits(gossipInterval, failureTimeout, fanout, maxRendezvous);
            }
        }
    }

    /**
     * The limits of the index.
     *
     * @param maxEntries                 maximum number of entries; another rendezvous may fill half of it with replicas; beyond four
     *     fifths each host gets an equal share
     * @param maxBytes                   maximum size of the entries with their attributes, in bytes; shared like the entries
     * @param replicas                   number of rendezvous that replicate an advertisement for each of its attributes
     * @param maxAdvertisementsPerClient maximum number of entries of one client
     * @param maxBytesPerClient          maximum size of the entries of one client, in bytes
     * @param publicationsPerSecond      rate of advertisements of one client, and as many more in a burst; four times as many for
     *     all clients of one host; ten times as many for all clients together and for another rendezvous
     * @param maxWalkPeers               maximum number of rendezvous that a walk queries, because the search has no exact value
     * @param walksPerSecond             rate of walks of one client, and as many more in a burst; four times as many for all clients
     *     of one host; ten times as many for all clients together
     */
    public record IndexLimits(
            int maxEntries,
            long maxBytes,
            int replicas,
            int maxAdvertisementsPerClient,
            long maxBytesPerClient,
            int publicationsPerSecond,
            int maxWalkPeers,
            int walksPerSecond) {

        private static final long MIB = 1 << 20;

        /** The maximum size of one entry with its attributes, in bytes. */
        public static final long MIN_BYTES = 4 * MIB;

        /** The defaults: a million entries in an eighth of the heap; three replicas; 10,000 per client, 1,000 per second. */
        public static final IndexLimits DEFAULTS = new IndexLimits(
                1_000_000, Math.max(32 * MIB, Runtime.getRuntime().maxMemory() / 8), 3, 10_000, 16 * MIB, 1000, 64, 20);

        /**
         * Checks the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public IndexLimits {
            Arguments.requireRange("maxEntries", maxEntries, 1, Integer.MAX_VALUE);
            Arguments.requireRange("maxBytes", maxBytes, MIN_BYTES, Long.MAX_VALUE);
            Arguments.requireRange("replicas", replicas, 1, 16);
            Arguments.requireRange("maxAdvertisementsPerClient", maxAdvertisementsPerClient, 0, Integer.MAX_VALUE);
            Arguments.requireRange("maxBytesPerClient", maxBytesPerClient, 0, Long.MAX_VALUE);
            Arguments.requireRange("publicationsPerSecond", publicationsPerSecond, 1, 1_000_000);
            Arguments.requireRange("maxWalkPeers", maxWalkPeers, 0, 1000);
            Arguments.requireRange("walksPerSecond", walksPerSecond, 1, 1_000_000);
        }

        /** Returns a builder with the values of these limits. */
        public Builder toBuilder() {
            return new Builder(this);
        }

        /** Builds {@link IndexLimits}. Not thread-safe. */
        public static final class Builder {

            private int maxEntries;
            private long maxBytes;
            private int replicas;
            private int maxAdvertisementsPerClient;
            private long maxBytesPerClient;
            private int publicationsPerSecond;
            private int maxWalkPeers;
            private int walksPerSecond;

            private Builder(IndexLimits values) {
                this.maxEntries = values.maxEntries;
                this.maxBytes = values.maxBytes;
                this.replicas = values.replicas;
                this.maxAdvertisementsPerClient = values.maxAdvertisementsPerClient;
                this.maxBytesPerClient = values.maxBytesPerClient;
                this.publicationsPerSecond = values.publicationsPerSecond;
                this.maxWalkPeers = values.maxWalkPeers;
                this.walksPerSecond = values.walksPerSecond;
            }

            /** Sets {@link IndexLimits#maxEntries()}. */
            public Builder maxEntries(int value) {
                this.maxEntries = value;
                return this;
            }

            /** Sets {@link IndexLimits#maxBytes()}. */
            public Builder maxBytes(long value) {
                this.maxBytes = value;
                return this;
            }

            /** Sets {@link IndexLimits#replicas()}. */
            public Builder replicas(int value) {
                this.replicas = value;
                return this;
            }

            /** Sets {@link IndexLimits#maxAdvertisementsPerClient()}. */
            public Builder maxAdvertisementsPerClient(int value) {
                this.maxAdvertisementsPerClient = value;
                return this;
            }

            /** Sets {@link IndexLimits#maxBytesPerClient()}. */
            public Builder maxBytesPerClient(long value) {
                this.maxBytesPerClient = value;
                return this;
            }

            /** Sets {@link IndexLimits#publicationsPerSecond()}. */
            public Builder publicationsPerSecond(int value) {
                this.publicationsPerSecond = value;
                return this;
            }

            /** Sets {@link IndexLimits#maxWalkPeers()}. */
            public Builder maxWalkPeers(int value) {
                this.maxWalkPeers = value;
                return this;
            }

            /** Sets {@link IndexLimits#walksPerSecond()}. */
            public Builder walksPerSecond(int value) {
                this.walksPerSecond = value;
                return this;
            }

            /**
             * Returns the limits.
             *
             * @throws IllegalArgumentException naming the limit, its value and its range
             */
            public IndexLimits build() {
                return new IndexLimits(
                        maxEntries,
                        maxBytes,
                        replicas,
                        maxAdvertisementsPerClient,
                        maxBytesPerClient,
                        publicationsPerSecond,
                        maxWalkPeers,
                        walksPerSecond);
            }
        }
    }

    /**
     * The limits of group messages.
     *
     * @param messagesPerSecond   rate of messages of one client, and as many more in a burst; four times as many for all
     *     clients of one host; twenty times as many for all clients together and for another rendezvous, and four times
     *     that for all other rendezvous
     * @param maxBodyBytes        maximum size of a message, in bytes
     * @param duplicateFilterSize number of messages that are remembered, about 170 bytes each, so that each is forwarded once. An
     *     attacker can replay a message that is evicted before twice the {@code maxAge}. The size should therefore be at least
     *     the number of messages that all clients and one other rendezvous may send in that time
     * @param maxAge              maximum difference between the time of a message and the time of this peer
     */
    public record PropagationLimits(int messagesPerSecond, int maxBodyBytes, int duplicateFilterSize, Duration maxAge) {

        /**
         * The defaults: 50 messages per second of 64 KiB each; two minutes. Half a million are remembered in at most 85 MB: all
         * clients and one other rendezvous, at their limits of 1,000 per second each, send 480,000 in four minutes.
         */
        public static final PropagationLimits DEFAULTS =
                new PropagationLimits(50, 64 << 10, 500_000, Duration.ofMinutes(2));

        /**
         * Checks the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public PropagationLimits {
            Arguments.requireRange("messagesPerSecond", messagesPerSecond, 1, 1_000_000);
            Arguments.requireRange("maxBodyBytes", maxBodyBytes, 1, 1 << 20);
            Arguments.requireRange("duplicateFilterSize", duplicateFilterSize, 1, Integer.MAX_VALUE);
            Arguments.requireTimeout("maxAge", maxAge);
        }

        /** Returns a builder with the values of these limits. */
        public Builder toBuilder() {
            return new Builder(this);
        }

        /** Builds {@link PropagationLimits}. Not thread-safe. */
        public static final class Builder {

            private int messagesPerSecond;
            private int maxBodyBytes;
            private int duplicateFilterSize;
            private Duration maxAge;

            private Builder(PropagationLimits values) {
                this.messagesPerSecond = values.messagesPerSecond;
                this.maxBodyBytes = values.maxBodyBytes;
                this.duplicateFilterSize = values.duplicateFilterSize;
                this.maxAge = values.maxAge;
            }

            /** Sets {@link PropagationLimits#messagesPerSecond()}. */
            public Builder messagesPerSecond(int value) {
                this.messagesPerSecond = value;
                return this;
            }

            /** Sets {@link PropagationLimits#maxBodyBytes()}. */
            public Builder maxBodyBytes(int value) {
                this.maxBodyBytes = value;
                return this;
            }

            /** Sets {@link PropagationLimits#duplicateFilterSize()}. */
            public Builder duplicateFilterSize(int value) {
                this.duplicateFilterSize = value;
                return this;
            }

            /** Sets {@link PropagationLimits#maxAge()}. */
            public Builder maxAge(Duration value) {
                this.maxAge = value;
                return this;
            }

            /**
             * Returns the limits.
             *
             * @throws IllegalArgumentException naming the limit, its value and its range
             */
            public PropagationLimits build() {
                return new PropagationLimits(messagesPerSecond, maxBodyBytes, duplicateFilterSize, maxAge);
            }
        }
    }

    /** Returns a builder with the values of these limits. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link RendezvousLimits}. Not thread-safe. */
    public static final class Builder {

        private LeaseLimits lease;
        private PeerViewLimits peerView;
        private IndexLimits index;
        private PropagationLimits propagation;
        private Duration requestTimeout;
        private Duration hopTimeout;

        private Builder(RendezvousLimits values) {
            this.lease = values.lease;
            this.peerView = values.peerView;
            this.index = values.index;
            this.propagation = values.propagation;
            this.requestTimeout = values.requestTimeout;
            this.hopTimeout = values.hopTimeout;
        }

        /** Sets {@link RendezvousLimits#lease()}. */
        public Builder lease(LeaseLimits value) {
            this.lease = value;
            return this;
        }

        /** Sets {@link RendezvousLimits#peerView()}. */
        public Builder peerView(PeerViewLimits value) {
            this.peerView = value;
            return this;
        }

        /** Sets {@link RendezvousLimits#index()}. */
        public Builder index(IndexLimits value) {
            this.index = value;
            return this;
        }

        /** Sets {@link RendezvousLimits#propagation()}. */
        public Builder propagation(PropagationLimits value) {
            this.propagation = value;
            return this;
        }

        /** Sets {@link RendezvousLimits#requestTimeout()}. */
        public Builder requestTimeout(Duration value) {
            this.requestTimeout = value;
            return this;
        }

        /** Sets {@link RendezvousLimits#hopTimeout()}. */
        public Builder hopTimeout(Duration value) {
            this.hopTimeout = value;
            return this;
        }

        /**
         * Returns the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public RendezvousLimits build() {
            return new RendezvousLimits(lease, peerView, index, propagation, requestTimeout, hopTimeout);
        }
    }
}

package io.parley.discovery;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * The limits and intervals of a discovery. {@link io.parley.resolver.ResolverLimits} limits queries of other peers, and
 * {@link io.parley.store.StoreLimits} limits stored advertisements.
 *
 * @param maxPublications         advertisements that this peer publishes in the group
 * @param maxSearches             concurrent searches
 * @param maxResults              results of one search
 * @param maxMulticastResponses   peers on the local network whose responses to one query are accepted
 * @param maxQueuedAdvertisements advertisements that wait for a slow listener of {@link Discovery#addListener}; surplus ones are
 *     dropped
 * @param collectTimeout          time for which a search waits for responses from the local network, whose peers are unknown, and for
 *     an unavailable index
 * @param announceInterval        average interval between announcements of this peer on the local network, unless a quarter of the default
 *     {@link PublishOptions#expiration} is shorter
 */
public record DiscoveryLimits(
        int maxPublications,
        int maxSearches,
        int maxResults,
        int maxMulticastResponses,
        int maxQueuedAdvertisements,
        Duration collectTimeout,
        Duration announceInterval) {

    /** The defaults. */
    public static final DiscoveryLimits DEFAULTS =
            new DiscoveryLimits(10_000, 1000, 10_000, 200, 1000, Duration.ofSeconds(3), Duration.ofMinutes(1));

    private static final int MOST = 1_000_000;

    /** @throws IllegalArgumentException naming the limit, its value and its range */
    public DiscoveryLimits {
        Arguments.requireRange("maxPublications", maxPublications, 1, MOST);
        Arguments.requireRange("maxSearches", maxSearches, 1, MOST);
        Arguments.requireRange("maxResults", maxResults, 1, MOST);
        Arguments.requireRange("maxMulticastResponses", maxMulticastResponses, 1, MOST);
        Arguments.requireRange("maxQueuedAdvertisements", maxQueuedAdvertisements, 1, MOST);
        Arguments.requireTimeout("collectTimeout", collectTimeout);
        Arguments.requireTimeout("announceInterval", announceInterval);
    }

    /** Returns a builder with these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link DiscoveryLimits}. Not thread-safe. */
    public static final class Builder {

        private int maxPublications;
        private int maxSearches;
        private int maxResults;
        private int maxMulticastResponses;
        private int maxQueuedAdvertisements;
        private Duration collectTimeout;
        private Duration announceInterval;

        private Builder(DiscoveryLimits values) {
            this.maxPublications = values.maxPublications;
            this.maxSearches = values.maxSearches;
            this.maxResults = values.maxResults;
            this.maxMulticastResponses = values.maxMulticastResponses;
            this.maxQueuedAdvertisements = values.maxQueuedAdvertisements;
            this.collectTimeout = values.collectTimeout;
            this.announceInterval = values.announceInterval;
        }

        /** Sets {@link DiscoveryLimits#maxPublications()}. */
        public Builder maxPublications(int value) {
            this.maxPublications = value;
            return this;
        }

        /** Sets {@link DiscoveryLimits#maxSearches()}. */
        public Builder maxSearches(int value) {
            this.maxSearches = value;
            return this;
        }

        /** Sets {@link DiscoveryLimits#maxResults()}. */
        public Builder maxResults(int value) {
            this.maxResults = value;
            return this;
        }

        /** Sets {@link DiscoveryLimits#maxMulticastResponses()}. */
        public Builder maxMulticastResponses(int value) {
            this.maxMulticastResponses = value;
            return this;
        }

        /** Sets {@link DiscoveryLimits#maxQueuedAdvertisements()}. */
        public Builder maxQueuedAdvertisements(int value) {
            this.maxQueuedAdvertisements = value;
            return this;
        }

        /** Sets {@link DiscoveryLimits#collectTimeout()}. */
        public Builder collectTimeout(Duration value) {
            this.collectTimeout = value;
            return this;
        }

        /** Sets {@link DiscoveryLimits#announceInterval()}. */
        public Builder announceInterval(Duration value) {
            this.announceInterval = value;
            return this;
        }

        /**
         * Returns the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public DiscoveryLimits build() {
            return new DiscoveryLimits(
                    maxPublications,
                    maxSearches,
                    maxResults,
                    maxMulticastResponses,
                    maxQueuedAdvertisements,
                    collectTimeout,
                    announceInterval);
        }
    }
}

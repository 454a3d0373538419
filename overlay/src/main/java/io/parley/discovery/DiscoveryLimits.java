package io.parley.discovery;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * Every bound on what a discovery holds and does, and how long it waits. What others may ask is bounded by
 * {@link io.parley.resolver.ResolverLimits}, what is kept of them by the store's limits.
 *
 * @param maxPublications   advertisements that this peer keeps published in the group
 * @param maxSearches       searches at a time
 * @param maxResults        results of one search
 * @param maxNearbyAnswers  peers nearby whose answers to one question are taken
 * @param maxQueued         advertisements that wait for a slow listener of {@link Discovery#listen}; more are left out
 * @param settleTime        how long a search waits for peers nearby, whose number is not known, and for an index that is
 *     not available
 * @param announceInterval  how often about this peer says nearby that it is there
 */
public record DiscoveryLimits(
        int maxPublications,
        int maxSearches,
        int maxResults,
        int maxNearbyAnswers,
        int maxQueued,
        Duration settleTime,
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
        Arguments.requireRange("maxNearbyAnswers", maxNearbyAnswers, 1, MOST);
        Arguments.requireRange("maxQueued", maxQueued, 1, MOST);
        Arguments.requireTimeout("settleTime", settleTime);
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
        private int maxNearbyAnswers;
        private int maxQueued;
        private Duration settleTime;
        private Duration announceInterval;

        private Builder(DiscoveryLimits values) {
            this.maxPublications = values.maxPublications;
            this.maxSearches = values.maxSearches;
            this.maxResults = values.maxResults;
            this.maxNearbyAnswers = values.maxNearbyAnswers;
            this.maxQueued = values.maxQueued;
            this.settleTime = values.settleTime;
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

        /** Sets {@link DiscoveryLimits#maxNearbyAnswers()}. */
        public Builder maxNearbyAnswers(int value) {
            this.maxNearbyAnswers = value;
            return this;
        }

        /** Sets {@link DiscoveryLimits#maxQueued()}. */
        public Builder maxQueued(int value) {
            this.maxQueued = value;
            return this;
        }

        /** Sets {@link DiscoveryLimits#settleTime()}. */
        public Builder settleTime(Duration value) {
            this.settleTime = value;
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
            return new DiscoveryLimits(maxPublications, maxSearches, maxResults, maxNearbyAnswers, maxQueued, settleTime, announceInterval);
        }
    }
}

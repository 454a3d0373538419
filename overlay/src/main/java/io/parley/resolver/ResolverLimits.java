package io.parley.resolver;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * The limits of a resolver on received queries and on its own queries. Sizes are in bytes.
 *
 * @param maxBodyBytes               size of one query or response, including names and types
 * @param maxPendingQueries          queries to one peer without a response yet
 * @param maxPropagatedQueries       open propagated queries
 * @param maxResponses               responses to one propagated query
 * @param maxConcurrentQueries       received queries that handlers process; one peer may use a quarter
 * @param maxConcurrentQueryBytes    memory of these queries; one peer may use a quarter
 * @param maxUnsentResponseBytes     memory of responses that other peers have not received yet, at least 4 KiB for each; one peer may
 *     use a quarter, and beyond four fifths a host may use an equal share; at least four times {@code maxBodyBytes}
 * @param queriesPerSecond           queries that one peer may send to this peer; one host may send four times as many, all hosts
 *     together ten times
 * @param propagatedQueriesPerSecond propagated queries that one peer may send; one host may send four times as many, all hosts
 *     together ten times; the peers without a connection are one host
 * @param duplicateFilterSize        propagated queries that the duplicate filter remembers
 * @param duplicateFilterTimeout     time for which the duplicate filter remembers a query
 * @param handlerTimeout             maximum time for a handler's response, and the time after which a waiting response is dropped
 * @param maxHops                    hops after which a query is rejected
 */
public record ResolverLimits(
        int maxBodyBytes,
        int maxPendingQueries,
        int maxPropagatedQueries,
        int maxResponses,
        int maxConcurrentQueries,
        long maxConcurrentQueryBytes,
        long maxUnsentResponseBytes,
        int queriesPerSecond,
        int propagatedQueriesPerSecond,
        int duplicateFilterSize,
        Duration duplicateFilterTimeout,
        Duration handlerTimeout,
        int maxHops) {

    /** The defaults. */
    public static final ResolverLimits DEFAULTS = new ResolverLimits(
            1 << 20,
            4096,
            256,
            1000,
            8192,
            64L << 20,
            32L << 20,
            5000,
            100,
            20_000,
            Duration.ofMinutes(2),
            Duration.ofSeconds(30),
            7);

    private static final int MAX_BODY_BYTES = 1 << 30;

    /** The maximum number of hops in the wire format. */
    public static final int MAX_HOPS = 255;

    /** @throws IllegalArgumentException naming the limit, its value and its range */
    public ResolverLimits {
        Arguments.requireRange("maxBodyBytes", maxBodyBytes, 1, MAX_BODY_BYTES);
        Arguments.requireRange("maxPendingQueries", maxPendingQueries, 1, Integer.MAX_VALUE);
        Arguments.requireRange("maxPropagatedQueries", maxPropagatedQueries, 1, Integer.MAX_VALUE);
        Arguments.requireRange("maxResponses", maxResponses, 1, Integer.MAX_VALUE);
        Arguments.requireRange("maxConcurrentQueries", maxConcurrentQueries, 4, Integer.MAX_VALUE);
        Arguments.requireRange("maxConcurrentQueryBytes", maxConcurrentQueryBytes, 4, Long.MAX_VALUE);
        Arguments.requireRange("maxUnsentResponseBytes", maxUnsentResponseBytes, 4L * maxBodyBytes, Long.MAX_VALUE);
        Arguments.requireRange("queriesPerSecond", queriesPerSecond, 1, 1_000_000);
        Arguments.requireRange("propagatedQueriesPerSecond", propagatedQueriesPerSecond, 1, 1_000_000);
        Arguments.requireRange("duplicateFilterSize", duplicateFilterSize, 1, Integer.MAX_VALUE);
        Arguments.requireTimeout("duplicateFilterTimeout", duplicateFilterTimeout);
        Arguments.requireTimeout("handlerTimeout", handlerTimeout);
        Arguments.requireRange("maxHops", maxHops, 0, MAX_HOPS);
    }

    /** Returns a builder with these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link ResolverLimits}. Not thread-safe. */
    public static final class Builder {

        private int maxBodyBytes;
        private int maxPendingQueries;
        private int maxPropagatedQueries;
        private int maxResponses;
        private int maxConcurrentQueries;
        private long maxConcurrentQueryBytes;
        private long maxUnsentResponseBytes;
        private int queriesPerSecond;
        private int propagatedQueriesPerSecond;
        private int duplicateFilterSize;
        private Duration duplicateFilterTimeout;
        private Duration handlerTimeout;
        private int maxHops;

        private Builder(ResolverLimits values) {
            this.maxBodyBytes = values.maxBodyBytes;
            this.maxPendingQueries = values.maxPendingQueries;
            this.maxPropagatedQueries = values.maxPropagatedQueries;
            this.maxResponses = values.maxResponses;
            this.maxConcurrentQueries = values.maxConcurrentQueries;
            this.maxConcurrentQueryBytes = values.maxConcurrentQueryBytes;
            this.maxUnsentResponseBytes = values.maxUnsentResponseBytes;
            this.queriesPerSecond = values.queriesPerSecond;
            this.propagatedQueriesPerSecond = values.propagatedQueriesPerSecond;
            this.duplicateFilterSize = values.duplicateFilterSize;
            this.duplicateFilterTimeout = values.duplicateFilterTimeout;
            this.handlerTimeout = values.handlerTimeout;
            this.maxHops = values.maxHops;
        }

        /** Sets {@link ResolverLimits#maxBodyBytes()}. */
        public Builder maxBodyBytes(int value) {
            this.maxBodyBytes = value;
            return this;
        }

        /** Sets {@link ResolverLimits#maxPendingQueries()}. */
        public Builder maxPendingQueries(int value) {
            this.maxPendingQueries = value;
            return this;
        }

        /** Sets {@link ResolverLimits#maxPropagatedQueries()}. */
        public Builder maxPropagatedQueries(int value) {
            this.maxPropagatedQueries = value;
            return this;
        }

        /** Sets {@link ResolverLimits#maxResponses()}. */
        public Builder maxResponses(int value) {
            this.maxResponses = value;
            return this;
        }

        /** Sets {@link ResolverLimits#maxConcurrentQueries()}. */
        public Builder maxConcurrentQueries(int value) {
            this.maxConcurrentQueries = value;
            return this;
        }

        /** Sets {@link ResolverLimits#maxConcurrentQueryBytes()}. */
        public Builder maxConcurrentQueryBytes(long value) {
            this.maxConcurrentQueryBytes = value;
            return this;
        }

        /** Sets {@link ResolverLimits#maxUnsentResponseBytes()}. */
        public Builder maxUnsentResponseBytes(long value) {
            this.maxUnsentResponseBytes = value;
            return this;
        }

        /** Sets {@link ResolverLimits#queriesPerSecond()}. */
        public Builder queriesPerSecond(int value) {
            this.queriesPerSecond = value;
            return this;
        }

        /** Sets {@link ResolverLimits#propagatedQueriesPerSecond()}. */
        public Builder propagatedQueriesPerSecond(int value) {
            this.propagatedQueriesPerSecond = value;
            return this;
        }

        /** Sets {@link ResolverLimits#duplicateFilterSize()}. */
        public Builder duplicateFilterSize(int value) {
            this.duplicateFilterSize = value;
            return this;
        }

        /** Sets {@link ResolverLimits#duplicateFilterTimeout()}. */
        public Builder duplicateFilterTimeout(Duration value) {
            this.duplicateFilterTimeout = value;
            return this;
        }

        /** Sets {@link ResolverLimits#handlerTimeout()}. */
        public Builder handlerTimeout(Duration value) {
            this.handlerTimeout = value;
            return this;
        }

        /** Sets {@link ResolverLimits#maxHops()}. */
        public Builder maxHops(int value) {
            this.maxHops = value;
            return this;
        }

        /**
         * Returns the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public ResolverLimits build() {
            return new ResolverLimits(
                    maxBodyBytes,
                    maxPendingQueries,
                    maxPropagatedQueries,
                    maxResponses,
                    maxConcurrentQueries,
                    maxConcurrentQueryBytes,
                    maxUnsentResponseBytes,
                    queriesPerSecond,
                    propagatedQueriesPerSecond,
                    duplicateFilterSize,
                    duplicateFilterTimeout,
                    handlerTimeout,
                    maxHops);
        }
    }
}

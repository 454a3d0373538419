package io.parley.resolver;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * Every bound on what other peers, or a caller that asks too much, can make a resolver hold or do. Sizes are bytes.
 *
 * @param maxBodyBytes       one question or one answer, counted with names and types
 * @param maxOpenAsks        questions to one peer that wait for their answer
 * @param maxOpenPropagated  propagated questions that are open
 * @param maxAnswers         answers to one propagated question
 * @param maxHandled         questions of others that handlers are busy with; one peer gets a quarter
 * @param maxHandledBytes    memory that those questions take; one peer gets a quarter
 * @param asksPerSecond      questions to this peer that one peer may ask, with as many more in a burst; all together
 *     ten times that
 * @param propagatedPerSecond propagated questions that one peer may ask, with as many more in a burst; all together ten
 *     times that
 * @param maxSeen            propagated questions that are remembered, to answer each once
 * @param seenTimeout        how long they are remembered
 * @param handlerTimeout     how long a handler's answer is waited for
 * @param maxHops            how many peers may have passed on a question
 */
public record ResolverLimits(
        int maxBodyBytes,
        int maxOpenAsks,
        int maxOpenPropagated,
        int maxAnswers,
        int maxHandled,
        long maxHandledBytes,
        int asksPerSecond,
        int propagatedPerSecond,
        int maxSeen,
        Duration seenTimeout,
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
            5000,
            100,
            20_000,
            Duration.ofMinutes(2),
            Duration.ofSeconds(30),
            7);

    private static final int MAX_BODY_BYTES = 1 << 30;

    /** The largest number of hops that the wire has room for. */
    public static final int MAX_HOPS = 255;

    /** @throws IllegalArgumentException naming the limit, its value and its range */
    public ResolverLimits {
        Arguments.requireRange("maxBodyBytes", maxBodyBytes, 1, MAX_BODY_BYTES);
        Arguments.requireRange("maxOpenAsks", maxOpenAsks, 1, Integer.MAX_VALUE);
        Arguments.requireRange("maxOpenPropagated", maxOpenPropagated, 1, Integer.MAX_VALUE);
        Arguments.requireRange("maxAnswers", maxAnswers, 1, Integer.MAX_VALUE);
        Arguments.requireRange("maxHandled", maxHandled, 4, Integer.MAX_VALUE);
        Arguments.requireRange("maxHandledBytes", maxHandledBytes, 4, Long.MAX_VALUE);
        Arguments.requireRange("asksPerSecond", asksPerSecond, 1, 1_000_000);
        Arguments.requireRange("propagatedPerSecond", propagatedPerSecond, 1, 1_000_000);
        Arguments.requireRange("maxSeen", maxSeen, 1, Integer.MAX_VALUE);
        Arguments.requireTimeout("seenTimeout", seenTimeout);
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
        private int maxOpenAsks;
        private int maxOpenPropagated;
        private int maxAnswers;
        private int maxHandled;
        private long maxHandledBytes;
        private int asksPerSecond;
        private int propagatedPerSecond;
        private int maxSeen;
        private Duration seenTimeout;
        private Duration handlerTimeout;
        private int maxHops;

        private Builder(ResolverLimits values) {
            this.maxBodyBytes = values.maxBodyBytes;
            this.maxOpenAsks = values.maxOpenAsks;
            this.maxOpenPropagated = values.maxOpenPropagated;
            this.maxAnswers = values.maxAnswers;
            this.maxHandled = values.maxHandled;
            this.maxHandledBytes = values.maxHandledBytes;
            this.asksPerSecond = values.asksPerSecond;
            this.propagatedPerSecond = values.propagatedPerSecond;
            this.maxSeen = values.maxSeen;
            this.seenTimeout = values.seenTimeout;
            this.handlerTimeout = values.handlerTimeout;
            this.maxHops = values.maxHops;
        }

        /** Sets {@link ResolverLimits#maxBodyBytes()}. */
        public Builder maxBodyBytes(int value) {
            this.maxBodyBytes = value;
            return this;
        }

        /** Sets {@link ResolverLimits#maxOpenAsks()}. */
        public Builder maxOpenAsks(int value) {
            this.maxOpenAsks = value;
            return this;
        }

        /** Sets {@link ResolverLimits#maxOpenPropagated()}. */
        public Builder maxOpenPropagated(int value) {
            this.maxOpenPropagated = value;
            return this;
        }

        /** Sets {@link ResolverLimits#maxAnswers()}. */
        public Builder maxAnswers(int value) {
            this.maxAnswers = value;
            return this;
        }

        /** Sets {@link ResolverLimits#maxHandled()}. */
        public Builder maxHandled(int value) {
            this.maxHandled = value;
            return this;
        }

        /** Sets {@link ResolverLimits#maxHandledBytes()}. */
        public Builder maxHandledBytes(long value) {
            this.maxHandledBytes = value;
            return this;
        }

        /** Sets {@link ResolverLimits#asksPerSecond()}. */
        public Builder asksPerSecond(int value) {
            this.asksPerSecond = value;
            return this;
        }

        /** Sets {@link ResolverLimits#propagatedPerSecond()}. */
        public Builder propagatedPerSecond(int value) {
            this.propagatedPerSecond = value;
            return this;
        }

        /** Sets {@link ResolverLimits#maxSeen()}. */
        public Builder maxSeen(int value) {
            this.maxSeen = value;
            return this;
        }

        /** Sets {@link ResolverLimits#seenTimeout()}. */
        public Builder seenTimeout(Duration value) {
            this.seenTimeout = value;
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
            return new ResolverLimits(maxBodyBytes, maxOpenAsks, maxOpenPropagated, maxAnswers, maxHandled, maxHandledBytes, asksPerSecond, propagatedPerSecond, maxSeen, seenTimeout, handlerTimeout, maxHops);
        }
    }
}

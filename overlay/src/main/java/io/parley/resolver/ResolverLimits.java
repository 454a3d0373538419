package io.parley.resolver;

import io.parley.common.internal.Arguments;
import io.parley.endpoint.EndpointLimits;
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
        Arguments.range("maxBodyBytes", maxBodyBytes, 1, MAX_BODY_BYTES);
        Arguments.range("maxOpenAsks", maxOpenAsks, 1, Integer.MAX_VALUE);
        Arguments.range("maxOpenPropagated", maxOpenPropagated, 1, Integer.MAX_VALUE);
        Arguments.range("maxAnswers", maxAnswers, 1, Integer.MAX_VALUE);
        Arguments.range("maxHandled", maxHandled, 4, Integer.MAX_VALUE);
        Arguments.range("maxHandledBytes", maxHandledBytes, 4, Long.MAX_VALUE);
        Arguments.range("asksPerSecond", asksPerSecond, 1, 1_000_000);
        Arguments.range("propagatedPerSecond", propagatedPerSecond, 1, 1_000_000);
        Arguments.range("maxSeen", maxSeen, 1, Integer.MAX_VALUE);
        Arguments.wait("seenTimeout", seenTimeout, EndpointLimits.MAX_WAIT);
        Arguments.wait("handlerTimeout", handlerTimeout, EndpointLimits.MAX_WAIT);
        Arguments.range("maxHops", maxHops, 0, MAX_HOPS);
    }

    /** A copy with another {@link #maxBodyBytes()}. */
    public ResolverLimits withMaxBodyBytes(int value) {
        return new ResolverLimits(
                value,
                maxOpenAsks,
                maxOpenPropagated,
                maxAnswers,
                maxHandled,
                maxHandledBytes,
                asksPerSecond,
                propagatedPerSecond,
                maxSeen,
                seenTimeout,
                handlerTimeout,
                maxHops);
    }

    /** A copy with another {@link #maxOpenAsks()}. */
    public ResolverLimits withMaxOpenAsks(int value) {
        return new ResolverLimits(
                maxBodyBytes,
                value,
                maxOpenPropagated,
                maxAnswers,
                maxHandled,
                maxHandledBytes,
                asksPerSecond,
                propagatedPerSecond,
                maxSeen,
                seenTimeout,
                handlerTimeout,
                maxHops);
    }

    /** A copy with another {@link #maxOpenPropagated()}. */
    public ResolverLimits withMaxOpenPropagated(int value) {
        return new ResolverLimits(
                maxBodyBytes,
                maxOpenAsks,
                value,
                maxAnswers,
                maxHandled,
                maxHandledBytes,
                asksPerSecond,
                propagatedPerSecond,
                maxSeen,
                seenTimeout,
                handlerTimeout,
                maxHops);
    }

    /** A copy with another {@link #maxHandled()} and {@link #maxHandledBytes()}. */
    public ResolverLimits withMaxHandled(int queries, long bytes) {
        return new ResolverLimits(
                maxBodyBytes,
                maxOpenAsks,
                maxOpenPropagated,
                maxAnswers,
                queries,
                bytes,
                asksPerSecond,
                propagatedPerSecond,
                maxSeen,
                seenTimeout,
                handlerTimeout,
                maxHops);
    }

    /** A copy with another {@link #asksPerSecond()} and {@link #propagatedPerSecond()}. */
    public ResolverLimits withRates(int asks, int propagated) {
        return new ResolverLimits(
                maxBodyBytes,
                maxOpenAsks,
                maxOpenPropagated,
                maxAnswers,
                maxHandled,
                maxHandledBytes,
                asks,
                propagated,
                maxSeen,
                seenTimeout,
                handlerTimeout,
                maxHops);
    }
}

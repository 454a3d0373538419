package io.parley.pipes;

import io.parley.common.internal.Arguments;
import io.parley.endpoint.EndpointLimits;
import java.time.Duration;

/**
 * The treatment of messages that a subscriber does not receive fast enough. The subscriber selects it, and it applies twice: to the queue
 * that each publisher keeps for the subscriber, and to the queue of received messages. A publisher with smaller limits uses those.
 *
 * @param overflow    the treatment of messages for which a full queue has no room
 * @param maxMessages the maximum number of messages in a queue, {@value #MAX_MESSAGES} at most; ignored by {@link Overflow#BLOCK}
 * @param maxBytes    the size of the payloads from which the queue of a publisher is full, {@value #MAX_BYTES} at most; ignored by
 *     {@link Overflow#BLOCK}
 * @param timeToLive  the time in a queue after which a message is dropped; {@link EndpointLimits#MAX_TIMEOUT}, which
 *     {@link Overflow#BLOCK} requires, for no limit
 */
public record SubscriptionOptions(Overflow overflow, int maxMessages, int maxBytes, Duration timeToLive) {

    /** The treatment of messages of a publisher that is faster than the subscriber. */
    public enum Overflow {
        /**
         * The publisher waits, so the subscriber gets every message. A subscriber that stops the publisher for longer than
         * {@link Topic#withBlockTimeout} is removed.
         */
        BLOCK,
        /** The oldest messages are dropped. */
        DROP_OLDEST,
        /** All messages but the newest one are dropped, for values of which only the present one matters. */
        NEWEST_ONLY
    }

    /** The largest value of {@link #maxMessages}. */
    public static final int MAX_MESSAGES = 1_000_000;

    /** The largest value of {@link #maxBytes}. */
    public static final int MAX_BYTES = 64 * 1024 * 1024;

    private static final int DEFAULT_MESSAGES = 1000;
    private static final int DEFAULT_BYTES = 1024 * 1024;

    /** Drops the oldest of 1,000 messages or 1 MiB. */
    public static final SubscriptionOptions DEFAULTS =
            new SubscriptionOptions(Overflow.DROP_OLDEST, DEFAULT_MESSAGES, DEFAULT_BYTES, EndpointLimits.MAX_TIMEOUT);

    /** @throws IllegalArgumentException naming the option, its value and its range */
    public SubscriptionOptions {
        Arguments.requireRange("maxMessages", maxMessages, 1, MAX_MESSAGES);
        Arguments.requireRange("maxBytes", maxBytes, 1, MAX_BYTES);
        Arguments.requireTimeout("timeToLive", timeToLive);
        if (overflow == Overflow.BLOCK && !timeToLive.equals(EndpointLimits.MAX_TIMEOUT)) {
            throw new IllegalArgumentException(
                    "timeToLive: " + timeToLive + " (expected: none with BLOCK, whose subscribers get every message)");
        }
        if (overflow == Overflow.NEWEST_ONLY) {
            maxMessages = 1;
        }
    }

    /** Returns options with which every message arrives, and the publisher waits. */
    public static SubscriptionOptions blocking() {
        return new SubscriptionOptions(Overflow.BLOCK, DEFAULT_MESSAGES, DEFAULT_BYTES, EndpointLimits.MAX_TIMEOUT);
    }

    /** Returns options with which only the newest message waits. */
    public static SubscriptionOptions newestOnly() {
        return new SubscriptionOptions(Overflow.NEWEST_ONLY, 1, DEFAULT_BYTES, EndpointLimits.MAX_TIMEOUT);
    }

    /** Returns options that drop the oldest of that number of messages or 1 MiB. */
    public static SubscriptionOptions dropOldest(int maxMessages) {
        return new SubscriptionOptions(Overflow.DROP_OLDEST, maxMessages, DEFAULT_BYTES, EndpointLimits.MAX_TIMEOUT);
    }

    /** Returns a copy with another {@link #timeToLive()}. */
    public SubscriptionOptions withTimeToLive(Duration value) {
        return new SubscriptionOptions(overflow, maxMessages, maxBytes, value);
    }
}

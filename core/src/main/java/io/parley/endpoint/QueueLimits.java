package io.parley.endpoint;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * The bounds of the queue of one messenger. The {@linkplain MessengerOptions.Delivery delivery} decides what a full queue does.
 *
 * @param maxMessages number of messages; at least 1. With 1 and {@link MessengerOptions.Delivery#DROP_OLDEST}, only the newest
 *     message waits
 * @param maxBytes    bytes from which the queue is full; at least 1. A message of any size is accepted while it is not
 * @param timeToLive  the time in the queue after which a message is dropped instead of sent; above zero,
 *     {@link EndpointLimits#MAX_TIMEOUT} for no limit
 */
public record QueueLimits(int maxMessages, int maxBytes, Duration timeToLive) {

    /**
     * Returns bounds without a limit of the time in the queue.
     *
     * @throws IllegalArgumentException naming the limit, its value and its range
     */
    public static QueueLimits of(int maxMessages, int maxBytes) {
        return new QueueLimits(maxMessages, maxBytes, EndpointLimits.MAX_TIMEOUT);
    }

    /** @throws IllegalArgumentException naming the limit, its value and its range */
    public QueueLimits {
        Arguments.requireAtLeast("maxMessages", maxMessages, 1);
        Arguments.requireAtLeast("maxBytes", maxBytes, 1);
        Arguments.requireTimeout("timeToLive", timeToLive);
    }
}

package io.parley.group.internal.view;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * The limits and delays of a {@link BroadcastTree}. Limits for each neighbor are multiplied by the number of neighbors, which the view
 * limits.
 *
 * @param cacheBytes             memory of the messages that neighbors may request. At least {@link #MIN_CACHE_BYTES}, the two copies
 *     in one message of the maximum size
 * @param cacheTime              time for which a neighbor may request a message, and for which a message that was announced is missing
 * @param maxKnown               number of messages of which duplicates are recognized; beyond it the oldest is forgotten
 * @param knownTime              time for which duplicates are recognized: at least twice the age up to which the caller accepts a
 *     message, because the clocks of two peers may differ by that age in both directions
 * @param maxMissing             number of missing messages that one neighbor may have announced; further announcements are dropped
 * @param announceDelay          time for which announcements are collected into one message, and interval of the checks for due requests
 * @param graftDelay             time from the first announcement of a missing message to its request: longer than the eager path may
 *     take beyond the announced one, because each request in vain is a duplicate
 * @param graftSpread            random time of at most this length that is added to {@code graftDelay}. The member that requests a
 *     message first repairs the tree for the members behind it. If all request at once, many links become eager, and the duplicates
 *     of overlapping messages break the tree again
 * @param graftRetryDelay        time from a request to the request to the next neighbor that has announced the message
 * @param graftsPerSecond        requests to one neighbor to which it does not respond with the message, with a burst of two seconds
 * @param graftedBytesPerSecond  bytes of the messages that one neighbor may request, with a burst of two seconds
 */
record BroadcastTreeLimits(
        int cacheBytes,
        Duration cacheTime,
        int maxKnown,
        Duration knownTime,
        int maxMissing,
        Duration announceDelay,
        Duration graftDelay,
        Duration graftSpread,
        Duration graftRetryDelay,
        int graftsPerSecond,
        int graftedBytesPerSecond) {

    static final int MIN_CACHE_BYTES = 3 << 20;

    /**
     * The defaults: 4 MiB for a minute; 100,000 known messages, in at most 17 MB, for four minutes; 1,024 missing ones of each
     * neighbor. Announcements after 50 ms, requests after 500 to 1,500 ms and then every 250 ms. 100 requests in vain and 1 MiB of requested
     * messages a second.
     */
    static final BroadcastTreeLimits DEFAULTS = new BroadcastTreeLimits(
            4 << 20,
            Duration.ofSeconds(60),
            100_000,
            Duration.ofMinutes(4),
            1024,
            Duration.ofMillis(50),
            Duration.ofMillis(500),
            Duration.ofSeconds(1),
            Duration.ofMillis(250),
            100,
            1 << 20);

    /**
     * Checks the limits.
     *
     * @throws IllegalArgumentException naming the limit, its value and its range
     */
    BroadcastTreeLimits {
        Arguments.requireAtLeast("cacheBytes", cacheBytes, MIN_CACHE_BYTES);
        Arguments.requireTimeout("cacheTime", cacheTime);
        Arguments.requireAtLeast("maxKnown", maxKnown, 1);
        Arguments.requireTimeout("knownTime", knownTime);
        Arguments.requireAtLeast("maxMissing", maxMissing, 1);
        Arguments.requireTimeout("announceDelay", announceDelay);
        Arguments.requireTimeout("graftDelay", graftDelay);
        Arguments.requireRange("graftSpread", graftSpread, Duration.ZERO, Arguments.MAX_TIMEOUT);
        Arguments.requireTimeout("graftRetryDelay", graftRetryDelay);
        Arguments.requireAtLeast("graftsPerSecond", graftsPerSecond, 1);
        Arguments.requireAtLeast("graftedBytesPerSecond", graftedBytesPerSecond, 1);
    }
}

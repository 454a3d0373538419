package io.parley.discovery;

import io.parley.common.internal.Arguments;
import io.parley.endpoint.EndpointLimits;
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
        Arguments.range("maxPublications", maxPublications, 1, MOST);
        Arguments.range("maxSearches", maxSearches, 1, MOST);
        Arguments.range("maxResults", maxResults, 1, MOST);
        Arguments.range("maxNearbyAnswers", maxNearbyAnswers, 1, MOST);
        Arguments.range("maxQueued", maxQueued, 1, MOST);
        Arguments.wait("settleTime", settleTime, EndpointLimits.MAX_WAIT);
        Arguments.wait("announceInterval", announceInterval, EndpointLimits.MAX_WAIT);
    }

    /** A copy with another {@link #maxPublications()}. */
    public DiscoveryLimits withMaxPublications(int value) {
        return new DiscoveryLimits(
                value, maxSearches, maxResults, maxNearbyAnswers, maxQueued, settleTime, announceInterval);
    }

    /** A copy with other {@link #maxSearches()} and {@link #maxResults()}. */
    public DiscoveryLimits withSearches(int searches, int results) {
        return new DiscoveryLimits(
                maxPublications, searches, results, maxNearbyAnswers, maxQueued, settleTime, announceInterval);
    }

    /** A copy with another {@link #maxQueued()}. */
    public DiscoveryLimits withMaxQueued(int value) {
        return new DiscoveryLimits(
                maxPublications, maxSearches, maxResults, maxNearbyAnswers, value, settleTime, announceInterval);
    }

    /** A copy with another {@link #settleTime()}. */
    public DiscoveryLimits withSettleTime(Duration value) {
        return new DiscoveryLimits(
                maxPublications, maxSearches, maxResults, maxNearbyAnswers, maxQueued, value, announceInterval);
    }

    /** A copy with another {@link #announceInterval()}. */
    public DiscoveryLimits withAnnounceInterval(Duration value) {
        return new DiscoveryLimits(
                maxPublications, maxSearches, maxResults, maxNearbyAnswers, maxQueued, settleTime, value);
    }
}

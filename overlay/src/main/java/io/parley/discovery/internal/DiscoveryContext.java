package io.parley.discovery.internal;

import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryLimits;
import io.parley.id.GroupId;
import io.parley.store.StoreLimits;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * The shared dependencies of the parts of a discovery.
 *
 * @param executor         runs work that may wait for the store
 * @param callbackExecutor runs listeners
 * @param storeLimits      the limits of the store
 * @param expiration       the caching time at other peers of a publication whose options give none
 */
record DiscoveryContext(
        GroupId group,
        Executor executor,
        Executor callbackExecutor,
        DiscoveryLimits limits,
        StoreLimits storeLimits,
        Duration expiration,
        DiscoveryMetrics metrics,
        Scheduler scheduler) {

    private static final double JITTER = 0.25;

    /** Returns the duration with random jitter of 25 %, so that peers started together do not stay synchronized. */
    Duration jittered(Duration duration) {
        double factor = 1 - JITTER + 2 * JITTER * scheduler.random().nextDouble();
        return Duration.ofNanos(Math.max(1, (long) (duration.toNanos() * factor)));
    }
}

package io.parley.discovery;

import io.parley.id.GroupId;
import io.parley.resolver.Scheduler;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** What all parts of a discovery work with. */
record DiscoveryContext(
        GroupId group,
        Executor executor,
        DiscoveryLimits limits,
        DiscoveryMetrics metrics,
        Scheduler alarms,
        Clock clock,
        RandomGenerator random) {

    private static final double JITTER = 0.25;

    /** About that, so that peers which began together don't go on together. */
    Duration jittered(Duration duration) {
        double factor = 1 - JITTER + 2 * JITTER * random.nextDouble();
        return Duration.ofNanos(Math.max(1, (long) (duration.toNanos() * factor)));
    }
}

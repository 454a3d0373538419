package io.parley.pipes;

import io.parley.pipes.internal.RequestCounters.Counter;

/** Counts the requests, responses and tasks of one group. Thread-safe. */
@FunctionalInterface
interface RequestMetrics {

    void increment(Counter counter);
}

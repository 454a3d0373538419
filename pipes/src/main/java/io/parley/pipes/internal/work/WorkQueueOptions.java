package io.parley.pipes.internal.work;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * The options of the senders of a work queue.
 *
 * @param taskTimeout the time that a worker may take for a task, from the time at which it is sent
 * @param maxAttempts the maximum number of attempts of a task that may have been executed
 * @param prefetch    the number of tasks that may wait at a worker, beyond those that it executes
 * @param maxTasks    the maximum number of unfinished tasks of a sender
 * @param maxBytes    the size of their payloads from which on no further ones are accepted
 */
public record WorkQueueOptions(Duration taskTimeout, int maxAttempts, int prefetch, int maxTasks, long maxBytes) {

    public static final WorkQueueOptions DEFAULTS =
            new WorkQueueOptions(Duration.ofMinutes(5), 20, 3, 10_000, 64L * 1024 * 1024);

    private static final int MOST_ATTEMPTS = 1_000_000;
    private static final int MOST_PREFETCH = 64;
    private static final int MOST_TASKS = 1_000_000;

    /** @throws IllegalArgumentException naming the option, its value and its range */
    public WorkQueueOptions {
        Arguments.requireTimeout("taskTimeout", taskTimeout);
        Arguments.requireRange("maxAttempts", maxAttempts, 1, MOST_ATTEMPTS);
        Arguments.requireRange("prefetch", prefetch, 0, MOST_PREFETCH);
        Arguments.requireRange("maxTasks", maxTasks, 1, MOST_TASKS);
        Arguments.requireAtLeast("maxBytes", maxBytes, 1);
    }
}

package io.parley.endpoint.internal.context;

import io.parley.common.internal.BoundedExecutor;
import io.parley.common.internal.SharedThreads;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * Decodes the large messages of one endpoint, on threads that are neither event loops nor run user code. Remote hosts take turns, and
 * so do the links of a host, because a link has one task at a time. The number of links therefore bounds the number of tasks.
 * Thread-safe.
 */
public final class DecodingExecutor {

    /** Decoding needs a processor and does not block, so more threads than processors have no use. */
    private static final int THREADS = Math.max(2, Runtime.getRuntime().availableProcessors());

    /** Half of the threads, so that large messages to one endpoint do not delay those to another one. */
    private static final int MAX_ENDPOINT_THREADS = THREADS / 2;

    private static final SharedThreads SHARED = new SharedThreads("parley-decoder-", THREADS, THREADS);

    private final Executor threads;

    /** The waiting tasks by host. The turn of the first host is next. */
    private final Map<String, Queue<Runnable>> waiting = new LinkedHashMap<>();

    /** @param threads runs the tasks, in any order */
    public DecodingExecutor(Executor threads) {
        this.threads = threads;
    }

    /** Returns the threads for one endpoint, which it shares with other endpoints of this JVM. */
    public static Executor newThreads() {
        return new BoundedExecutor(SHARED, MAX_ENDPOINT_THREADS);
    }

    /**
     * Runs a task when it is the turn of the host.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the threads have ended; the task does not run then
     */
    public void execute(String host, Runnable task) {
        synchronized (waiting) { // also during execute, so that no other turn gets a task that is not accepted
            Queue<Runnable> tasks = waiting.computeIfAbsent(host, first -> new ArrayDeque<>(1));
            tasks.add(task);
            boolean accepted = false;
            try {
                threads.execute(this::runNext);
                accepted = true;
            } finally {
                if (!accepted) {
                    tasks.remove(task);
                    if (tasks.isEmpty()) {
                        waiting.remove(host);
                    }
                }
            }
        }
    }

    /** Runs the next task of the first host. Called once for each task. */
    private void runNext() {
        Runnable task;
        synchronized (waiting) {
            Iterator<Map.Entry<String, Queue<Runnable>>> hosts =
                    waiting.entrySet().iterator();
            Map.Entry<String, Queue<Runnable>> first = hosts.next();
            String host = first.getKey();
            Queue<Runnable> tasks = first.getValue();
            task = tasks.remove();
            hosts.remove();
            if (!tasks.isEmpty()) {
                waiting.put(host, tasks);
            }
        }
        task.run();
    }
}

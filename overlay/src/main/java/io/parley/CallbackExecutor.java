package io.parley;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs one peer's callbacks, apart from the threads that serve connections. The threads are those of all peers of this JVM,
 * of which there may be thousands; each peer has so many of them at a time that callbacks which wait don't hold up others,
 * and those of other peers never. Threads end when they have nothing to do.
 *
 * <p>What waits has no bound here, as those who use it have theirs:
 * <ul>
 *   <li>the listener of a pipe, of a discovery, of a search or of a propagated question has one task here at a time, and
 *       searches and such questions are counted ({@code DiscoveryLimits.maxSearches},
 *       {@code ResolverLimits.maxPropagatedQueries}, in each group);
 *   <li>questions of others: {@code ResolverLimits.maxHandled}, in each group, until the handler has returned;
 *   <li>messages to a group that are to be verified: each sender's window, as they count until that is done, and rates;
 *   <li>a search asks its index and each of {@code DiscoveryLimits.maxNearbyAnswers} peers one page after the other, and an
 *       effort to find a pipe's holder or a peer is a few tasks of whoever began it;
 *   <li>what a service does from time to time for itself, such as to renew a lease, is one task each.
 * </ul>
 */
final class CallbackExecutor implements Executor {

    /** At a time for one peer. */
    private static final int THREADS = Math.max(8, 4 * Runtime.getRuntime().availableProcessors());

    private static final AtomicLong count = new AtomicLong();

    /** Has no bound of its own, as each peer has one. */
    private static final ThreadPoolExecutor pool =
            new ThreadPoolExecutor(0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                Thread thread = new Thread(task, "parley-callback-" + count.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            });

    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int running;
    private boolean shutdown;

    /** @throws RejectedExecutionException after {@link #shutdown} */
    @Override
    public void execute(Runnable task) {
        synchronized (waiting) {
            if (shutdown) {
                throw new RejectedExecutionException("the peer is closed");
            }
            waiting.add(task);
            if (running == THREADS) {
                return;
            }
            running++;
        }
        boolean started = false;
        try {
            pool.execute(this::work);
            started = true;
        } finally {
            if (!started) { // as there can be no more threads
                giveUp(task);
            }
        }
    }

    private void giveUp(Runnable task) {
        synchronized (waiting) {
            running--;
            waiting.remove(task);
        }
    }

    /** Runs tasks until none waits. One that throws ends the thread, as anywhere, but not the work. */
    private void work() {
        boolean done = false;
        try {
            for (Runnable task = next(); task != null; task = next()) {
                task.run();
            }
            done = true;
        } finally {
            if (!done) {
                pool.execute(this::work);
            }
        }
    }

    private @Nullable Runnable next() {
        synchronized (waiting) {
            Runnable task = waiting.poll();
            if (task == null) {
                running--;
            }
            return task;
        }
    }

    /** Takes no more tasks; those that wait are run. */
    void shutdown() {
        synchronized (waiting) {
            shutdown = true;
        }
    }
}

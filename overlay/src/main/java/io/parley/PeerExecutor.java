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
 * Runs tasks of one peer, off the event loops. There are two kinds, which never share a thread: {@linkplain #forCallbacks()
 * user callbacks}, which may block, and the {@linkplain #forWork() peer's own work}, such as queries of other peers, searches
 * and lease renewals. Callbacks that block therefore delay other callbacks of the same peer, but never the work for which they
 * wait. The threads of a kind belong to all peers of this JVM, of which there may be thousands. Each peer uses a bounded number
 * of them at a time, so that it does not delay other peers. Idle threads end.
 *
 * <p>The queue has no bound of its own, because each user of it has one:
 * <ul>
 *   <li>the listener of a pipe, a discovery, a search or a propagated query has one task at a time, and searches and propagated
 *       queries are limited ({@code DiscoveryLimits.maxSearches}, {@code ResolverLimits.maxPropagatedQueries}, per group);
 *   <li>queries of other peers: {@code ResolverLimits.maxConcurrentQueries}, per group, until the handler has returned;
 *   <li>group messages that wait for verification: the window of each sender, because they are released after verification, and
 *       rates;
 *   <li>a search queries its index and each of {@code DiscoveryLimits.maxMulticastResponses} peers one page after the other, and
 *       the search for a pipe's holder or a peer is a few tasks of its caller;
 *   <li>periodic work, such as the renewal of a lease, is one task each.
 * </ul>
 */
final class PeerExecutor implements Executor {

    /** The number of threads that one peer uses at a time, for each kind. */
    private static final int MAX_THREADS = Math.max(8, 4 * Runtime.getRuntime().availableProcessors());

    private static final ThreadPoolExecutor callbackThreads = threads("parley-callback-");
    private static final ThreadPoolExecutor workThreads = threads("parley-work-");

    private final Executor threads;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private int running;
    private boolean shutdown;

    private PeerExecutor(Executor threads) {
        this.threads = threads;
    }

    /** Returns an executor of one peer's user callbacks. */
    static PeerExecutor forCallbacks() {
        return new PeerExecutor(callbackThreads);
    }

    /** Returns an executor of one peer's own work. Its tasks may wait for the disk, but not for callbacks or other peers. */
    static PeerExecutor forWork() {
        return new PeerExecutor(workThreads);
    }

    /** Returns daemon threads without a bound of their own, because each peer has one. */
    private static ThreadPoolExecutor threads(String namePrefix) {
        AtomicLong count = new AtomicLong();
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(task, namePrefix + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** @throws RejectedExecutionException after {@link #shutdown} */
    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            if (shutdown) {
                throw new RejectedExecutionException("the peer is closed");
            }
            tasks.add(task);
            if (running == MAX_THREADS) {
                return;
            }
            running++;
        }
        boolean started = false;
        try {
            threads.execute(this::runTasks);
            started = true;
        } finally {
            if (!started) { // because the system has no more threads
                removeUnstarted(task);
            }
        }
    }

    private void removeUnstarted(Runnable task) {
        synchronized (tasks) {
            running--;
            tasks.remove(task);
        }
    }

    /** Runs tasks until none is left. A task that throws ends the thread, but not the work. */
    private void runTasks() {
        boolean done = false;
        try {
            for (Runnable task = next(); task != null; task = next()) {
                task.run();
            }
            done = true;
        } finally {
            if (!done) {
                threads.execute(this::runTasks);
            }
        }
    }

    private @Nullable Runnable next() {
        synchronized (tasks) {
            Runnable task = tasks.poll();
            if (task == null) {
                running--;
            }
            return task;
        }
    }

    /** Rejects further tasks. Runs those that are queued. */
    void shutdown() {
        synchronized (tasks) {
            shutdown = true;
        }
    }
}

package io.parley.pipes.internal.work;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.pipes.internal.PipeResolver;
import io.parley.pipes.internal.request.HolderChannel;
import io.parley.pipes.internal.request.HolderFinder;
import io.parley.pipes.internal.request.HolderTable;
import io.parley.pipes.internal.request.HolderWatch;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The workers that one dispatcher knows, a bounded number. Searches for further ones while there are tasks. Its dispatcher uses it, one
 * call at a time, except for the methods that are marked as thread-safe.
 */
final class WorkerPool {

    /** The maximum number of workers of one sender. */
    static final int MAX_WORKERS = 64;

    /** The duration of a search, and the interval until the next one, while tasks wait: the first, and the longest. */
    private static final Duration FIRST_SEARCH_DURATION = Duration.ofSeconds(1);

    private static final Duration MAX_SEARCH_DURATION = Duration.ofSeconds(4);

    /** The interval of searches while no task waits. */
    private static final Duration IDLE_SEARCH_INTERVAL = Duration.ofSeconds(15);

    /** The delay after a search that could not begin. */
    private static final Duration SEARCH_RETRY_DELAY = Duration.ofMillis(100);

    private final PeerGroup group;
    private final String queue;
    private final int prefetch;
    private final Runnable onChange;
    private final HolderTable holders;
    private final HolderFinder finder;
    private final HolderWatch watch;
    private final AsyncCloseable connections;
    private final RateLimitedLogger log;
    private final Map<HolderChannel, WorkerState> workers = new HashMap<>();
    private Duration searchDuration = FIRST_SEARCH_DURATION;
    private Duration nextSearchDuration = FIRST_SEARCH_DURATION;
    private long searchedNanos;
    private long uses;

    /**
     * Creates a pool.
     *
     * @param queue    the queue as messages name it
     * @param target   the pipe of the workers
     * @param prefetch the number of tasks that may wait at a worker
     * @param onChange called on any thread when there may be a free worker. Must not block
     * @param onLost   called on the work executor with a worker whose connection does not return
     */
    WorkerPool(
            PeerGroup group,
            String queue,
            PipeResolver.Target target,
            int prefetch,
            Runnable onChange,
            Consumer<HolderChannel> onLost) {
        this.group = group;
        this.queue = queue;
        this.prefetch = prefetch;
        this.onChange = onChange;
        this.log = new RateLimitedLogger(LoggerFactory.getLogger(WorkerPool.class), group.scheduler());
        this.searchedNanos = group.scheduler().nanoTime() - IDLE_SEARCH_INTERVAL.toNanos();
        this.holders = new HolderTable(group.endpoint(), MAX_WORKERS);
        this.finder = new HolderFinder(group, target, holders, onChange, () -> Duration.ZERO);
        this.watch = new HolderWatch(group, holders, onLost);
        this.connections = group.endpoint().addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onConnected(PeerId peer) {
                watch.onConnected(peer);
                onChange.run();
            }

            @Override
            public void onDisconnected(PeerId peer) {
                watch.onDisconnected(peer);
            }
        });
    }

    /** Adds the workers that were found, and ends the pauses whose time has come. */
    void update(long now) {
        List<HolderChannel> known = holders.channels();
        if (workers.size() > known.size()) {
            workers.keySet().retainAll(Set.copyOf(known)); // a lost worker was replaced
        }
        for (HolderChannel holder : known) {
            WorkerState worker = workers.get(holder);
            if (worker == null) {
                workers.put(holder, new WorkerState(holder, group.scheduler().random()));
                nextSearchDuration = FIRST_SEARCH_DURATION;
            } else {
                worker.resumeIfDue(now);
            }
        }
    }

    boolean hasFreeWorker() {
        for (WorkerState worker : workers.values()) {
            if (worker.isFree(prefetch)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the best free worker for a task. A worker that the task avoids is used only if there is no other healthy one; otherwise the
     * task waits for that. The caller must {@linkplain #begin use} the worker.
     */
    @Nullable
    WorkerState select(QueuedTask task) {
        WorkerState best = null;
        WorkerState bestAvoided = null;
        boolean hasAlternative = false;
        for (WorkerState worker : workers.values()) {
            boolean avoided = task.avoids(worker.peer());
            hasAlternative |= !avoided && worker.isHealthy();
            if (worker.isFree(prefetch)) {
                if (avoided) {
                    bestAvoided = better(worker, bestAvoided);
                } else {
                    best = better(worker, best);
                }
            }
        }
        return best != null || hasAlternative ? best : bestAvoided;
    }

    private static WorkerState better(WorkerState candidate, @Nullable WorkerState other) {
        return other == null || candidate.isBetterThan(other) ? candidate : other;
    }

    /** Counts a task that is about to be sent to a worker. Reports the worker if it is not connected after a while. */
    void begin(WorkerState worker) {
        worker.begin(++uses);
        if (!worker.holder().isConnected()) {
            watch.checkLater(worker.holder());
        }
    }

    /** Stops using a worker. Its tasks that were not sent fail; the sent ones have their responses, or are lost. */
    void remove(WorkerState worker) {
        remove(worker.holder());
    }

    /** Stops using a worker as {@link #remove(WorkerState)} does. */
    void remove(HolderChannel holder) {
        workers.remove(holder);
        if (holders.remove(holder)) {
            holder.messenger().abort();
            nextSearchDuration = FIRST_SEARCH_DURATION;
            searchedNanos = group.scheduler().nanoTime() - IDLE_SEARCH_INTERVAL.toNanos(); // search soon
        }
    }

    /**
     * Searches for further workers, if it is time to. While tasks wait, searches follow each other, longer each time.
     *
     * @param waiting whether tasks wait because no worker is free
     */
    void search(long now, boolean waiting) {
        if (now - searchDueNanos(waiting) < 0) {
            return;
        }
        if (waiting && workers.isEmpty() && searchDuration.equals(MAX_SEARCH_DURATION)) {
            log.info("Tasks of {} wait: no worker found; last failure: {}", queue, finder.lastFailure());
        }
        if (finder.findFurther(nextSearchDuration)) {
            searchedNanos = now;
            searchDuration = nextSearchDuration;
            if (waiting) {
                Duration longer = searchDuration.multipliedBy(2);
                nextSearchDuration = longer.compareTo(MAX_SEARCH_DURATION) < 0 ? longer : MAX_SEARCH_DURATION;
            }
        } else {
            searchedNanos = now - interval(waiting).minus(SEARCH_RETRY_DELAY).toNanos();
        }
    }

    private Duration interval(boolean waiting) {
        return waiting ? searchDuration : IDLE_SEARCH_INTERVAL;
    }

    private long searchDueNanos(boolean waiting) {
        return searchedNanos + interval(waiting).toNanos();
    }

    /**
     * Passes the times at which the dispatcher must look again, and calls {@code onChange} when a full queue has room.
     *
     * @param waiting whether tasks wait because no worker is free
     */
    void scheduleNext(boolean waiting, LongConsumer runAt) {
        runAt.accept(searchDueNanos(waiting));
        if (waiting) {
            for (WorkerState worker : workers.values()) {
                worker.awaitWritable(onChange);
                if (worker.isPaused()) {
                    runAt.accept(worker.pausedUntilNanos());
                }
            }
        }
    }

    /** Returns the workers that are connected. Thread-safe. */
    Set<PeerId> connected() {
        return holders.channels().stream()
                .filter(HolderChannel::isConnected)
                .map(HolderChannel::peer)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns a future that completes when the messengers are closed. Thread-safe. */
    CompletableFuture<Void> closeAsync() {
        connections.closeAsync();
        finder.close();
        return holders.closeAsync();
    }
}

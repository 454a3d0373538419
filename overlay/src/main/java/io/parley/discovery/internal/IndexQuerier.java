package io.parley.discovery.internal;

import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import io.parley.common.internal.Backoff;
import io.parley.common.internal.Throwables;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queries the index page by page. After a retryable failure, such as the loss of a rendezvous, it starts again from the first page,
 * because another rendezvous has another order. Thread-safe.
 */
final class IndexQuerier {

    private static final Logger log = LoggerFactory.getLogger(IndexQuerier.class);

    private static final Duration MIN_RETRY_DELAY = Duration.ofMillis(200);
    private static final Duration MAX_RETRY_DELAY = Duration.ofSeconds(5);

    private final RemoteIndex index;
    private final RemoteSearch search;
    private final DiscoveryContext context;
    private final Backoff backoff;
    private @Nullable AsyncCloseable registration;
    private @Nullable PageFetcher fetcher;
    private Scheduler.Timer timer = () -> {};
    private boolean querying;
    private boolean ended;

    IndexQuerier(RemoteIndex index, RemoteSearch search, DiscoveryContext context) {
        this.index = index;
        this.search = search;
        this.context = context;
        this.backoff = new Backoff(context.scheduler().random(), MIN_RETRY_DELAY, MAX_RETRY_DELAY);
    }

    void start() {
        if (!search.addSource(this::finish)) {
            return;
        }
        AsyncCloseable registered = index.onAvailable(this::onAvailable);
        synchronized (this) {
            registration = registered;
            if (!ended) {
                if (fetcher == null) {
                    schedule(context.limits().collectTimeout(), this::finish);
                }
                return;
            }
        }
        registered.closeAsync();
    }

    private void onAvailable() {
        PageFetcher next;
        synchronized (this) {
            if (ended || querying) {
                return;
            }
            querying = true;
            timer.cancel();
            next = new PageFetcher(this::query, search, context.executor());
            fetcher = next;
        }
        next.end().whenComplete((done, failure) -> onEnd(failure));
        next.fetch(0);
    }

    private CompletableFuture<IndexPage> query(int offset, int limit, Duration timeout) {
        search.sources().onIndexQueried(index.rendezvous());
        CompletableFuture<IndexPage> response = index.find(context.group(), search.query(), offset, limit, timeout);
        response.thenRun(search.sources()::onIndexResponded);
        return response;
    }

    private void onEnd(@Nullable Throwable failure) {
        if (failure == null) {
            finish();
            return;
        }
        search.sources().onIndexFailed(failure);
        context.metrics().increment(Counter.INDEX_FAILURES);
        log.debug("Index query {} failed: {}", search.query(), failure.toString());
        if (!Throwables.isRetryable(failure)) {
            finish();
            return;
        }
        synchronized (this) {
            querying = false;
            if (!ended) {
                schedule(backoff.next(), this::onRetryTimer);
            }
        }
    }

    /** Continues on the executor, because the index may block and all timers share one thread. */
    private void onRetryTimer() {
        try {
            context.executor().execute(this::retry);
        } catch (RejectedExecutionException e) {
            finish();
        } catch (RuntimeException | Error e) { // such as a thread that cannot be created
            log.warn("Cannot query the index; trying again", e);
            synchronized (this) {
                if (!ended) {
                    schedule(backoff.next(), this::onRetryTimer);
                }
            }
        }
    }

    private void retry() {
        if (index.isAvailable()) {
            onAvailable();
            return;
        }
        synchronized (this) {
            if (!ended && !querying) {
                schedule(context.limits().collectTimeout(), this::finish);
            }
        }
    }

    /** The caller must hold the lock. */
    private void schedule(Duration duration, Runnable task) {
        timer.cancel();
        timer = context.scheduler().schedule(duration, task);
    }

    private void finish() {
        AsyncCloseable registered;
        PageFetcher stopped;
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            timer.cancel();
            registered = registration;
            stopped = fetcher;
        }
        if (stopped != null) {
            stopped.stop();
        }
        if (registered != null) {
            registered.closeAsync();
        }
        search.sourceDone();
    }
}

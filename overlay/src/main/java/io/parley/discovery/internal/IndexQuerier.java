package io.parley.discovery.internal;

import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import io.parley.common.internal.Throwables;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the index, page after page. When it fails for a reason that may pass, such as a rendezvous that has gone, it is asked
 * again from the start, as another one has another order. Thread-safe.
 */
final class IndexQuerier {

    private static final Logger log = LoggerFactory.getLogger(IndexQuerier.class);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final RemoteIndex index;
    private final RemoteSearch search;
    private final DiscoveryContext context;
    private @Nullable AsyncCloseable registration;
    private @Nullable PageFetcher paging;
    private Duration pause = FIRST_PAUSE;
    private Scheduler.Timer timer = () -> {};
    private boolean asking;
    private boolean over;

    IndexQuerier(RemoteIndex index, RemoteSearch search, DiscoveryContext context) {
        this.index = index;
        this.search = search;
        this.context = context;
    }

    void start() {
        if (!search.addSource(this::finish)) {
            return;
        }
        AsyncCloseable registered = index.onAvailable(this::onAvailable);
        synchronized (this) {
            registration = registered;
            if (!over) {
                if (paging == null) {
                    wait(context.limits().collectTimeout(), this::finish);
                }
                return;
            }
        }
        registered.closeAsync();
    }

    private void onAvailable() {
        PageFetcher next;
        synchronized (this) {
            if (over || asking) {
                return;
            }
            asking = true;
            timer.cancel();
            next = new PageFetcher(this::query, search, context.executor());
            paging = next;
        }
        next.end().whenComplete((done, failure) -> onEnd(failure));
        next.ask(0);
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
        log.debug("The index failed on {}: {}", search.query(), failure.toString());
        if (!Throwables.isRetryable(failure)) {
            finish();
            return;
        }
        synchronized (this) {
            asking = false;
            if (!over) {
                wait(context.jittered(pause), this::onAlarm);
                Duration longer = pause.multipliedBy(2);
                pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
            }
        }
    }

    /** An index may be slow, and all scheduler have one thread. */
    private void onAlarm() {
        try {
            context.executor().execute(this::onPauseOver);
        } catch (RejectedExecutionException e) {
            finish();
        }
    }

    private void onPauseOver() {
        if (index.isAvailable()) {
            onAvailable();
            return;
        }
        synchronized (this) {
            if (!over && !asking) {
                wait(context.limits().collectTimeout(), this::finish);
            }
        }
    }

    /** With the lock held. */
    private void wait(Duration duration, Runnable task) {
        timer.cancel();
        timer = context.scheduler().schedule(duration, task);
    }

    private void finish() {
        AsyncCloseable registered;
        PageFetcher asked;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            timer.cancel();
            registered = registration;
            asked = paging;
        }
        if (asked != null) {
            asked.stop();
        }
        if (registered != null) {
            registered.closeAsync();
        }
        search.sourceDone();
    }
}

package io.parley.discovery.internal;

import io.parley.advertisement.AdvertisementKey;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Search;
import io.parley.discovery.SearchOptions;
import io.parley.discovery.SearchReport;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One search: what it has, what it still wants, and until when. Thread-safe. */
final class SearchTask implements Search {

    private final DiscoveryQuery query;
    private final SearchOptions options;
    private final ListenerDispatcher delivery;
    private final long deadlineNanos;
    private final Object lock = new Object();
    private final Map<AdvertisementKey, SignedAdvertisement> results = new LinkedHashMap<>();
    private final Map<AdvertisementKey, SignedAdvertisement> withdrawn = new HashMap<>();
    private final Set<AdvertisementKey> fromOthers = new HashSet<>();
    private int delivered;
    private int newerVersions;
    private boolean over;
    private boolean hasLocalResults;
    private @Nullable QueriedSources sources;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private final CompletableFuture<Integer> end = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    SearchTask(
            DiscoveryQuery query,
            SearchOptions options,
            Consumer<SignedAdvertisement> listener,
            Executor listenerExecutor,
            DiscoveryContext context) {
        this.query = query;
        this.options = options;
        this.deadlineNanos = context.scheduler().nanoTime() + options.timeout().toNanos();
        // Each result may come once, and as many newer versions of them.
        int capacity = 2 * Math.min(options.maxResults(), context.limits().maxResults());
        this.delivery = new ListenerDispatcher(listener, listenerExecutor, context.metrics(), capacity);
    }

    DiscoveryQuery query() {
        return query;
    }

    SearchOptions options() {
        return options;
    }

    /** How much time is left, in nanoseconds. */
    long remainingNanos(long nanoTime) {
        return deadlineNanos - nanoTime;
    }

    /** How many results are wanted yet. */
    int missing() {
        synchronized (lock) {
            return over ? 0 : options.maxResults() - counted();
        }
    }

    /** Those that end the search when there are enough. */
    private int counted() {
        return options.scope() == SearchOptions.Scope.LOCAL_AND_REMOTE ? fromOthers.size() : delivered;
    }

    /** Completes when no more results are taken. */
    CompletableFuture<Void> stopped() {
        return stopped;
    }

    void offer(SignedAdvertisement found, boolean byOthers) {
        boolean enough;
        synchronized (lock) {
            if (over) {
                return;
            }
            add(found);
            if (byOthers) {
                fromOthers.add(found.key());
            } else {
                hasLocalResults = true;
            }
            enough = counted() >= options.maxResults();
        }
        delivery.run();
        if (enough) {
            finish();
        }
    }

    private void add(SignedAdvertisement found) {
        SignedAdvertisement known = results.get(found.key());
        SignedAdvertisement gone = withdrawn.get(found.key());
        if (gone != null && !found.supersedes(gone)) {
            return;
        }
        if (known == null && delivered < options.maxResults()) {
            delivered++;
        } else if (known != null && found.supersedes(known) && newerVersions < options.maxResults()) {
            newerVersions++;
        } else {
            return;
        }
        results.put(found.key(), found);
        delivery.add(found);
    }

    /** A result is none any more; its listener may have had it. */
    void takeBack(SignedAdvertisement tombstone) {
        synchronized (lock) {
            SignedAdvertisement known = results.get(tombstone.key());
            if (known != null && tombstone.supersedes(known)) {
                results.remove(tombstone.key());
            }
            if (withdrawn.size() < options.maxResults()) {
                withdrawn.put(tombstone.key(), tombstone);
            }
        }
    }

    /** The newest versions of the results so far, but for those that are withdrawn. */
    List<SignedAdvertisement> results() {
        synchronized (lock) {
            return List.copyOf(results.values());
        }
    }

    /** Takes no more results; those that it has are delivered. */
    void finish() {
        finish(null);
    }

    /** Ends with that reason. */
    void fail(Throwable cause) {
        finish(cause);
    }

    private void finish(@Nullable Throwable cause) {
        int count;
        synchronized (lock) {
            if (over) {
                return;
            }
            over = true;
            count = delivered;
        }
        stopped.complete(null);
        if (cause != null) {
            delivery.discard();
        }
        delivery.end(() -> {
            if (cause == null) {
                end.complete(count);
            } else {
                end.completeExceptionally(cause);
            }
            closed.complete(null);
        });
    }

    /** Sets the sources that are queried on behalf of this search. */
    void setSources(QueriedSources queried) {
        synchronized (lock) {
            sources = queried;
        }
    }

    @Override
    public CompletableFuture<Integer> whenDone() {
        return end.copy();
    }

    @Override
    public SearchReport report() {
        boolean local;
        QueriedSources queried;
        synchronized (lock) {
            local = hasLocalResults;
            queried = sources;
        }
        return queried == null ? new SearchReport(local, false, null, Set.of(), null) : queried.report(local);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        delivery.discard();
        finish();
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return stopped.isDone();
    }

    @Override
    public void close() {
        closeAsync();
    }
}

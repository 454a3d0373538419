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

/** The state of one search: its results, its remaining need for results, and its deadline. Thread-safe. */
final class SearchTask implements Search {

    private final DiscoveryQuery query;
    private final SearchOptions options;
    private final ListenerDispatcher dispatcher;
    private final long deadlineNanos;
    private final int maxDelivered;
    private final Object lock = new Object();
    private final Map<AdvertisementKey, SignedAdvertisement> results = new LinkedHashMap<>();
    private final Map<AdvertisementKey, SignedAdvertisement> withdrawn = new HashMap<>();
    private final Set<AdvertisementKey> remoteResults = new HashSet<>();
    private int delivered;
    private int newerVersions;
    private boolean ended;
    private boolean hasLocalResults;
    private @Nullable QueriedSources sources;
    private @Nullable Runnable continuation;
    private @Nullable Runnable stopAction;
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
        int maxResults = Math.min(options.maxResults(), context.limits().maxResults());
        // Local results that do not count must not take the places of those that do.
        this.maxDelivered = countsLocalResults() ? maxResults : 2 * maxResults;
        // Each result is delivered once, and at most maxResults newer versions.
        this.dispatcher =
                new ListenerDispatcher(listener, listenerExecutor, context.metrics(), maxDelivered + maxResults);
    }

    DiscoveryQuery query() {
        return query;
    }

    SearchOptions options() {
        return options;
    }

    /** Returns the remaining time, in nanoseconds. */
    long remainingNanos(long nanoTime) {
        return deadlineNanos - nanoTime;
    }

    /** Returns the number of results that are still needed. */
    int missing() {
        synchronized (lock) {
            return ended ? 0 : options.maxResults() - countedResults();
        }
    }

    /** Returns the number of results that count towards {@link SearchOptions#maxResults()}. */
    private int countedResults() {
        return countsLocalResults() ? delivered : remoteResults.size();
    }

    private boolean countsLocalResults() {
        return options.scope() != SearchOptions.Scope.LOCAL_AND_REMOTE;
    }

    /** Returns a future that completes when no more results are accepted. */
    CompletableFuture<Void> stopped() {
        return stopped;
    }

    void offer(SignedAdvertisement found, boolean remote) {
        boolean complete;
        synchronized (lock) {
            if (ended) {
                return;
            }
            add(found);
            if (remote) {
                remoteResults.add(found.key());
            } else {
                hasLocalResults = true;
            }
            complete = countedResults() >= options.maxResults();
        }
        dispatcher.run();
        if (complete) {
            finish();
        }
    }

    private void add(SignedAdvertisement found) {
        SignedAdvertisement known = results.get(found.key());
        SignedAdvertisement tombstone = withdrawn.get(found.key());
        if (tombstone != null && !found.supersedes(tombstone)) {
            return;
        }
        if (known == null && delivered < maxDelivered) {
            delivered++;
        } else if (known != null && found.supersedes(known) && newerVersions < options.maxResults()) {
            newerVersions++;
        } else {
            return;
        }
        results.put(found.key(), found);
        dispatcher.add(found);
    }

    /** Removes a withdrawn result; the listener may have received it already. */
    void withdraw(SignedAdvertisement tombstone) {
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

    /** Returns the newest versions of the results so far, without withdrawn ones. */
    List<SignedAdvertisement> results() {
        synchronized (lock) {
            return List.copyOf(results.values());
        }
    }

    /** Sets the action that follows when all queried sources have responded, instead of the end of the search. */
    void onSourcesDone(Runnable action) {
        synchronized (lock) {
            continuation = action;
        }
    }

    /** Sets the action that runs when no more results are accepted, instead of an earlier one; immediately if that is the case already. */
    void setStopAction(Runnable action) {
        synchronized (lock) {
            if (!ended) {
                stopAction = action;
                return;
            }
        }
        action.run();
    }

    /** Called when all queried sources have responded. */
    void onSourcesDone() {
        Runnable next;
        synchronized (lock) {
            next = continuation;
        }
        if (next == null) {
            finish();
        } else {
            next.run();
        }
    }

    /** Ends the search; results so far are delivered. */
    void finish() {
        finish(null);
    }

    /** Ends the search with a failure. */
    void fail(Throwable cause) {
        finish(cause);
    }

    private void finish(@Nullable Throwable cause) {
        int count;
        Runnable action;
        synchronized (lock) {
            if (ended) {
                return;
            }
            ended = true;
            count = delivered;
            action = stopAction;
        }
        stopped.complete(null);
        if (action != null) {
            action.run();
        }
        if (cause != null) {
            dispatcher.discard();
        }
        dispatcher.end(() -> {
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
        dispatcher.discard();
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

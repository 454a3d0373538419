package io.parley.discovery.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.Scheduler;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.discovery.SearchOptions.Scope;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.resolver.internal.Resolver;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The searches under way, and the questions to others that they share. Thread-safe. */
final class SearchCoordinator {

    private static final Logger log = LoggerFactory.getLogger(SearchCoordinator.class);

    private final RateLimitedLogger complaints = new RateLimitedLogger(log);
    private final DiscoveryContext context;
    private final LocalAdvertisements documents;
    private final AdvertisementReceiver intake;
    private final Resolver resolver;
    private final @Nullable RemoteIndex index;
    private final Set<SearchTask> open = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<DiscoveryQuery, RemoteSearch> remote = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** @param index {@code null} when there will never be one */
    SearchCoordinator(
            DiscoveryContext context,
            LocalAdvertisements documents,
            AdvertisementReceiver intake,
            Resolver resolver,
            @Nullable RemoteIndex index) {
        this.context = context;
        this.documents = documents;
        this.intake = intake;
        this.resolver = resolver;
        this.index = index;
    }

    SearchTask start(
            DiscoveryQuery query, SearchOptions options, Consumer<SignedAdvertisement> listener, Executor listenerExecutor) {
        SearchTask task = new SearchTask(query, options, listener, listenerExecutor, context);
        if (open.size() >= context.limits().maxSearches()) {
            task.fail(ErrorCode.BUSY.exception("searches: " + context.limits().maxSearches() + " (limit maxSearches)"));
            return task;
        }
        open.add(task);
        Scheduler.Timer timer = context.scheduler().schedule(options.timeout(), task::finish);
        task.stopped().thenRun(() -> {
            open.remove(task);
            timer.cancel();
        });
        if (closed) {
            task.fail(closedException());
            return task;
        }
        try {
            context.executor().execute(() -> run(task));
        } catch (RejectedExecutionException e) {
            task.fail(ErrorCode.CLOSED.exception("the executor of the discovery takes no more work", e));
        }
        return task;
    }

    private void run(SearchTask task) {
        Scope scope = task.options().scope();
        if (scope == Scope.LOCAL_AND_REMOTE) {
            askOthers(task);
        }
        try {
            searchLocally(task);
        } catch (ParleyException e) {
            log.debug("The store does not give what it has: {}", e.getMessage());
            if (scope == Scope.LOCAL) {
                task.fail(e);
            }
        }
        if (scope == Scope.LOCAL) {
            task.finish();
        } else if (scope == Scope.LOCAL_FIRST) {
            askOthers(task);
        }
    }

    private void searchLocally(SearchTask task) {
        List<SignedAdvertisement> found =
                documents.find(task.query(), task.options().maxResults());
        documents.learnPublishers(found);
        found.forEach(result -> task.offer(result, false));
    }

    private void askOthers(SearchTask task) {
        while (task.missing() > 0) {
            RemoteSearch fresh = new RemoteSearch(task.query(), intake, context);
            RemoteSearch running = remote.putIfAbsent(task.query(), fresh);
            RemoteSearch joined = running == null ? fresh : running;
            if (joined.join(task)) {
                if (joined == fresh) {
                    context.metrics().increment(Counter.REMOTE_SEARCHES);
                    ask(fresh);
                } else {
                    context.metrics().increment(Counter.REMOTE_SEARCHES_SHARED);
                }
                return;
            }
            remote.remove(task.query(), joined);
        }
    }

    private void ask(RemoteSearch search) {
        search.ended().thenRun(() -> remote.remove(search.query(), search));
        try {
            if (index != null) {
                new IndexQuerier(index, search, context).start();
            }
            new MulticastQuerier(resolver, search, context, complaints).start();
        } finally {
            search.sourceDone();
        }
    }

    void close() {
        closed = true;
        open.forEach(task -> task.fail(closedException()));
    }

    private static RuntimeException closedException() {
        return ErrorCode.CLOSED.exception("the discovery is closed");
    }
}

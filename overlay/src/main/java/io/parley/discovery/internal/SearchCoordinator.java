package io.parley.discovery.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.Scheduler;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Timers;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.discovery.SearchOptions.Scope;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.resolver.internal.Resolver;
import java.time.Duration;
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

/** The running searches and the remote queries that they share. Thread-safe. */
final class SearchCoordinator {

    private static final Logger log = LoggerFactory.getLogger(SearchCoordinator.class);

    /** The delays between two rounds of queries of a search that waits. */
    private static final Duration FIRST_DELAY = Duration.ofMillis(200);

    private static final Duration MAX_DELAY = Duration.ofSeconds(2);

    private final RateLimitedLogger rejectionLog = new RateLimitedLogger(log);
    private final DiscoveryContext context;
    private final LocalAdvertisements localAdvertisements;
    private final AdvertisementReceiver receiver;
    private final Resolver resolver;
    private final @Nullable RemoteIndex index;
    private final Set<SearchTask> open = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<DiscoveryQuery, RemoteSearch> remote = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** @param index {@code null} if there is none */
    SearchCoordinator(
            DiscoveryContext context,
            LocalAdvertisements localAdvertisements,
            AdvertisementReceiver receiver,
            Resolver resolver,
            @Nullable RemoteIndex index) {
        this.context = context;
        this.localAdvertisements = localAdvertisements;
        this.receiver = receiver;
        this.resolver = resolver;
        this.index = index;
    }

    SearchTask start(
            DiscoveryQuery query,
            SearchOptions options,
            Consumer<SignedAdvertisement> listener,
            Executor listenerExecutor) {
        SearchTask task = new SearchTask(query, options, listener, listenerExecutor, context);
        if (open.size() >= context.limits().maxSearches()) {
            task.fail(ErrorCode.BUSY.exception("searches: " + context.limits().maxSearches() + " (limit maxSearches)"));
            return task;
        }
        if (options.waiting()) {
            task.onSourcesDone(() -> searchAgain(task, FIRST_DELAY));
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
            task.fail(ErrorCode.CLOSED.exception("discovery: its executor is shut down", e));
        } catch (RuntimeException | Error e) { // such as a thread that cannot be created
            task.fail(e);
        }
        return task;
    }

    private void run(SearchTask task) {
        Scope scope = task.options().scope();
        if (scope == Scope.LOCAL_AND_REMOTE) {
            searchRemotely(task);
        }
        try {
            searchLocally(task);
        } catch (ParleyException e) {
            log.debug("Cannot search the store: {}", e.getMessage());
            if (scope == Scope.LOCAL) {
                task.fail(e);
            }
        }
        if (scope == Scope.LOCAL) {
            task.finish();
        } else if (scope == Scope.LOCAL_FIRST) {
            searchRemotely(task);
        }
    }

    private void searchLocally(SearchTask task) {
        List<SignedAdvertisement> found =
                localAdvertisements.find(task.query(), task.options().maxResults());
        localAdvertisements.addPublisherAddresses(found);
        found.forEach(result -> task.offer(result, false));
    }

    private void searchRemotely(SearchTask task) {
        while (task.missing() > 0) {
            RemoteSearch created = new RemoteSearch(task.query(), receiver, context);
            RemoteSearch running = remote.putIfAbsent(task.query(), created);
            RemoteSearch joined = running == null ? created : running;
            if (joined.join(task)) {
                if (joined == created) {
                    context.metrics().increment(Counter.REMOTE_SEARCHES);
                    query(created);
                } else {
                    context.metrics().increment(Counter.REMOTE_SEARCHES_SHARED);
                }
                return;
            }
            remote.remove(task.query(), joined);
        }
    }

    /** Queries other peers again after the delay, and after a longer one each time. */
    private void searchAgain(SearchTask task, Duration delay) {
        Duration longer = delay.multipliedBy(2);
        task.onSourcesDone(() -> searchAgain(task, longer.compareTo(MAX_DELAY) < 0 ? longer : MAX_DELAY));
        Scheduler.Timer timer =
                Timers.schedule(context.scheduler(), delay, context.executor(), () -> searchRemotely(task));
        task.setStopAction(timer::cancel);
    }

    private void query(RemoteSearch search) {
        search.ended().thenRun(() -> remote.remove(search.query(), search));
        try {
            if (index != null) {
                new IndexQuerier(index, search, context).start();
            }
            new MulticastQuerier(resolver, search, context, rejectionLog).start();
        } finally {
            search.sourceDone();
        }
    }

    void close() {
        closed = true;
        open.forEach(task -> task.fail(closedException()));
    }

    private static RuntimeException closedException() {
        return ErrorCode.CLOSED.exception("discovery: closed");
    }
}

package io.parley.pipes.internal.topic;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.Scheduler;
import io.parley.common.internal.Timers;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Publication;
import io.parley.discovery.Search;
import io.parley.discovery.SearchOptions;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes one end of a topic visible in the group, and finds the peers with the other end. Both ends publish before they search, so of two
 * ends that open at the same time at least one finds the other: on the local network immediately, and in the index by the search that
 * follows the confirmation of the publication. Further searches repair what was lost. Thread-safe.
 */
final class CounterpartSearch {

    private static final Logger log = LoggerFactory.getLogger(CounterpartSearch.class);

    /** The maximum number of peers that one search finds. */
    static final int MAX_RESULTS = 1024;

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** The delays of the first searches after the opening. */
    private static final List<Duration> FIRST_DELAYS = List.of(Duration.ofSeconds(1), Duration.ofSeconds(8));

    /** The average delay of later searches, each of which is up to a half shorter or longer. */
    static final Duration INTERVAL = Duration.ofMinutes(1);

    private final PeerGroup group;
    private final PipeAdvertisement own;
    private final DiscoveryQuery query;
    private final Consumer<PeerId> listener;
    private @Nullable Publication publication;
    private @Nullable Search search;
    private Scheduler.Timer timer = () -> {};
    private int searches;
    private boolean closed;

    /**
     * @param own         the advertisement of this end
     * @param counterpart the pipe id that the other ends advertise
     * @param listener    is called with each peer that is found, again in each search; on the work executor. Must not block
     */
    CounterpartSearch(PeerGroup group, PipeAdvertisement own, PipeId counterpart, Consumer<PeerId> listener) {
        this.group = group;
        this.own = own;
        this.query = DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME)
                .with("Id", AdvertisementId.of(counterpart).urn());
        this.listener = listener;
    }

    /** @throws ParleyException as {@link io.parley.discovery.Discovery#publish} */
    void start() {
        Publication published = group.discovery().publish(own);
        synchronized (this) {
            publication = published;
        }
        published.whenIndexed().thenRun(this::searchSoon);
        searchSoon();
        scheduleNext();
    }

    private void searchSoon() {
        Timers.schedule(group.scheduler(), Duration.ZERO, group.workExecutor(), this::search);
    }

    private synchronized void scheduleNext() {
        if (closed) {
            return;
        }
        Duration delay = searches < FIRST_DELAYS.size()
                ? FIRST_DELAYS.get(searches)
                : INTERVAL.dividedBy(2).plusNanos(group.scheduler().random().nextLong(INTERVAL.toNanos()));
        searches++;
        timer = Timers.schedule(group.scheduler(), delay, group.workExecutor(), () -> {
            search();
            scheduleNext();
        });
    }

    /** Ends the search in progress first, because equal searches share one query. Runs on the work executor, because it reads the store. */
    private synchronized void search() {
        if (closed) {
            return;
        }
        if (search != null) {
            search.closeAsync();
        }
        SearchOptions options = new SearchOptions(TIMEOUT, MAX_RESULTS, SearchOptions.Scope.LOCAL_AND_REMOTE);
        try {
            search = group.discovery().search(query, options, this::onFound, group.workExecutor());
        } catch (ParleyException e) { // the next search may succeed
            log.debug("Cannot search for the other ends of {}: {}", own.name(), e.getMessage());
        } catch (RuntimeException | Error e) { // such as a thread that cannot be created: it would end all searches
            log.warn("Cannot search for the other ends of {}; the next search follows", own.name(), e);
        }
    }

    private void onFound(SignedAdvertisement advertisement) {
        listener.accept(advertisement.publisher());
    }

    /** Ends the searches and withdraws the advertisement. Completes when it is withdrawn. */
    CompletableFuture<Void> close() {
        Publication published;
        Search current;
        synchronized (this) {
            closed = true;
            timer.cancel();
            published = publication;
            current = search;
        }
        if (current != null) {
            current.closeAsync();
        }
        return published == null ? CompletableFuture.completedFuture(null) : published.closeAsync();
    }
}

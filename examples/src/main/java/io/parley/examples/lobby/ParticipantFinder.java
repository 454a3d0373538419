package io.parley.examples.lobby;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.discovery.Discovery;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Search;
import io.parley.discovery.SearchOptions;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.store.ValuePattern;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Searches for holders of the room's pipe repeatedly: at short intervals at first, because no other peer knows a peer that
 * has just started, then every few seconds. Must be used on the room's thread.
 */
final class ParticipantFinder implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ParticipantFinder.class);

    private static final Duration MIN_INTERVAL = Duration.ofMillis(250);
    private static final Duration MAX_INTERVAL = Duration.ofSeconds(4);
    private static final Duration SEARCH_TIMEOUT = Duration.ofSeconds(4);

    private final Discovery discovery;
    private final DiscoveryQuery query;
    private final SearchOptions options;
    private final ScheduledExecutorService thread;
    private final Consumer<PeerId> listener;
    private final AsyncCloseable discoveryListener;
    private Duration interval = MIN_INTERVAL;
    private @Nullable Search current;
    private boolean closed;

    /**
     * Starts to search.
     *
     * @param maxResults the maximum number of participants
     * @param thread     the room's thread
     * @param listener   receives each holder that is found, in every round again
     */
    ParticipantFinder(
            Discovery discovery,
            PipeId pipe,
            int maxResults,
            ScheduledExecutorService thread,
            Consumer<PeerId> listener) {
        this.discovery = discovery;
        this.query = DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME)
                .with("Id", ValuePattern.exactly(AdvertisementId.of(pipe).urn()));
        this.options = new SearchOptions(SEARCH_TIMEOUT, maxResults, SearchOptions.Scope.LOCAL_AND_REMOTE);
        this.thread = thread;
        this.listener = listener;
        this.discoveryListener = discovery.addListener(this::onAdvertisement);
        thread.execute(this::search);
    }

    /** Receives advertisements of other peers that are not responses to a search. */
    private void onAdvertisement(SignedAdvertisement received) {
        if (query.matches(received.advertisement())) {
            onFound(received);
        }
    }

    private void onFound(SignedAdvertisement advertisement) {
        thread.execute(() -> listener.accept(advertisement.publisher()));
    }

    private void search() {
        if (closed) {
            return;
        }
        try {
            current = discovery.search(query, options, this::onFound);
        } catch (ParleyException e) {
            log.debug("Cannot search for participants of the room", e);
            return;
        }
        Duration delay = interval;
        Duration longer = interval.multipliedBy(2);
        interval = longer.compareTo(MAX_INTERVAL) < 0 ? longer : MAX_INTERVAL;
        current.whenDone()
                .whenComplete((count, failure) -> thread.schedule(this::search, delay.toNanos(), TimeUnit.NANOSECONDS));
    }

    @Override
    public void close() {
        closed = true;
        discoveryListener.closeAsync();
        if (current != null) {
            current.closeAsync();
        }
    }
}

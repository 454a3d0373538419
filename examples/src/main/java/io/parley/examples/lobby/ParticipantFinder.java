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
 * Finds who holds the room's pipe, again and again: in short intervals at first, as a peer that has just started is not
 * known to anybody yet, then every few seconds. Used by the room's thread alone.
 */
final class ParticipantFinder implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ParticipantFinder.class);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(4);
    private static final Duration ROUND = Duration.ofSeconds(4);

    private final Discovery discovery;
    private final DiscoveryQuery query;
    private final SearchOptions options;
    private final ScheduledExecutorService thread;
    private final Consumer<PeerId> found;
    private final AsyncCloseable listening;
    private Duration pause = FIRST_PAUSE;
    private @Nullable Search search;
    private boolean closed;

    /**
     * Starts.
     *
     * @param maxResults how many may be in the room
     * @param thread     the room's
     * @param found      called for everybody who is found, again and again
     */
    ParticipantFinder(
            Discovery discovery, PipeId pipe, int maxResults, ScheduledExecutorService thread, Consumer<PeerId> found) {
        this.discovery = discovery;
        this.query = DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME)
                .with("Id", ValuePattern.exactly(AdvertisementId.of(pipe).urn()));
        this.options = new SearchOptions(ROUND, maxResults, SearchOptions.Scope.LOCAL_AND_REMOTE);
        this.thread = thread;
        this.found = found;
        this.listening = discovery.addListener(this::onHeardOf);
        thread.execute(this::round);
    }

    /** Somebody has published something, without having been asked by us. */
    private void onHeardOf(SignedAdvertisement heard) {
        if (query.matches(heard.advertisement())) {
            onFound(heard);
        }
    }

    private void onFound(SignedAdvertisement advertisement) {
        thread.execute(() -> found.accept(advertisement.publisher()));
    }

    private void round() {
        if (closed) {
            return;
        }
        try {
            search = discovery.search(query, options, this::onFound);
        } catch (ParleyException e) {
            log.debug("The room can't be searched for", e);
            return;
        }
        Duration after = pause;
        Duration longer = pause.multipliedBy(2);
        pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
        search.whenDone()
                .whenComplete((count, failure) -> thread.schedule(this::round, after.toNanos(), TimeUnit.NANOSECONDS));
    }

    @Override
    public void close() {
        closed = true;
        listening.closeAsync();
        if (search != null) {
            search.closeAsync();
        }
    }
}

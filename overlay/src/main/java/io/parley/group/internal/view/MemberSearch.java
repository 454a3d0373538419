package io.parley.group.internal.view;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.common.Scheduler;
import io.parley.common.internal.RateLimitedLogger;
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
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes in the group that this member has a view, and finds others that have: often while it is alone, so that it finds the
 * first one; and later at long intervals, so that parts of a group which were separated find each other. All calls and tasks run on the
 * executor of the view.
 */
final class MemberSearch {

    private static final Logger log = LoggerFactory.getLogger(MemberSearch.class);

    /** The name of the pipe that members with a view advertise. */
    static final String NAME = "parley.members";

    /** The maximum number of members that one search finds. */
    static final int MAX_RESULTS = 16;

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** The time for which a member that is alone collects others, so that new members do not all join at the first one that responds. */
    private static final Duration COLLECT_TIME = Duration.ofMillis(50);

    /** The delays of the searches of a member that is alone; the last one repeats. */
    private static final List<Duration> ALONE_DELAYS =
            List.of(Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(5));

    private static final Duration ALONE_INTERVAL = Duration.ofSeconds(15);

    /** The average delay of the searches of a member with neighbors. Each is up to a half shorter or longer. */
    static final Duration INTERVAL = Duration.ofMinutes(5);

    private final RateLimitedLogger publicationLog;
    private final RateLimitedLogger searchLog;
    private final PeerGroup group;
    private final Executor serial;
    private final BooleanSupplier isAlone;
    private final Consumer<Collection<PeerId>> listener;
    private final PipeAdvertisement own;
    private final DiscoveryQuery query;
    private @Nullable Publication publication;
    private @Nullable Search search;
    private Scheduler.Timer timer = () -> {};
    private int searches;
    private boolean closed;

    /**
     * @param serial   the executor of the view
     * @param isAlone  whether this member has no neighbor
     * @param listener is called with the members that one search has found
     */
    MemberSearch(PeerGroup group, Executor serial, BooleanSupplier isAlone, Consumer<Collection<PeerId>> listener) {
        this.group = group;
        this.publicationLog = new RateLimitedLogger(log, group.scheduler());
        this.searchLog = new RateLimitedLogger(log, group.scheduler());
        this.serial = serial;
        this.isAlone = isAlone;
        this.listener = listener;
        PipeId pipe = PipeId.ofName(group.id(), NAME);
        this.own = PipeAdvertisement.of(pipe, PipeType.PROPAGATE, NAME);
        this.query = DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME)
                .with("Id", AdvertisementId.of(pipe).urn());
    }

    void start() {
        try {
            search();
        } finally {
            scheduleNext();
        }
    }

    /** Publishes that this member has a view, unless it is published. The store may be full or not available at first. */
    private void publish() {
        if (publication != null) {
            return;
        }
        try {
            Publication published = group.discovery().publish(own);
            publication = published;
            // Of two members that open their views at the same time, one finds the other after both are indexed.
            published.whenIndexed().thenRun(() -> serial.execute(this::search));
        } catch (ParleyException e) {
            publicationLog.warn(
                    "Cannot publish the view of group {}; trying again before the next search: {}",
                    group.name(),
                    e.getMessage());
        }
    }

    private void scheduleNext() {
        if (closed) {
            return;
        }
        Duration delay;
        if (!isAlone.getAsBoolean()) {
            delay = jittered(INTERVAL);
            searches = 0;
        } else if (searches < ALONE_DELAYS.size()) {
            delay = ALONE_DELAYS.get(searches);
            searches++;
        } else {
            delay = jittered(ALONE_INTERVAL);
        }
        timer = Timers.schedule(group.scheduler(), delay, serial, this::start);
    }

    private Duration jittered(Duration average) {
        return average.dividedBy(2).plusNanos(group.scheduler().random().nextLong(average.toNanos()));
    }

    /** Searches soon, because the last neighbor was lost. */
    void onAlone() {
        timer.cancel();
        scheduleNext();
    }

    private void search() {
        if (closed) {
            return;
        }
        publish();
        if (search != null && !search.whenDone().isDone()) {
            return;
        }
        SearchOptions options = new SearchOptions(TIMEOUT, MAX_RESULTS, SearchOptions.Scope.LOCAL_AND_REMOTE);
        Set<PeerId> found = new HashSet<>();
        boolean wasAlone = isAlone.getAsBoolean();
        try {
            Search started = group.discovery()
                    .search(query, options, advertisement -> onFound(advertisement.publisher(), found), serial);
            search = started;
            started.whenDone()
                    .thenRunAsync(
                            () -> {
                                // Otherwise it has joined meanwhile, and need not take the place of another one.
                                if (!wasAlone || isAlone.getAsBoolean()) {
                                    pass(found);
                                }
                            },
                            serial);
        } catch (ParleyException e) { // the next search may succeed
            searchLog.info("Cannot search for members of group {}: {}", group.name(), e.getMessage());
        }
    }

    /** Collects a member. One that is alone does not wait for the end of the search, which is seconds later on the local network. */
    private void onFound(PeerId member, Set<PeerId> found) {
        if (member.equals(group.endpoint().peerId())) {
            return;
        }
        found.add(member);
        if (found.size() == 1 && isAlone.getAsBoolean()) {
            Timers.schedule(group.scheduler(), COLLECT_TIME, serial, () -> {
                if (isAlone.getAsBoolean()) {
                    pass(found);
                }
            });
        }
    }

    private void pass(Set<PeerId> found) {
        if (!closed && !found.isEmpty()) {
            listener.accept(Set.copyOf(found));
            found.clear();
        }
    }

    /** Ends the searches and withdraws the advertisement. Completes when it is withdrawn. */
    CompletableFuture<Void> close() {
        closed = true;
        timer.cancel();
        if (search != null) {
            search.closeAsync();
        }
        return publication == null ? CompletableFuture.completedFuture(null) : publication.closeAsync();
    }
}

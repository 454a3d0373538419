package io.parley.pipes.internal.request;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.common.internal.Timers;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Search;
import io.parley.discovery.SearchOptions;
import io.parley.endpoint.Messenger;
import io.parley.error.ErrorCode;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.pipes.internal.PipeResolver;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the holders of a service: the first one as a pipe does, which is fast and explains a failure, and then further ones by one
 * search at a time. Thread-safe.
 */
public final class HolderFinder {

    /** The delay after an unsuccessful resolution. */
    private static final Duration RETRY_DELAY = Duration.ofMillis(200);

    private static final Duration SEARCH_TIMEOUT = Duration.ofSeconds(2);

    private final PeerGroup group;
    private final PipeResolver.Target target;
    private final HolderTable holders;
    private final Runnable onHolder;
    private final Supplier<Duration> wanted;
    private final Set<PeerId> connecting = new HashSet<>();
    private final Set<Messenger> attempts = new HashSet<>();
    private @Nullable PipeResolver resolver;
    private @Nullable CompletableFuture<Messenger> resolving;
    private boolean isResolving;
    private @Nullable Search search;
    private boolean isSearching;
    private boolean closed;
    private volatile String lastFailure = "none";

    /**
     * Creates a finder.
     *
     * @param onHolder called after each new holder was added to the table
     * @param wanted   returns how long a first holder is needed; zero or less if it is not
     */
    public HolderFinder(
            PeerGroup group,
            PipeResolver.Target target,
            HolderTable holders,
            Runnable onHolder,
            Supplier<Duration> wanted) {
        this.group = group;
        this.target = target;
        this.holders = holders;
        this.onHolder = onHolder;
        this.wanted = wanted;
    }

    /** Searches for a holder while one is needed, unless that has begun. */
    void findFirst() {
        Duration timeout = wanted.get();
        CompletableFuture<Messenger> started;
        synchronized (this) {
            if (isResolving || closed || timeout.isNegative() || timeout.isZero()) {
                return;
            }
            isResolving = true;
            PipeResolver next = new PipeResolver(group, target, timeout);
            resolver = next;
            started = next.start();
            resolving = started;
        }
        started.whenComplete(this::onResolved);
    }

    private void onResolved(@Nullable Messenger found, @Nullable Throwable failure) {
        boolean open;
        synchronized (this) {
            isResolving = found == null; // until the delay has passed
            resolving = null;
            open = !closed;
        }
        if (found != null) {
            add(found);
            findFurther();
        } else if (open) {
            Timers.schedule(group.scheduler(), RETRY_DELAY, group.workExecutor(), () -> {
                synchronized (this) {
                    isResolving = false;
                }
                findFirst();
            });
        }
    }

    private void add(Messenger found) {
        holders.add(found); // which closes it if this finder is closed
        onHolder.run();
    }

    /** Returns why no holder was found, without a period. */
    String reason() {
        PipeResolver present;
        synchronized (this) {
            present = resolver;
        }
        return present == null ? "no search was started" : present.reason();
    }

    /** Returns the code for {@link #reason}. */
    ErrorCode failureCode() {
        PipeResolver present;
        synchronized (this) {
            present = resolver;
        }
        return present == null ? ErrorCode.UNREACHABLE : present.failureCode();
    }

    /** Searches for holders that are not known, unless a search is running or no more are needed. */
    void findFurther() {
        findFurther(SEARCH_TIMEOUT);
    }

    /** Searches as {@link #findFurther()} does, for that time at most. Returns false if there was no need, or a search is running. */
    public boolean findFurther(Duration timeout) {
        synchronized (this) {
            if (isSearching || closed || !holders.hasRoom()) {
                return false;
            }
            isSearching = true;
        }
        try {
            group.workExecutor().execute(() -> search(timeout));
        } catch (RuntimeException | Error e) { // because the peer is closed, or the system has no more threads
            onNotSearched(e);
        }
        return true;
    }

    private void search(Duration timeout) {
        Search started;
        try {
            started = group.discovery()
                    .search(
                            DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME)
                                    .with("Id", AdvertisementId.of(target.id()).urn()),
                            new SearchOptions(timeout, 2 * holders.maxHolders(), SearchOptions.Scope.LOCAL_AND_REMOTE),
                            found -> onPublished(found.publisher()),
                            group.workExecutor());
        } catch (RuntimeException | Error e) { // because the group is closing, or the system has no more threads
            onNotSearched(e);
            return;
        }
        boolean unneeded;
        synchronized (this) {
            search = started;
            unneeded = closed;
        }
        if (unneeded) {
            started.closeAsync();
        }
        started.whenDone().whenComplete((count, failure) -> onSearched());
    }

    private void onNotSearched(Throwable cause) {
        lastFailure = String.valueOf(cause.getMessage());
        onSearched();
    }

    private synchronized void onSearched() {
        isSearching = false;
        search = null;
    }

    private void onPublished(PeerId holder) {
        synchronized (this) {
            if (closed
                    || holders.find(holder) != null
                    || !holders.hasRoom()
                    || connecting.size() >= 2 * holders.maxHolders()
                    || !connecting.add(holder)) {
                return;
            }
        }
        group.locate(holder).whenComplete((located, failure) -> connect(holder));
    }

    private void connect(PeerId holder) {
        Messenger messenger;
        try {
            messenger = target.newMessenger(group, holder);
        } catch (RuntimeException | Error e) { // because the peer is closed, or memory is short
            endConnecting(holder, null);
            lastFailure = String.valueOf(e.getMessage());
            return;
        }
        boolean unneeded;
        synchronized (this) {
            unneeded = closed;
            attempts.add(messenger);
        }
        if (unneeded) {
            messenger.abort();
        }
        messenger.resolve().whenComplete((resolved, failure) -> {
            endConnecting(holder, messenger);
            if (failure == null) {
                add(messenger);
            } else {
                messenger.abort();
                lastFailure = String.valueOf(failure.getMessage());
            }
        });
    }

    private synchronized void endConnecting(PeerId holder, @Nullable Messenger messenger) {
        connecting.remove(holder);
        attempts.remove(messenger);
    }

    /** Returns why the last of the further holders that were found was not used. */
    public String lastFailure() {
        return lastFailure;
    }

    public void close() {
        CompletableFuture<Messenger> resolution;
        Search running;
        Set<Messenger> open;
        synchronized (this) {
            closed = true;
            resolution = resolving;
            running = search;
            open = Set.copyOf(attempts);
        }
        if (resolution != null) {
            resolution.cancel(false);
        }
        if (running != null) {
            running.closeAsync();
        }
        open.forEach(Messenger::abort);
    }
}

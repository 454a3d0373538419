package io.parley.pipes;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Search;
import io.parley.discovery.SearchOptions;
import io.parley.endpoint.Messenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One effort to find a peer that holds a pipe's input end: whoever has published the pipe is tried, those this peer knows
 * of first, and the first that answers is taken. Others are asked only when that does not succeed at once, and again
 * and again until the time is up, since the holder may be about to come. Thread-safe.
 */
final class PipeResolver {

    /** How long those who are known may take before others are asked as well. */
    private static final Duration HEAD_START = Duration.ofMillis(200);

    private static final Duration ROUND = Duration.ofSeconds(5);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final int MAX_HOLDERS = 16;
    private static final int SHOWN_FAILURES = 3;

    private final PeerGroup group;
    private final PipeId pipe;
    private final List<String> codecs;
    private final Duration timeout;
    private final long deadlineNanos;
    private final DiscoveryQuery query;
    private final CompletableFuture<Messenger> found = new CompletableFuture<>();

    private final Set<PeerId> trying = new HashSet<>();
    private final Map<PeerId, String> failures = new LinkedHashMap<>();
    private @Nullable Search search;
    private boolean asking;

    /** @param codecs as for {@link Pipes#withCodecs} */
    PipeResolver(PeerGroup group, PipeId pipe, List<String> codecs, Duration timeout) {
        this.group = group;
        this.pipe = pipe;
        this.codecs = codecs;
        this.timeout = timeout;
        this.deadlineNanos = System.nanoTime() + timeout.toNanos();
        this.query = DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME)
                .with("Id", AdvertisementId.of(pipe).urn());
    }

    /**
     * Begins.
     *
     * @return a messenger whose service is there, for the caller to close; cancelling it ends the effort. Fails with
     *     {@link ErrorCode#UNREACHABLE} when the time is up
     */
    CompletableFuture<Messenger> start() {
        found.whenComplete((messenger, failure) -> endSearch());
        // On no thread that could be waiting for this very search.
        CompletableFuture.delayedExecutor(timeout.toNanos(), TimeUnit.NANOSECONDS)
                .execute(this::giveUp);
        after(HEAD_START, this::ask);
        run(this::tryKnown);
        return found;
    }

    private void tryKnown() {
        List<SignedAdvertisement> known;
        try {
            known = group.discovery().findLocal(query, MAX_HOLDERS);
        } catch (ParleyException e) {
            found.completeExceptionally(e);
            return;
        }
        known.forEach(this::onPublished);
        if (known.isEmpty()) {
            ask();
        }
    }

    /** Asks others, unless that has begun. */
    private void ask() {
        synchronized (this) {
            if (asking) {
                return;
            }
            asking = true;
        }
        askRound(FIRST_PAUSE);
    }

    private void askRound(Duration pause) {
        Duration left = Duration.ofNanos(deadlineNanos - System.nanoTime());
        if (found.isDone() || left.isNegative() || left.isZero()) {
            return;
        }
        Duration longer = pause.multipliedBy(2);
        Search round;
        try {
            SearchOptions options = new SearchOptions(
                    left.compareTo(ROUND) < 0 ? left : ROUND, MAX_HOLDERS, SearchOptions.Scope.LOCAL_AND_REMOTE);
            round = group.discovery().search(query, options, this::onPublished);
        } catch (ParleyException e) {
            found.completeExceptionally(e);
            return;
        }
        synchronized (this) {
            search = round;
        }
        if (found.isDone()) {
            endSearch();
        }
        round.whenDone()
                .whenComplete((results, failure) ->
                        after(pause, () -> askRound(longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE)));
    }

    private void endSearch() {
        Search current;
        synchronized (this) {
            current = search;
        }
        if (current != null) {
            current.closeAsync();
        }
    }

    private void onPublished(SignedAdvertisement advertisement) {
        PeerId holder = advertisement.publisher();
        synchronized (this) {
            if (found.isDone() || !trying.add(holder)) {
                return;
            }
        }
        group.locate(holder).whenComplete((located, failure) -> connect(holder));
    }

    private void connect(PeerId holder) {
        Messenger messenger;
        try {
            messenger = group.endpoint().messenger(holder, Pipes.service(pipe), codecs);
        } catch (ParleyException e) {
            found.completeExceptionally(e);
            return;
        }
        found.whenComplete((winner, failure) -> {
            if (winner != messenger) {
                messenger.abort();
            }
        });
        messenger.resolve().whenComplete((resolved, failure) -> {
            if (failure == null) {
                found.complete(messenger);
            } else {
                messenger.abort();
                onFailed(holder, failure);
            }
        });
    }

    private void onFailed(PeerId holder, Throwable failure) {
        synchronized (this) {
            trying.remove(holder); // it may be better in the next round
            failures.put(holder, String.valueOf(failure.getMessage()));
            if (failures.size() > MAX_HOLDERS) {
                failures.keySet().remove(failures.keySet().iterator().next());
            }
        }
        run(this::ask);
    }

    private void giveUp() {
        List<String> reasons;
        synchronized (this) {
            reasons = failures.values().stream().limit(SHOWN_FAILURES).toList();
        }
        String why = reasons.isEmpty() ? "nobody is known to hold it" : String.join("; ", reasons);
        found.completeExceptionally(ErrorCode.UNREACHABLE.exception(
                "pipe " + pipe + " in group " + group.name() + ": no holder answered within " + timeout + ": " + why));
    }

    private void after(Duration delay, Runnable task) {
        CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS).execute(() -> run(task));
    }

    /** On a thread that may wait for the disk. */
    private void run(Runnable task) {
        if (found.isDone()) {
            return;
        }
        try {
            group.callbackExecutor().execute(task);
        } catch (RejectedExecutionException e) {
            found.completeExceptionally(ErrorCode.CLOSED.exception("the peer is closed", e));
        }
    }
}

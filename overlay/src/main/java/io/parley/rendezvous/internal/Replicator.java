package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.store.internal.StoreAttribute;
import io.parley.store.internal.StoreEntry;
import io.parley.store.internal.StoreKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Sends what clients of this rendezvous publish to the rendezvous that rank highest for it; and once more, step by step, to
 * those that do since others have come or gone, or that were not reached. Thread-safe.
 */
final class Replicator {

    private static final int STEP = 200;
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);

    private final RendezvousContext overlay;
    private final PeerView view;
    private final AdvertisementIndex index;
    private final Map<PeerId, ReplicationQueue> outboxes = new HashMap<>();

    /** Who has not got all that it should have. */
    private final Set<PeerId> behind = new HashSet<>();

    /** By which all that is here has been sent. */
    private ReplicaSelector settled;

    private boolean settling;
    private boolean retrying;
    private boolean closed;
    private Scheduler.Timer retryTimer = () -> {};
    private Scheduler.Timer stepTimer = () -> {};

    Replicator(RendezvousContext overlay, PeerView view, AdvertisementIndex index) {
        this.overlay = overlay;
        this.view = view;
        this.index = index;
        this.settled = view.ranking();
    }

    /**
     * Completes when all who should have it have it, or can't be told: also those that have what it takes the place of.
     */
    CompletableFuture<Void> spread(AdvertisementIndex.PutResult taken) {
        ReplicaSelector ranking = view.ranking();
        StoreEntry entry = taken.entry();
        Set<PeerId> targets = targets(ranking, entry);
        targets.addAll(targets(ranking, entry.key().group(), taken.before()));
        return send(entry, targets);
    }

    private Set<PeerId> targets(ReplicaSelector ranking, StoreEntry entry) {
        return targets(ranking, entry.key().group(), entry.attributes());
    }

    private Set<PeerId> targets(ReplicaSelector ranking, GroupId group, List<StoreAttribute> attributes) {
        Set<PeerId> targets = new HashSet<>();
        for (StoreAttribute attribute : attributes) {
            if (!attribute.value().isEmpty()) {
                long item = ReplicaSelector.item(group, attribute.name(), attribute.value());
                targets.addAll(ranking.first(overlay.limits().index().replicas(), item));
            }
        }
        targets.remove(overlay.self());
        return targets;
    }

    private CompletableFuture<Void> send(StoreEntry entry, Set<PeerId> targets) {
        List<CompletableFuture<?>> sendings = new ArrayList<>();
        if (targets.isEmpty() || IndexEntryMapper.isTombstone(entry)) {
            return CompletableFuture.completedFuture(null);
        }
        StoreEntry publisher = index.publisher(entry.key()).orElse(null);
        for (PeerId target : targets) {
            ReplicationQueue outbox = outbox(target);
            if (publisher != null) {
                sendings.add(send(target, outbox, publisher));
            }
            sendings.add(send(target, outbox, entry));
        }
        return CompletableFuture.allOf(sendings.toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> send(PeerId target, ReplicationQueue outbox, StoreEntry entry) {
        return outbox.send(entry.document()).handle((sent, failure) -> {
            if (failure != null) {
                overlay.metrics().increment(Counter.REPLICATIONS_FAILED);
                fallBehind(target);
            }
            return null;
        });
    }

    private synchronized ReplicationQueue outbox(PeerId target) {
        return outboxes.computeIfAbsent(target, peer -> new ReplicationQueue(overlay, peer));
    }

    private synchronized void fallBehind(PeerId target) {
        if (!closed) {
            behind.add(target);
            retryLater();
        }
    }

    /** With the lock held. */
    private void retryLater() {
        if (!closed && !behind.isEmpty() && !retrying) {
            retrying = true;
            retryTimer = overlay.scheduler().schedule(RETRY_PAUSE, () -> overlay.execute(this::retry));
        }
    }

    private void retry() {
        synchronized (this) {
            retrying = false;
        }
        settle();
    }

    /** The view has changed: perhaps others have to have what is here. */
    void onViewChanged() {
        overlay.execute(this::settle);
    }

    private void settle() {
        ReplicaSelector goal = view.ranking();
        ReplicaSelector before;
        Set<PeerId> late;
        synchronized (this) {
            closeOutboxesOfOthersThan(goal.members());
            behind.retainAll(goal.members());
            if (closed || settling || (behind.isEmpty() && goal == settled)) {
                return;
            }
            settling = true;
            before = settled;
            late = Set.copyOf(behind);
            behind.clear();
        }
        step(index.home(), 0, before, goal, late);
    }

    private void closeOutboxesOfOthersThan(List<PeerId> members) {
        Set<PeerId> gone = new HashSet<>(outboxes.keySet());
        members.forEach(gone::remove);
        gone.forEach(peer -> Objects.requireNonNull(outboxes.remove(peer)).close());
    }

    private void step(List<StoreKey> keys, int from, ReplicaSelector before, ReplicaSelector goal, Set<PeerId> late) {
        List<CompletableFuture<?>> sendings = new ArrayList<>();
        int to = Math.min(from + STEP, keys.size());
        for (StoreKey key : keys.subList(from, to)) {
            index.get(key).ifPresent(entry -> sendings.add(send(entry, missing(entry, before, goal, late))));
        }
        CompletableFuture.allOf(sendings.toArray(CompletableFuture<?>[]::new)).whenComplete((sent, failure) -> {
            if (to == keys.size()) {
                settled(goal);
            } else {
                later(() -> step(keys, to, before, goal, late));
            }
        });
    }

    private Set<PeerId> missing(StoreEntry entry, ReplicaSelector before, ReplicaSelector goal, Set<PeerId> late) {
        Set<PeerId> had = targets(before, entry);
        had.removeAll(late);
        Set<PeerId> missing = targets(goal, entry);
        missing.removeAll(had);
        return missing;
    }

    private void settled(ReplicaSelector goal) {
        synchronized (this) {
            settling = false;
            settled = goal;
            retryLater(); // as a retry that came in between has done nothing
        }
        if (goal != view.ranking()) {
            overlay.execute(this::settle);
        }
    }

    private synchronized void later(Runnable step) {
        if (!closed) {
            stepTimer = overlay.scheduler().schedule(PAUSE, () -> overlay.execute(step));
        }
    }

    synchronized void close() {
        closed = true;
        retryTimer.cancel();
        stepTimer.cancel();
        outboxes.values().forEach(ReplicationQueue::close);
    }
}

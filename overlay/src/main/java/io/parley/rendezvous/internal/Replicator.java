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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/**
 * Replicates the local entries of the index to the rendezvous that rank highest for them. After the peer view has changed or
 * a rendezvous was not reached, it repairs the replicas: it sends the missing ones in small steps. Thread-safe.
 */
final class Replicator {

    private static final int ENTRIES_PER_STEP = 200;
    private static final Duration STEP_DELAY = Duration.ofMillis(50);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    private final RendezvousContext context;
    private final PeerView view;
    private final AdvertisementIndex index;
    private final Map<PeerId, ReplicationQueue> queues = new HashMap<>();

    /** The rendezvous that lack replicas, because these could not be sent. */
    private final Set<PeerId> incomplete = new HashSet<>();

    /** The selector by which all local entries were replicated. */
    private ReplicaSelector replicatedBy;

    private boolean repairing;
    private boolean retryScheduled;
    private boolean closed;
    private Scheduler.Timer retryTimer = () -> {};
    private Scheduler.Timer stepTimer = () -> {};

    Replicator(RendezvousContext context, PeerView view, AdvertisementIndex index) {
        this.context = context;
        this.view = view;
        this.index = index;
        this.replicatedBy = view.replicaSelector();
    }

    /**
     * Replicates a new entry, also to the rendezvous that have the one that it replaces. For each one that does not respond,
     * the next in the ranking gets a replica too. The future completes, always normally, when each of them has responded or
     * cannot be reached.
     */
    CompletableFuture<Void> replicate(AdvertisementIndex.PutResult result) {
        ReplicaSelector selector = view.replicaSelector();
        StoreEntry entry = result.entry();
        Set<PeerId> targets = targets(selector, entry);
        targets.addAll(targets(selector, entry.key().group(), result.previousAttributes()));
        targets.addAll(spares(entry));
        return send(entry, targets).thenCompose(sent -> passOver(entry, targets));
    }

    /**
     * Sends replicas to the rendezvous that are responsible instead of those that have just failed, until none of them fails.
     * The highest ranks get theirs by the repair when they respond again.
     */
    private CompletableFuture<Void> passOver(StoreEntry entry, Set<PeerId> tried) {
        Set<PeerId> next = spares(entry);
        next.removeAll(tried);
        if (next.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        tried.addAll(next);
        return send(entry, next).thenCompose(sent -> passOver(entry, tried));
    }

    private Set<PeerId> spares(StoreEntry entry) {
        return select(
                entry.key().group(),
                entry.attributes(),
                item -> view.spares(context.limits().index().replicas(), item));
    }

    private Set<PeerId> targets(ReplicaSelector selector, StoreEntry entry) {
        return targets(selector, entry.key().group(), entry.attributes());
    }

    private Set<PeerId> targets(ReplicaSelector selector, GroupId group, List<StoreAttribute> attributes) {
        return select(
                group,
                attributes,
                item -> selector.select(context.limits().index().replicas(), item));
    }

    private Set<PeerId> select(GroupId group, List<StoreAttribute> attributes, LongFunction<List<PeerId>> ofItem) {
        Set<PeerId> targets = new HashSet<>();
        for (StoreAttribute attribute : attributes) {
            if (!attribute.value().isEmpty()) {
                targets.addAll(ofItem.apply(ReplicaSelector.item(group, attribute.name(), attribute.value())));
            }
        }
        targets.remove(context.self());
        return targets;
    }

    private CompletableFuture<Void> send(StoreEntry entry, Set<PeerId> targets) {
        List<CompletableFuture<?>> sends = new ArrayList<>();
        if (isClosed() || targets.isEmpty() || IndexEntryMapper.isTombstone(entry)) {
            return CompletableFuture.completedFuture(null);
        }
        StoreEntry publisher = index.publisher(entry.key()).orElse(null);
        for (PeerId target : targets) {
            ReplicationQueue queue = queue(target);
            if (publisher != null) {
                sends.add(handle(target, queue.sendPublisher(publisher)));
            }
            sends.add(handle(target, queue.send(entry.document())));
        }
        return CompletableFuture.allOf(sends.toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> handle(PeerId target, CompletableFuture<Void> send) {
        return send.handle((sent, failure) -> {
            if (failure != null) {
                context.metrics().increment(Counter.REPLICATIONS_FAILED);
                view.onFailed(target, failure);
                addIncomplete(target);
            } else {
                view.onServed(target);
            }
            return null;
        });
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized ReplicationQueue queue(PeerId target) {
        return queues.computeIfAbsent(target, peer -> new ReplicationQueue(context, peer));
    }

    private synchronized void addIncomplete(PeerId target) {
        if (!closed) {
            incomplete.add(target);
            scheduleRetry();
        }
    }

    /** The caller must hold the lock. */
    private void scheduleRetry() {
        if (!closed && !incomplete.isEmpty() && !retryScheduled) {
            retryScheduled = true;
            retryTimer = context.scheduler().schedule(RETRY_DELAY, () -> context.execute(this::retry));
        }
    }

    private void retry() {
        synchronized (this) {
            retryScheduled = false;
        }
        repair();
    }

    /** Repairs the replicas, because other rendezvous may be responsible for entries of this index now. */
    void onViewChanged() {
        context.execute(this::repair);
    }

    private void repair() {
        ReplicaSelector target = view.replicaSelector();
        ReplicaSelector before;
        Set<PeerId> retried;
        removeQueuesExcept(target.peers()).forEach(ReplicationQueue::close);
        synchronized (this) {
            incomplete.retainAll(target.peers());
            if (closed || repairing || (incomplete.isEmpty() && target == replicatedBy)) {
                return;
            }
            repairing = true;
            before = replicatedBy;
            retried = Set.copyOf(incomplete);
            incomplete.clear();
        }
        repairStep(index.localKeys(), 0, before, target, retried);
    }

    private synchronized List<ReplicationQueue> removeQueuesExcept(List<PeerId> peers) {
        Map<PeerId, ReplicationQueue> gone = new HashMap<>(queues);
        peers.forEach(gone::remove);
        queues.keySet().removeAll(gone.keySet());
        return List.copyOf(gone.values());
    }

    private void repairStep(
            List<StoreKey> keys, int from, ReplicaSelector before, ReplicaSelector target, Set<PeerId> retried) {
        List<CompletableFuture<?>> sends = new ArrayList<>();
        int to = Math.min(from + ENTRIES_PER_STEP, keys.size());
        for (StoreKey key : keys.subList(from, to)) {
            index.get(key).ifPresent(entry -> sends.add(send(entry, missing(entry, before, target, retried))));
        }
        CompletableFuture.allOf(sends.toArray(CompletableFuture<?>[]::new)).whenComplete((sent, failure) -> {
            if (to == keys.size()) {
                onRepaired(target);
            } else {
                scheduleStep(() -> repairStep(keys, to, before, target, retried));
            }
        });
    }

    private Set<PeerId> missing(StoreEntry entry, ReplicaSelector before, ReplicaSelector target, Set<PeerId> retried) {
        Set<PeerId> present = targets(before, entry);
        present.removeAll(retried);
        Set<PeerId> missing = targets(target, entry);
        missing.removeAll(present);
        return missing;
    }

    private void onRepaired(ReplicaSelector target) {
        synchronized (this) {
            repairing = false;
            replicatedBy = target;
            scheduleRetry(); // a retry that came during the repair has done nothing
        }
        if (target != view.replicaSelector()) {
            context.execute(this::repair);
        }
    }

    private synchronized void scheduleStep(Runnable step) {
        if (!closed) {
            stepTimer = context.scheduler().schedule(STEP_DELAY, () -> context.execute(step));
        }
    }

    /** Fails what waits in the queues, without the lock, because that may end the replication of entries. */
    void close() {
        List<ReplicationQueue> open;
        synchronized (this) {
            closed = true;
            retryTimer.cancel();
            stepTimer.cancel();
            open = List.copyOf(queues.values());
        }
        open.forEach(ReplicationQueue::close);
    }
}

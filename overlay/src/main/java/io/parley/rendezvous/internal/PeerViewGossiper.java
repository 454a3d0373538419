package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.resolver.internal.Query;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Maintains the peer view by gossip. In each round this peer issues a new entry for itself and exchanges entries with some
 * other rendezvous. It queries a silent rendezvous directly, and removes it if that has no effect. Thread-safe.
 */
final class PeerViewGossiper implements PeerConnectionListener {

    /** The number of entries that a query carries besides that of this peer. The response has all that this peer lacks. */
    private static final int MAX_PUSHED_ENTRIES = 16;

    /** The number of rounds after which a seed is queried in any case, so that two separate halves merge again. */
    private static final int SEED_ROUNDS = 6;

    private final RendezvousContext context;
    private final PeerView view;
    private final PeerViewEntryFactory entryFactory;
    private final List<Seed> seeds;
    private volatile PeerViewEntry self;
    private volatile Scheduler.Timer timer = () -> {};
    private volatile @Nullable ParleyException lastFailure;
    private volatile boolean closed;
    private int rounds;

    PeerViewGossiper(RendezvousContext context, PeerView view, PeerViewEntryFactory entryFactory, List<Seed> seeds) {
        this.context = context;
        this.view = view;
        this.entryFactory = entryFactory;
        this.seeds = List.copyOf(seeds);
        this.self = entryFactory.sign(context.endpoint().peerAddress());
    }

    void start() {
        seeds.forEach(this::connect);
        scheduleRound();
    }

    private void scheduleRound() {
        long nanos = context.limits().peerView().gossipInterval().toNanos();
        // Up to a tenth more or less, so that the rounds of several rendezvous do not coincide.
        long jittered = nanos - nanos / 10 + context.scheduler().random().nextLong(nanos / 5 + 1);
        timer = context.schedule(Duration.ofNanos(jittered), this::runRound);
        if (closed) {
            timer.cancel();
        }
    }

    /** Runs one round. Must be called on the executor. */
    private void runRound() {
        try {
            if (!reissue()) {
                return;
            }
            RendezvousLimits.PeerViewLimits limits = context.limits().peerView();
            view.silentFor(limits.failureTimeout())
                    .forEach(peer -> view.remove(peer, "silent for " + limits.failureTimeout()));
            view.silentFor(limits.failureTimeout().dividedBy(2)).forEach(this::exchange);
            List<PeerId> others = new ArrayList<>(view.peers());
            Collections.shuffle(others, context.scheduler().random());
            others.subList(0, Math.min(limits.fanout(), others.size())).forEach(this::exchange);
            if (!seeds.isEmpty() && (view.size() < seeds.size() || rounds % SEED_ROUNDS == 0)) {
                connect(seeds.get(context.scheduler().random().nextInt(seeds.size())));
            }
            rounds++;
        } finally {
            scheduleRound();
        }
    }

    /** Issues a new entry of this peer; returns false after close, because no entry may be newer than the announced end. */
    private synchronized boolean reissue() {
        if (!closed) {
            self = entryFactory.sign(context.endpoint().peerAddress());
        }
        return !closed;
    }

    private void connect(Seed seed) {
        seed.resolve(context.endpoint()).whenComplete((peer, failure) -> {
            if (failure != null) {
                onSeedFailed(seed, failure);
            } else if (!peer.equals(context.self())) {
                exchange(peer);
            }
        });
    }

    /** This peer itself may be among the seeds; then the endpoint refuses to connect. */
    private void onSeedFailed(Seed seed, Throwable failure) {
        if (seed.addresses().stream().noneMatch(context.endpoint().addresses()::contains)) {
            lastFailure = Throwables.toParleyException(failure, ErrorCode.UNREACHABLE);
        }
    }

    List<String> seedAddresses() {
        return seeds.stream().map(Seed::toString).toList();
    }

    /** Returns why the last failed attempt to reach another rendezvous failed. */
    @Nullable
    ParleyException lastFailure() {
        return lastFailure;
    }

    /** Sends entries of the view to another rendezvous, and adds those of its response. */
    void exchange(PeerId peer) {
        view.find(peer).ifPresent(entry -> context.endpoint().addPeerAddress(entry.address()));
        List<byte[]> documents = new ArrayList<>();
        documents.add(self.document());
        view.newest().stream()
                .filter(entry -> !entry.peer().equals(peer))
                .limit(MAX_PUSHED_ENTRIES)
                .forEach(entry -> documents.add(entry.document()));
        Map<PeerId, Long> known = view.issueTimes();
        context.query(
                        peer,
                        RendezvousContext.VIEW,
                        new PeerViewMessage(0, documents, known).write(),
                        context.limits().requestTimeout())
                .thenApplyAsync(PeerViewMessage::read, context.executor())
                .whenComplete((response, failure) -> {
                    if (failure != null) {
                        onExchangeFailed(peer, failure);
                    } else {
                        addAll(response.documents());
                    }
                });
    }

    /** A rendezvous that is connected may be busy until the failure timeout. One that cannot be reached is removed. */
    private void onExchangeFailed(PeerId peer, Throwable failure) {
        lastFailure = Throwables.toParleyException(failure, ErrorCode.UNREACHABLE);
        if (!closed && !context.endpoint().connectedPeers().contains(peer)) {
            view.remove(peer, "unreachable: " + Throwables.unwrap(failure).getMessage());
        }
    }

    private void addAll(List<byte[]> documents) {
        for (byte[] document : documents) {
            entryFactory.verify(document).ifPresent(this::add);
        }
    }

    private void add(PeerViewEntry entry) {
        boolean wasRemoved = view.wasRemoved(entry.peer());
        if (!closed && view.offer(entry)) {
            context.endpoint().addPeerAddress(entry.address());
            if (wasRemoved) { // the entry may be from before its end, and new only to this peer
                exchange(entry.peer());
            }
        }
    }

    /** Handles the entries of another rendezvous, or the announcement of its end. */
    CompletionStage<Optional<Message>> onQuery(Query query) {
        PeerViewMessage request = PeerViewMessage.read(query.body());
        if (request.leaving() != 0) {
            view.onLeave(query.from(), request.leaving());
            return CompletableFuture.completedFuture(Optional.empty());
        }
        addAll(request.documents());
        if (!view.contains(query.from())) {
            throw context.unauthorized(
                    "peer " + query.from() + " is not in the peer view (expected: its own entry among "
                            + "the documents, newer than before; at most "
                            + context.limits().peerView().maxRendezvous() + " rendezvous)");
        }
        List<byte[]> documents = new ArrayList<>();
        documents.add(self.document());
        for (PeerViewEntry entry : view.newest()) {
            long known = request.known().getOrDefault(entry.peer(), Long.MIN_VALUE);
            if (entry.issuedMillis() > known
                    && !entry.peer().equals(query.from())
                    && documents.size() < PeerViewMessage.MAX_DOCUMENTS) {
                documents.add(entry.document());
            }
        }
        return CompletableFuture.completedFuture(
                Optional.of(PeerViewMessage.response(documents).write()));
    }

    /** Probes a rendezvous whose connection was lost: the rendezvous or its network has failed. */
    @Override
    public void onDisconnected(PeerId peer) {
        if (!closed && view.contains(peer)) {
            context.execute(() -> exchange(peer));
        }
    }

    /** Announces the end of this rendezvous. The future completes when the others have responded or cannot be reached. */
    CompletableFuture<Void> close() {
        synchronized (this) {
            closed = true;
        }
        timer.cancel();
        return CompletableFuture.allOf(view.peers().stream()
                .map(peer -> context.query(
                                peer,
                                RendezvousContext.VIEW,
                                PeerViewMessage.leave(self.issuedMillis()).write(),
                                context.limits().hopTimeout())
                        .handle((response, failure) -> null))
                .toArray(CompletableFuture<?>[]::new));
    }
}

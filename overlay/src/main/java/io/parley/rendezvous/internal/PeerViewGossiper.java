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
 * Keeps the view: in each round this peer states itself anew and exchanges with some others what both know; who is silent
 * is asked directly, and dropped when that does not help. Thread-safe.
 */
final class PeerViewGossiper implements PeerConnectionListener {

    /** Documents that a question carries besides the own; the answer has all that the asker lacks. */
    private static final int PUSHED = 16;

    /** Rounds after which a seed is asked in any case, so that two halves that know nothing of each other meet again. */
    private static final int SEED_ROUNDS = 6;

    private final RendezvousContext overlay;
    private final PeerView view;
    private final PeerViewEntryFactory documents;
    private final List<Seed> seeds;
    private volatile PeerViewEntry self;
    private volatile Scheduler.Timer timer = () -> {};
    private volatile @Nullable ParleyException lastFailure;
    private volatile boolean closed;
    private int rounds;

    PeerViewGossiper(RendezvousContext overlay, PeerView view, PeerViewEntryFactory documents, List<Seed> seeds) {
        this.overlay = overlay;
        this.view = view;
        this.documents = documents;
        this.seeds = List.copyOf(seeds);
        this.self = documents.sign(overlay.endpoint().peerAddress());
    }

    void start() {
        seeds.forEach(this::greet);
        schedule();
    }

    private void schedule() {
        long nanos = overlay.limits().peerView().gossipInterval().toNanos();
        // Not all in step: up to a tenth more or less.
        long jittered = nanos - nanos / 10 + overlay.scheduler().random().nextLong(nanos / 5 + 1);
        timer = overlay.scheduler().schedule(Duration.ofNanos(jittered), () -> overlay.execute(this::round));
        if (closed) {
            timer.cancel();
        }
    }

    /** One round, on the executor. */
    private void round() {
        try {
            if (!restate()) {
                return;
            }
            RendezvousLimits.PeerViewLimits limits = overlay.limits().peerView();
            view.silentFor(limits.failureTimeout())
                    .forEach(peer -> view.drop(peer, "silent for " + limits.failureTimeout()));
            view.silentFor(limits.failureTimeout().dividedBy(2)).forEach(this::exchange);
            List<PeerId> others = new ArrayList<>(view.peers());
            Collections.shuffle(others, overlay.scheduler().random());
            others.subList(0, Math.min(limits.fanout(), others.size())).forEach(this::exchange);
            if (!seeds.isEmpty() && (view.size() < seeds.size() || rounds % SEED_ROUNDS == 0)) {
                greet(seeds.get(overlay.scheduler().random().nextInt(seeds.size())));
            }
            rounds++;
        } finally {
            schedule();
        }
    }

    /** False when this peer has said, or will say, that it leaves: nothing it states may be newer than that. */
    private synchronized boolean restate() {
        if (!closed) {
            self = documents.sign(overlay.endpoint().peerAddress());
        }
        return !closed;
    }

    private void greet(Seed seed) {
        seed.resolve(overlay.endpoint()).whenComplete((peer, failure) -> {
            if (failure != null) {
                onSeedFailure(seed, failure);
            } else if (!peer.equals(overlay.self())) {
                exchange(peer);
            }
        });
    }

    /** This peer itself may be among the seeds; then the endpoint refuses to connect. */
    private void onSeedFailure(Seed seed, Throwable failure) {
        if (seed.addresses().stream().noneMatch(overlay.endpoint().addresses()::contains)) {
            lastFailure = Throwables.toParleyException(failure, ErrorCode.UNREACHABLE);
        }
    }

    List<String> seedAddresses() {
        return seeds.stream().map(Seed::toString).toList();
    }

    /** Returns why another rendezvous could not be reached the last time that this happened. */
    @Nullable
    ParleyException lastFailure() {
        return lastFailure;
    }

    /** Tells another what this peer knows, and hears what that one does. */
    void exchange(PeerId peer) {
        view.find(peer).ifPresent(member -> overlay.endpoint().addPeerAddress(member.address()));
        List<byte[]> told = new ArrayList<>();
        told.add(self.document());
        view.newest().stream()
                .filter(member -> !member.peer().equals(peer))
                .limit(PUSHED)
                .forEach(member -> told.add(member.document()));
        Map<PeerId, Long> known = view.issued();
        overlay.ask(
                        peer,
                        RendezvousContext.VIEW,
                        new PeerViewMessage(0, told, known).write(),
                        overlay.limits().requestTimeout())
                .whenComplete((answer, failure) -> {
                    if (failure != null) {
                        onSilence(peer, failure);
                    } else {
                        overlay.execute(() -> take(PeerViewMessage.read(answer).documents()));
                    }
                });
    }

    /** Who is busy may be so for the time that all have; who can't even be reached is gone. */
    private void onSilence(PeerId peer, Throwable failure) {
        lastFailure = Throwables.toParleyException(failure, ErrorCode.UNREACHABLE);
        if (!closed && !overlay.endpoint().connectedPeers().contains(peer)) {
            view.drop(peer, "can't be reached: " + Throwables.unwrap(failure).getMessage());
        }
    }

    private void take(List<byte[]> statements) {
        for (byte[] statement : statements) {
            documents.verify(statement).ifPresent(this::take);
        }
    }

    private void take(PeerViewEntry member) {
        boolean wasGivenUp = view.wasGivenUp(member.peer());
        if (!closed && view.offer(member)) {
            overlay.endpoint().addPeerAddress(member.address());
            if (wasGivenUp) { // the statement may be of before its end, and new only to this peer
                exchange(member.peer());
            }
        }
    }

    /** Another rendezvous tells what it knows. */
    CompletionStage<Optional<Message>> onQuery(Query query) {
        PeerViewMessage told = PeerViewMessage.read(query.body());
        if (told.leaving() != 0) {
            view.leave(query.from(), told.leaving());
            return CompletableFuture.completedFuture(Optional.empty());
        }
        take(told.documents());
        if (!view.contains(query.from())) {
            throw overlay.stranger("peer " + query.from() + " has not stated to be a rendezvous (expected: its own "
                    + "statement among the documents, newer than before; at most "
                    + overlay.limits().peerView().maxRendezvous() + " are known)");
        }
        List<byte[]> answer = new ArrayList<>();
        answer.add(self.document());
        for (PeerViewEntry member : view.newest()) {
            long known = told.known().getOrDefault(member.peer(), Long.MIN_VALUE);
            if (member.issuedMillis() > known
                    && !member.peer().equals(query.from())
                    && answer.size() < PeerViewMessage.MAX_DOCUMENTS) {
                answer.add(member.document());
            }
        }
        return CompletableFuture.completedFuture(
                Optional.of(PeerViewMessage.answer(answer).write()));
    }

    /** The connection to a rendezvous broke: that one has ended, or its network has. */
    @Override
    public void onDisconnected(PeerId peer) {
        if (!closed && view.contains(peer)) {
            overlay.execute(() -> exchange(peer));
        }
    }

    /** Tells the others that this peer ends; completes when they know, or can't be told. */
    CompletableFuture<Void> close() {
        synchronized (this) {
            closed = true;
        }
        timer.cancel();
        return CompletableFuture.allOf(view.peers().stream()
                .map(peer -> overlay.ask(
                                peer,
                                RendezvousContext.VIEW,
                                PeerViewMessage.leave(self.issuedMillis()).write(),
                                overlay.limits().hopTimeout())
                        .handle((answer, failure) -> null))
                .toArray(CompletableFuture<?>[]::new));
    }
}

package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.HostPrefix;
import io.parley.common.internal.KeyedRateLimiter;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.internal.Query;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains the peer view by gossip. In each round this peer issues a new entry for itself and exchanges entries with some
 * other rendezvous. It queries a silent rendezvous directly, and removes it if that has no effect. Thread-safe.
 *
 * <p>A rendezvous becomes a member of the view by its own entry over its own connection: in a query, or in the response to
 * one. Others that it names become candidates, which this peer queries. So invented rendezvous neither get replicas nor are
 * named to others.
 */
final class PeerViewGossiper implements PeerConnectionListener {

    private static final Logger log = LoggerFactory.getLogger(PeerViewGossiper.class);

    /** The number of entries that a query carries besides that of this peer. The response has all that this peer lacks. */
    private static final int MAX_PUSHED_ENTRIES = 16;

    /** The number of rounds after which a seed is queried in any case, so that two separate halves merge again. */
    private static final int SEED_ROUNDS = 6;

    /** The rate of queries of one host. Several rendezvous of one host query this peer a few times in each interval. */
    private static final int QUERIES_PER_SECOND = 16;

    /** The rate of queries of all hosts, as a multiple of the rate of one host. */
    private static final int TOTAL_RATE_FACTOR = 16;

    /** The host of peers whose connection has just ended. No address has this text. */
    private static final String UNKNOWN_HOST = "?";

    private final RendezvousContext context;
    private final PeerView view;
    private final PeerViewCandidates candidates;
    private final FailureTracker failures;
    private final KeyedRateLimiter<String> queryRates;
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
        RendezvousLimits.PeerViewLimits limits = context.limits().peerView();
        this.candidates = new PeerViewCandidates(limits.maxRendezvous(), context.scheduler());
        this.failures = new FailureTracker(
                limits.failureTimeout().multipliedBy(2), limits.maxRendezvous(), context.scheduler());
        this.queryRates = new KeyedRateLimiter<>(
                QUERIES_PER_SECOND,
                TOTAL_RATE_FACTOR * QUERIES_PER_SECOND,
                limits.maxRendezvous(),
                context.scheduler());
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
                    .forEach(peer ->
                            view.remove(peer, "silent for " + DurationFormatter.format(limits.failureTimeout())));
            Set<PeerId> probed =
                    new LinkedHashSet<>(view.silentFor(limits.failureTimeout().dividedBy(2)));
            failures.peers().stream().filter(view::contains).forEach(probed::add);
            probed.forEach(this::exchange);
            List<PeerId> others = new ArrayList<>(view.peers());
            Collections.shuffle(others, context.scheduler().random());
            others.subList(0, Math.min(limits.fanout(), others.size())).forEach(this::exchange);
            if (!seeds.isEmpty() && (view.size() < seeds.size() || rounds % SEED_ROUNDS == 0)) {
                connect(seeds.get(context.scheduler().random().nextInt(seeds.size())));
            }
            contactCandidates();
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

    /** Sends entries of the view to another rendezvous, and takes over those of its response. */
    void exchange(PeerId peer) {
        view.find(peer).ifPresent(entry -> context.endpoint().addPeerAddress(entry.address()));
        query(peer).whenComplete((response, failure) -> {
            if (failure != null) {
                onExchangeFailed(peer, Throwables.toParleyException(failure, ErrorCode.UNREACHABLE));
            } else {
                failures.onResponse(peer);
                takeOver(peer, response.documents());
            }
        });
    }

    private CompletableFuture<PeerViewMessage> query(PeerId peer) {
        List<byte[]> documents = new ArrayList<>();
        documents.add(self.document());
        view.newest().stream()
                .filter(entry -> !entry.peer().equals(peer))
                .limit(MAX_PUSHED_ENTRIES)
                .forEach(entry -> documents.add(entry.document()));
        Map<PeerId, Long> known = view.issueTimes();
        return context.query(
                        peer,
                        RendezvousContext.VIEW,
                        new PeerViewMessage(0, documents, known).write(),
                        context.limits().requestTimeout())
                .thenApplyAsync(PeerViewMessage::read, context.executor());
    }

    /**
     * A rendezvous that is connected may be busy until the failure timeout, also if others still have new entries of it. One
     * that cannot be reached is removed.
     */
    private void onExchangeFailed(PeerId peer, ParleyException failure) {
        lastFailure = failure;
        if (closed || !view.contains(peer)) {
            return;
        }
        if (!context.endpoint().isConnected(peer)) {
            view.remove(peer, "unreachable: " + failure.getMessage());
            return;
        }
        failures.onFailure(peer, failure);
        Duration timeout = context.limits().peerView().failureTimeout();
        if (failures.failingFor(peer).compareTo(timeout) >= 0) {
            failures.onResponse(peer);
            view.remove(peer, "no response for " + DurationFormatter.format(timeout) + ": " + failure.getMessage());
        }
    }

    /** Queries candidates, as many as their rate permits. */
    private void contactCandidates() {
        Optional<PeerAddress> next = closed ? Optional.empty() : candidates.next();
        while (next.isPresent()) {
            contact(next.get());
            next = closed ? Optional.empty() : candidates.next();
        }
    }

    private void contact(PeerAddress candidate) {
        PeerId peer = candidate.peer();
        if (view.contains(peer)) {
            return; // it has contacted this peer meanwhile
        }
        context.endpoint().addPeerAddress(candidate);
        query(peer).whenComplete((response, failure) -> {
            if (failure == null) {
                takeOver(peer, response.documents());
            } else {
                log.debug("Cannot contact rendezvous {}: {}", peer, failure.getMessage());
                context.execute(this::contactCandidates);
            }
        });
    }

    /**
     * Takes over the entries that a peer has sent: its own one, which is the first, makes it a member. Others update members,
     * or are candidates. If the peer is no member after its own entry, they are ignored and not even verified.
     */
    private void takeOver(PeerId peer, List<byte[]> documents) {
        if (!context.admission().fellows().test(peer)) {
            view.remove(peer, "it may not be a member");
            return;
        }
        String host = host(peer);
        for (byte[] document : documents) {
            entryFactory.verify(document).ifPresent(entry -> add(peer, host, entry));
            if (!view.contains(peer)) {
                return;
            }
        }
        contactCandidates();
    }

    private String host(PeerId peer) {
        return context.endpoint()
                .remoteAddress(peer)
                .map(address -> HostPrefix.of(address.host()))
                .orElse(UNKNOWN_HOST);
    }

    private void add(PeerId from, String host, PeerViewEntry entry) {
        if (closed) {
            return;
        }
        if (entry.peer().equals(from)) {
            if (!view.contains(from)) {
                failures.onResponse(from); // a new run
            }
            if (!host.equals(UNKNOWN_HOST) && view.offer(entry, host)) {
                context.endpoint().addPeerAddress(entry.address());
            }
        } else if (view.contains(entry.peer())) {
            if (view.refresh(entry)) {
                context.endpoint().addPeerAddress(entry.address());
            }
        } else if (view.contains(from)
                && !view.isOutdated(entry)
                && context.admission().fellows().test(entry.peer())
                && !candidates.add(from, host, entry)) {
            context.metrics().increment(Counter.VIEW_CANDIDATES_REFUSED);
        }
    }

    /** Handles the entries of another rendezvous, or the announcement of its end. */
    CompletionStage<Optional<Message>> onQuery(Query query) {
        if (!queryRates.tryAcquire(host(query.from()))) {
            context.metrics().increment(Counter.VIEW_QUERIES_THROTTLED);
            throw ErrorCode.BUSY.exception("queries of the peer view: rate exceeded (expected: <= " + QUERIES_PER_SECOND
                    + " per second of one host, <= " + TOTAL_RATE_FACTOR * QUERIES_PER_SECOND + " of all)");
        }
        PeerViewMessage request = PeerViewMessage.read(query.body());
        if (request.leaving() != 0) {
            view.onLeave(query.from(), request.leaving());
            return CompletableFuture.completedFuture(Optional.empty());
        }
        takeOver(query.from(), request.documents());
        if (!view.contains(query.from())) {
            throw context.unauthorized("peer " + query.from()
                    + " is not in the peer view (expected: its own entry as the first of "
                    + "the documents, newer than before; at most "
                    + context.limits().peerView().maxRendezvous() + " rendezvous, and fewer of one host)");
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

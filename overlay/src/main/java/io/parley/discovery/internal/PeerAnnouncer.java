package io.parley.discovery.internal;

import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.Scheduler;
import io.parley.common.internal.Backoff;
import io.parley.common.internal.Timers;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.resolver.internal.PropagateOptions;
import io.parley.resolver.internal.PropagatedQuery;
import io.parley.resolver.internal.PropagationScope;
import io.parley.resolver.internal.Query;
import io.parley.resolver.internal.Resolver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Announces this peer on the local network and processes announcements of other peers. A peer that receives the announcement of an
 * unknown or newly started peer announces itself again, so that both know each other. It does so by multicast, because a response
 * needs a connection, and all peers of the network would then be connected to each other before any of them has something to
 * send. Thread-safe.
 */
final class PeerAnnouncer {

    /** The handler's name. */
    static final String NAME = "announce";

    private static final Logger log = LoggerFactory.getLogger(PeerAnnouncer.class);

    /** Maximum number of documents read from one announcement. */
    private static final int MAX_DOCUMENTS = 16;

    private static final Duration QUERY_TIMEOUT = Duration.ofSeconds(5);

    /** The announcements that follow that of another peer are spread over this time, because all receive it simultaneously. */
    private static final Duration RETURN_SPREAD = Duration.ofMillis(400);

    /** The shortest time between two such announcements, whoever causes them. One of them serves all new peers. */
    private static final Duration MIN_RETURN_INTERVAL = Duration.ofSeconds(1);

    /** Delay of the second announcement, which is short because the first one may be lost. */
    private static final Duration SECOND_DELAY = Duration.ofSeconds(1);

    /** The number of announcements that other peers return, because the first one, or what returns, may be lost. */
    private static final int HELLOS = 2;

    private static final Duration MIN_RETRY_DELAY = Duration.ofMillis(250);
    private static final Duration WITHDRAWAL_DELAY = Duration.ofMillis(50);
    private static final int MAX_WITHDRAWALS = 8 * MAX_DOCUMENTS;

    private final Resolver resolver;
    private final AdvertisementReceiver receiver;
    private final DiscoveryContext context;
    private final Backoff backoff;
    private final Set<PropagatedQuery> openQueries = ConcurrentHashMap.newKeySet();
    private final List<SignedAdvertisement> withdrawals = new ArrayList<>();
    private @Nullable LocalPublication announced;
    private Scheduler.Timer timer = () -> {};
    private Scheduler.Timer withdrawalTimer = () -> {};
    private Scheduler.Timer returnTimer = () -> {};
    private boolean returnPending;
    private long nextReturnNanos;
    private int hellosSent;
    private volatile boolean closed;
    private int sent;

    PeerAnnouncer(Resolver resolver, AdvertisementReceiver receiver, DiscoveryContext context) {
        this.resolver = resolver;
        this.receiver = receiver;
        this.context = context;
        this.nextReturnNanos = context.scheduler().nanoTime();
        this.backoff = new Backoff(
                context.scheduler().random(), MIN_RETRY_DELAY, context.limits().announceInterval());
    }

    /** Announces this peer immediately and then periodically. */
    void announce(LocalPublication peer) {
        synchronized (this) {
            announced = peer;
            sent = 0;
            backoff.reset();
        }
        announce();
    }

    private void announce() {
        LocalPublication peer;
        boolean hello;
        boolean isRepeated;
        synchronized (this) {
            peer = announced;
            if (peer == null || peer.isClosing()) {
                return;
            }
            hello = hellosSent < HELLOS;
            hellosSent += hello ? 1 : 0;
            isRepeated = sent > 0;
            if (isRepeated) { // a failure of the previous one would have reset the number
                backoff.reset();
            }
            schedule(context.jittered(isRepeated ? interval() : SECOND_DELAY));
            sent++;
            cancelReturn();
        }
        if (isRepeated) { // others must not take the next announcement for that of a new peer, because this one has
            // expired
            peer.renewIfAged();
        }
        send(peer, hello);
    }

    private void send(LocalPublication peer, boolean hello) {
        Message message = DiscoveryMessages.announcement(
                List.of(peer.signedAdvertisement().toByteArray()), hello);
        PropagatedQuery query = resolver.propagate(
                NAME, message, new PropagateOptions(QUERY_TIMEOUT, 1, PropagationScope.LOCAL_NETWORK), response -> {});
        openQueries.add(query);
        if (closed) { // close() may not have seen the query
            query.closeAsync();
        }
        context.metrics().increment(Counter.ANNOUNCEMENTS_SENT);
        query.whenDone().whenComplete((count, failure) -> {
            openQueries.remove(query);
            if (failure != null) {
                onFailure(peer, hello, failure);
            }
        });
    }

    private Duration interval() {
        // With what is announced again unchanged (PublicationRegistry), others keep this peer also if a datagram is
        // lost.
        Duration longest = context.expiration().dividedBy(4);
        Duration usual = context.limits().announceInterval();
        return usual.compareTo(longest) < 0 ? usual : longest;
    }

    /** Schedules another attempt. The local network may be unavailable so far. */
    private synchronized void onFailure(LocalPublication peer, boolean hello, Throwable failure) {
        if (announced != peer) {
            return;
        }
        log.debug("Cannot announce this peer: {}", failure.toString());
        hellosSent = hello ? 0 : hellosSent;
        sent = 0;
        schedule(backoff.next());
    }

    /** The caller must hold the lock. */
    private void schedule(Duration delay) {
        timer.cancel();
        timer = executeAfter(delay, this::announce);
    }

    private Scheduler.Timer executeAfter(Duration delay, Runnable task) {
        return Timers.schedule(context.scheduler(), delay, context.executor(), task);
    }

    /** Announces a withdrawal soon, together with other withdrawals of the same time. */
    synchronized void withdraw(SignedAdvertisement tombstone) {
        if (tombstone.advertisement() instanceof PeerAdvertisement) {
            announced = null;
            timer.cancel();
            cancelReturn();
        }
        if (withdrawals.size() < MAX_WITHDRAWALS) {
            withdrawals.add(tombstone);
        }
        if (withdrawals.size() == 1) {
            withdrawalTimer = executeAfter(WITHDRAWAL_DELAY, this::announceWithdrawals);
        }
    }

    /** Announces the pending withdrawals. Peers that do not receive the announcement keep the advertisements until they expire. */
    void announceWithdrawals() {
        List<byte[]> documents;
        synchronized (this) {
            withdrawalTimer.cancel();
            documents =
                    withdrawals.stream().map(SignedAdvertisement::toByteArray).toList();
            withdrawals.clear();
        }
        for (int from = 0; from < documents.size(); from += MAX_DOCUMENTS) {
            List<byte[]> batch = documents.subList(from, Math.min(documents.size(), from + MAX_DOCUMENTS));
            resolver.propagate(
                            NAME,
                            DiscoveryMessages.announcement(batch, false),
                            new PropagateOptions(QUERY_TIMEOUT, 1, PropagationScope.LOCAL_NETWORK),
                            response -> {})
                    .closeAsync(); // no responses are expected
        }
    }

    /** Processes the documents of a peer. Returns whether the peer was unknown. */
    private boolean accept(PeerId sender, Message message) {
        List<byte[]> documents = DiscoveryMessages.readDocuments(message);
        boolean isNew = false;
        for (byte[] document : documents.subList(0, Math.min(documents.size(), MAX_DOCUMENTS))) {
            AdvertisementReceiver.Accepted accepted =
                    receiver.accept(document, signed -> isOwnAdvertisement(sender, signed));
            isNew |= accepted != null
                    && accepted.isNew()
                    && accepted.newest().advertisement() instanceof PeerAdvertisement
                    && !StoreEntryMapper.isWithdrawn(accepted.newest());
        }
        int extra = documents.size() - MAX_DOCUMENTS;
        if (extra > 0) {
            context.metrics().add(Counter.ADVERTISEMENTS_UNSOLICITED, extra);
        }
        return isNew;
    }

    private static boolean isOwnAdvertisement(PeerId sender, SignedAdvertisement signed) {
        return signed.publisher().equals(sender)
                && (signed.advertisement() instanceof PeerAdvertisement || StoreEntryMapper.isWithdrawn(signed));
    }

    /** Processes the announcement of another peer. Called on the resolver's executor. */
    CompletionStage<Optional<Message>> onQuery(Query query) {
        if (!query.propagated()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        context.metrics().increment(Counter.ANNOUNCEMENTS_RECEIVED);
        if (accept(query.from(), query.body()) || DiscoveryMessages.isHello(query.body())) {
            scheduleReturn();
        }
        return CompletableFuture.completedFuture(Optional.empty());
    }

    /** Announces this peer soon, for a peer that may not know it, unless an announcement is due as soon in any case. */
    private synchronized void scheduleReturn() {
        if (announced == null || returnPending) {
            return;
        }
        long delayNanos = Math.max(
                (long) (RETURN_SPREAD.toNanos() * context.scheduler().random().nextDouble()),
                nextReturnNanos - context.scheduler().nanoTime());
        returnPending = true;
        returnTimer = executeAfter(Duration.ofNanos(delayNanos), this::announceInReturn);
    }

    /** The caller must hold the lock. */
    private void cancelReturn() {
        returnPending = false;
        returnTimer.cancel();
    }

    private void announceInReturn() {
        LocalPublication peer;
        synchronized (this) {
            peer = announced;
            if (!returnPending || peer == null || peer.isClosing()) {
                return;
            }
            returnPending = false;
            nextReturnNanos = context.scheduler().nanoTime() + MIN_RETURN_INTERVAL.toNanos();
        }
        send(peer, false);
    }

    void close() {
        synchronized (this) {
            closed = true;
            announced = null;
            timer.cancel();
            withdrawalTimer.cancel();
            cancelReturn();
        }
        openQueries.forEach(PropagatedQuery::closeAsync);
    }
}

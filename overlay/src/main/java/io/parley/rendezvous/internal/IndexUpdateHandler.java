package io.parley.rendezvous.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.internal.Query;
import io.parley.resolver.internal.RemoteRateLimiter;
import io.parley.store.internal.PutOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the advertisements of clients and of other rendezvous to the index. The rate is checked first, because the
 * verification is expensive. Thread-safe.
 */
final class IndexUpdateHandler {

    private static final Logger log = LoggerFactory.getLogger(IndexUpdateHandler.class);

    /** The rate of all clients together, and of another rendezvous, as a multiple of the rate of one client. */
    private static final int TOTAL_RATE_FACTOR = 10;

    /** The results for the advertisements of one message. */
    private final class Batch {

        private final List<AdvertisementIndex.PutResult> results = new ArrayList<>();
        private int refused;
        private int outdated;
        private @Nullable ParleyException firstFault;

        private void add(byte[] document, PeerId sender, boolean local) {
            SignedAdvertisement signed;
            try {
                signed = context.verifier().verify(document);
                if (local) {
                    checkClient(sender, signed);
                }
            } catch (ParleyException e) {
                refuse(e, Counter.ADVERTISEMENTS_REJECTED);
                return;
            }
            try {
                AdvertisementIndex.PutResult result = index.put(signed, sender, local);
                results.add(result);
                Counter counter = counter(result.outcome());
                outdated += counter == Counter.ADVERTISEMENTS_OUTDATED ? 1 : 0;
                context.metrics().increment(counter);
            } catch (ParleyException e) {
                if (e.code() == ErrorCode.CLOSED) { // this peer closes: not a fault of the advertisement
                    throw e;
                }
                refuse(
                        e,
                        e.code() == ErrorCode.LIMIT_EXCEEDED
                                ? Counter.ADVERTISEMENTS_OVER_QUOTA
                                : Counter.ADVERTISEMENTS_REJECTED);
            }
        }

        private void refuse(ParleyException reason, Counter counter) {
            refused++;
            firstFault = firstFault == null ? reason : firstFault;
            context.metrics().increment(counter);
        }

        private Optional<Message> response() {
            return Optional.of(new PublishResponse(refused, firstFault).write());
        }
    }

    private final RateLimitedLogger refusalLog = new RateLimitedLogger(log);
    private final RateLimitedLogger throttleLog = new RateLimitedLogger(log);
    private final RateLimitedLogger replayLog = new RateLimitedLogger(log);
    private final RateLimitedLogger lateReplicaLog = new RateLimitedLogger(log);
    private final RendezvousContext context;
    private final LeaseRegistry leases;
    private final PeerView view;
    private final AdvertisementIndex index;
    private final Replicator replicator;
    private final RemoteRateLimiter clientRates;
    private final RemoteRateLimiter rendezvousRates;

    IndexUpdateHandler(
            RendezvousContext context,
            LeaseRegistry leases,
            PeerView view,
            AdvertisementIndex index,
            Replicator replicator) {
        this.context = context;
        this.leases = leases;
        this.view = view;
        this.index = index;
        this.replicator = replicator;
        long perSecond = context.limits().index().publicationsPerSecond();
        this.clientRates = context.rateLimiter(
                "advertisements",
                "publicationsPerSecond",
                perSecond,
                TOTAL_RATE_FACTOR * perSecond,
                context.limits().lease().maxClients() + 1);
        this.rendezvousRates = context.rateLimiter(
                "replicas",
                TOTAL_RATE_FACTOR + " times publicationsPerSecond",
                TOTAL_RATE_FACTOR * perSecond,
                TOTAL_RATE_FACTOR * TOTAL_RATE_FACTOR * perSecond,
                context.limits().peerView().maxRendezvous());
    }

    /** Handles a publication of a client. Responds after the replication, or after the timeout of one hop. */
    CompletionStage<Optional<Message>> onPublish(Query query) {
        PeerId client = query.from();
        if (!leases.holds(client)) {
            throw context.unauthorized("peer " + client + " has no lease here");
        }
        Batch batch = add(query, clientRates, true);
        return context.within(context.limits().hopTimeout(), replicate(batch.results))
                .handle((replicated, failure) -> batch.response());
    }

    /** Publishes the advertisements of this peer. Fails after the last one with the first fault, if there was one. */
    CompletableFuture<Void> publish(List<SignedAdvertisement> advertisements) {
        List<AdvertisementIndex.PutResult> results = new ArrayList<>();
        List<ParleyException> faults = new ArrayList<>();
        for (SignedAdvertisement signed : advertisements) {
            try {
                results.add(index.put(signed, context.self(), true));
            } catch (ParleyException e) {
                faults.add(e);
            }
        }
        CompletableFuture<Void> replicated = replicate(results);
        return faults.isEmpty()
                ? replicated
                : replicated.handle((done, failure) -> {
                    throw faults.get(0);
                });
    }

    private CompletableFuture<Void> replicate(List<AdvertisementIndex.PutResult> results) {
        return CompletableFuture.allOf(
                results.stream().map(replicator::replicate).toArray(CompletableFuture<?>[]::new));
    }

    /** Handles the replicas that another rendezvous sends. */
    CompletionStage<Optional<Message>> onReplicate(Query query) {
        if (!view.contains(query.from())) {
            throw context.unauthorized("peer " + query.from() + " is not in the peer view");
        }
        return CompletableFuture.completedFuture(
                add(query, rendezvousRates, false).response());
    }

    private Batch add(Query query, RemoteRateLimiter rates, boolean local) {
        List<byte[]> documents = PublishResponse.documents(query.body());
        Optional<RemoteRateLimiter.Refusal> refusal = rates.acquire(query.from(), documents.size());
        if (refusal.isPresent()) {
            context.metrics().add(Counter.ADVERTISEMENTS_THROTTLED, documents.size());
            throttleLog.warn(
                    "Refused {} advertisements of peer {} before verification: {}",
                    documents.size(),
                    query.from(),
                    refusal.get().text());
            throw ErrorCode.BUSY.exception(refusal.get().text());
        }
        Batch batch = new Batch();
        documents.forEach(document -> batch.add(document, query.from(), local));
        if (batch.firstFault != null) {
            refusalLog.warn(
                    "Refused {} advertisements of peer {}: {}",
                    batch.refused,
                    query.from(),
                    batch.firstFault.getMessage());
        }
        if (batch.outdated > 0) {
            logOutdated(batch.outdated, query.from(), local);
        }
        return batch;
    }

    private static Counter counter(PutOutcome outcome) {
        return switch (outcome) {
            case ADDED, REPLACED, UNCHANGED -> Counter.ADVERTISEMENTS_STORED;
            case STALE, EXPIRED -> Counter.ADVERTISEMENTS_OUTDATED;
            case FULL -> Counter.ADVERTISEMENTS_OVER_QUOTA;
        };
    }

    /**
     * Logs outdated advertisements. A client sends only what it has signed itself, so an older version is a replay or its
     * clock was set back: that is a warning. Another rendezvous may not know yet that a client has published a newer version
     * elsewhere: that is none. Nothing else follows, because the index keeps the newer version.
     */
    private void logOutdated(int count, PeerId sender, boolean local) {
        if (local) {
            replayLog.warn("Ignored {} advertisements of peer {}: older than those in the index", count, sender);
        } else {
            lateReplicaLog.info(
                    "Ignored {} advertisements from rendezvous {}: older than those in the index", count, sender);
        }
    }

    private void checkClient(PeerId client, SignedAdvertisement signed) {
        if (!signed.publisher().equals(client)) {
            throw ErrorCode.IDENTITY_REFUSED.exception("advertisement: published by " + signed.publisher()
                    + " (expected: the client that sends it, " + client + ")");
        }
        if (!leases.allows(client, signed.group())) {
            throw context.unauthorized("peer " + client + " has no lease here for group " + signed.group());
        }
    }
}

package io.parley.rendezvous.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.internal.KeyedRateLimiter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.internal.Query;
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
 * Where clients and other rendezvous bring advertisements to the index. How many come is looked at first, as to verify them is
 * what costs. Thread-safe.
 */
final class IndexUpdateHandler {

    private static final Logger log = LoggerFactory.getLogger(IndexUpdateHandler.class);

    /** All clients together may publish that many times as much as one; so may another rendezvous. */
    private static final int MANY = 10;

    /** What is taken of one message. */
    private final class Batch {

        private final List<AdvertisementIndex.PutResult> taken = new ArrayList<>();
        private int refused;
        private int outdated;
        private @Nullable ParleyException fault;

        private void take(byte[] document, PeerId bringer, boolean home) {
            SignedAdvertisement signed;
            try {
                signed = overlay.verifier().verify(document);
                if (home) {
                    checkClient(bringer, signed);
                }
            } catch (ParleyException e) {
                refuse(e, Counter.ADVERTISEMENTS_REJECTED);
                return;
            }
            try {
                AdvertisementIndex.PutResult put = index.put(signed, bringer, home);
                taken.add(put);
                Counter counter = counter(put.outcome());
                outdated += counter == Counter.ADVERTISEMENTS_OUTDATED ? 1 : 0;
                overlay.metrics().increment(counter);
            } catch (ParleyException e) {
                refuse(
                        e,
                        e.code() == ErrorCode.LIMIT_EXCEEDED
                                ? Counter.ADVERTISEMENTS_OVER_QUOTA
                                : Counter.ADVERTISEMENTS_REJECTED);
            }
        }

        private void refuse(ParleyException reason, Counter counter) {
            refused++;
            fault = fault == null ? reason : fault;
            overlay.metrics().increment(counter);
        }

        private Optional<Message> reply() {
            return Optional.of(new PublishResponse(refused, fault).write());
        }
    }

    private final RateLimitedLogger complaints = new RateLimitedLogger(log);
    private final RateLimitedLogger floods = new RateLimitedLogger(log);
    private final RateLimitedLogger replays = new RateLimitedLogger(log);
    private final RateLimitedLogger lateReplicas = new RateLimitedLogger(log);
    private final RendezvousContext overlay;
    private final LeaseRegistry leases;
    private final PeerView view;
    private final AdvertisementIndex index;
    private final Replicator replication;
    private final KeyedRateLimiter<PeerId> clientRates;
    private final KeyedRateLimiter<PeerId> memberRates;

    IndexUpdateHandler(
            RendezvousContext overlay,
            LeaseRegistry leases,
            PeerView view,
            AdvertisementIndex index,
            Replicator replication) {
        this.overlay = overlay;
        this.leases = leases;
        this.view = view;
        this.index = index;
        this.replication = replication;
        long perSecond = overlay.limits().index().publicationsPerSecond();
        this.clientRates = new KeyedRateLimiter<>(
                perSecond, MANY * perSecond, overlay.limits().lease().maxClients() + 1, overlay.scheduler());
        this.memberRates = new KeyedRateLimiter<>(
                MANY * perSecond,
                MANY * MANY * perSecond,
                overlay.limits().peerView().maxRendezvous(),
                overlay.scheduler());
    }

    /** A client publishes. It has its answer when others have it as well, or after the time that is given to them. */
    CompletionStage<Optional<Message>> onPublish(Query query) {
        PeerId client = query.from();
        if (!leases.holds(client)) {
            throw overlay.stranger("peer " + client + " has no lease here");
        }
        Batch batch = take(query, clientRates, true);
        return overlay.within(overlay.limits().hopTimeout(), spread(batch.taken))
                .handle((spread, failure) -> batch.reply());
    }

    /** What this peer itself publishes. */
    CompletableFuture<Void> publish(List<SignedAdvertisement> advertisements) {
        List<AdvertisementIndex.PutResult> taken = new ArrayList<>();
        try {
            advertisements.forEach(signed -> taken.add(index.put(signed, overlay.self(), true)));
        } catch (ParleyException e) {
            return spread(taken).handle((spread, failure) -> {
                throw e;
            });
        }
        return spread(taken);
    }

    private CompletableFuture<Void> spread(List<AdvertisementIndex.PutResult> entries) {
        return CompletableFuture.allOf(entries.stream().map(replication::spread).toArray(CompletableFuture<?>[]::new));
    }

    /** Another rendezvous has what this one shall have as well. */
    CompletionStage<Optional<Message>> onReplicate(Query query) {
        if (!view.contains(query.from())) {
            throw overlay.stranger("peer " + query.from() + " is not known as a rendezvous");
        }
        return CompletableFuture.completedFuture(take(query, memberRates, false).reply());
    }

    private Batch take(Query query, KeyedRateLimiter<PeerId> rates, boolean home) {
        List<byte[]> documents = PublishResponse.documents(query.body());
        if (!rates.tryAcquire(query.from(), documents.size())) {
            overlay.metrics().add(Counter.ADVERTISEMENTS_THROTTLED, documents.size());
            floods.warn(
                    "Refused {} advertisements of peer {} unseen: too many at a time", documents.size(), query.from());
            throw ErrorCode.BUSY.exception("more advertisements than the rate allows");
        }
        Batch batch = new Batch();
        documents.forEach(document -> batch.take(document, query.from(), home));
        if (batch.fault != null) {
            complaints.warn(
                    "Refused {} advertisements of peer {}: {}", batch.refused, query.from(), batch.fault.getMessage());
        }
        if (batch.outdated > 0) {
            tellOutdated(batch.outdated, query.from(), home);
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
     * A client brings only what it has signed itself, so an older one is played back, or its clock was set back: a warning.
     * Another rendezvous may not know yet that a client has published a newer one elsewhere, so that is none. Nothing else
     * comes of it, as what is there stays.
     */
    private void tellOutdated(int count, PeerId bringer, boolean home) {
        if (home) {
            replays.warn("Did not take {} advertisements of peer {}: older than what is in the index", count, bringer);
        } else {
            lateReplicas.info(
                    "Did not take {} advertisements from rendezvous {}: older than what is in the index",
                    count,
                    bringer);
        }
    }

    private void checkClient(PeerId client, SignedAdvertisement signed) {
        if (!signed.publisher().equals(client)) {
            throw ErrorCode.IDENTITY_REFUSED.exception("advertisement: published by " + signed.publisher()
                    + " (expected: the client that brings it, " + client + ")");
        }
        if (!leases.allows(client, signed.group())) {
            throw overlay.stranger("peer " + client + " has no lease here for group " + signed.group());
        }
    }
}

package io.parley.rendezvous.internal;

import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.store.internal.StoreEntry;
import io.parley.store.internal.StoreKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of replicas for one other rendezvous. Sends them in batches, one batch at a time. Each version of a peer advertisement,
 * which accompanies all entries of its peer, is sent once. Thread-safe.
 */
final class ReplicationQueue {

    private static final int MAX_PENDING = 20_000;
    private static final long MAX_PENDING_BYTES = 16 << 20;

    /** The maximum number of peer advertisements that are not sent again; beyond it, the one that was used the longest time ago is. */
    private static final int MAX_PUBLISHERS = 10_000;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record PendingAdvertisement(byte[] document, CompletableFuture<Void> done) {}

    private final RendezvousContext context;
    private final PeerId receiver;
    private final Deque<PendingAdvertisement> pending = new ArrayDeque<>();
    private final Map<StoreKey, Long> publishers = new LinkedHashMap<>(16, 0.75f, true);
    private long pendingBytes;
    private boolean sending;
    private boolean closed;

    ReplicationQueue(RendezvousContext context, PeerId receiver) {
        this.context = context;
        this.receiver = receiver;
    }

    /** Sends a replica. The future completes when the receiver has stored or refused it, and fails if it got no response. */
    CompletableFuture<Void> send(byte[] document) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(RendezvousContext.closedException());
            }
            if (pending.size() >= MAX_PENDING || pendingBytes + document.length > MAX_PENDING_BYTES) {
                return CompletableFuture.failedFuture(ErrorCode.QUEUE_FULL.exception("replicas for rendezvous "
                        + receiver
                        + ": " + pending.size() + " pending in " + pendingBytes + " bytes (expected: <= " + MAX_PENDING
                        + " in " + MAX_PENDING_BYTES + " bytes)"));
            }
            pending.add(new PendingAdvertisement(document, done));
            pendingBytes += document.length;
        }
        sendNext();
        return done;
    }

    /**
     * Sends the peer advertisement of the publisher of entries that follow, unless this queue has sent that version.
     *
     * @return a future that completes at once if it is not sent
     */
    CompletableFuture<Void> sendPublisher(StoreEntry publisher) {
        synchronized (this) {
            if (Objects.equals(publishers.get(publisher.key()), publisher.issuedMillis())) {
                return CompletableFuture.completedFuture(null);
            }
            publishers.put(publisher.key(), publisher.issuedMillis());
            if (publishers.size() > MAX_PUBLISHERS) {
                publishers.remove(publishers.keySet().iterator().next());
            }
        }
        CompletableFuture<Void> done = send(publisher.document());
        return done.whenComplete((stored, failure) -> {
            if (failure != null) {
                forget(publisher);
            }
        });
    }

    private synchronized void forget(StoreEntry publisher) {
        publishers.remove(publisher.key(), publisher.issuedMillis());
    }

    private void sendNext() {
        List<PendingAdvertisement> batch = new ArrayList<>();
        synchronized (this) {
            if (sending || pending.isEmpty()) {
                return;
            }
            sending = true;
            long bytes = 0;
            while (!pending.isEmpty() && batch.size() < PublishResponse.MAX_DOCUMENTS) {
                bytes += pending.getFirst().document().length;
                if (bytes > PublishResponse.MAX_BYTES && !batch.isEmpty()) {
                    break;
                }
                batch.add(pending.removeFirst());
            }
            batch.forEach(advertisement -> pendingBytes -= advertisement.document().length);
        }
        context.query(
                        receiver,
                        RendezvousContext.REPLICATE,
                        PublishResponse.request(batch.stream()
                                .map(PendingAdvertisement::document)
                                .toList()),
                        context.limits().hopTimeout())
                .thenApply(PublishResponse::read)
                .whenComplete((response, failure) -> {
                    complete(batch, failure);
                    synchronized (this) {
                        if (failure != null) {
                            publishers.clear(); // the receiver may have restarted without an index
                        }
                        sending = false;
                    }
                    context.execute(this::sendNext);
                });
    }

    private void complete(List<PendingAdvertisement> batch, @Nullable Throwable failure) {
        if (failure == null) {
            context.metrics().add(Counter.ADVERTISEMENTS_REPLICATED, batch.size());
            batch.forEach(advertisement -> advertisement.done().complete(null));
        } else {
            Throwable cause = Throwables.unwrap(failure);
            batch.forEach(advertisement -> advertisement.done().completeExceptionally(cause));
        }
    }

    /** Fails the pending replicas. */
    void close() {
        List<PendingAdvertisement> remaining;
        synchronized (this) {
            closed = true;
            remaining = List.copyOf(pending);
            pending.clear();
        }
        remaining.forEach(
                advertisement -> advertisement.done().completeExceptionally(RendezvousContext.closedException()));
    }
}

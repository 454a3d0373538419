package io.parley.rendezvous.internal;

import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Advertisements on their way to one other rendezvous: in batches, one at a time, and bounded. Thread-safe. */
final class ReplicationQueue {

    private static final int MAX_WAITING = 20_000;
    private static final long MAX_WAITING_BYTES = 16 << 20;

    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    private record PendingAdvertisement(byte[] document, CompletableFuture<Void> done) {}

    private final RendezvousContext overlay;
    private final PeerId member;
    private final Deque<PendingAdvertisement> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private boolean sending;
    private boolean closed;

    ReplicationQueue(RendezvousContext overlay, PeerId member) {
        this.overlay = overlay;
        this.member = member;
    }

    /** Completes when the other rendezvous has taken it, or refused it; fails when it has not heard of it. */
    CompletableFuture<Void> send(byte[] document) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(closedException());
            }
            if (waiting.size() >= MAX_WAITING || waitingBytes + document.length > MAX_WAITING_BYTES) {
                return CompletableFuture.failedFuture(
                        ErrorCode.QUEUE_FULL.exception("rendezvous " + member + " is too slow"));
            }
            waiting.add(new PendingAdvertisement(document, done));
            waitingBytes += document.length;
        }
        pump();
        return done;
    }

    private void pump() {
        List<PendingAdvertisement> batch = new ArrayList<>();
        synchronized (this) {
            if (sending || waiting.isEmpty()) {
                return;
            }
            sending = true;
            long bytes = 0;
            while (!waiting.isEmpty() && batch.size() < PublishResponse.MAX_DOCUMENTS) {
                bytes += waiting.getFirst().document().length;
                if (bytes > PublishResponse.MAX_BYTES && !batch.isEmpty()) {
                    break;
                }
                batch.add(waiting.removeFirst());
            }
            batch.forEach(one -> waitingBytes -= one.document().length);
        }
        overlay.ask(
                        member,
                        RendezvousContext.REPLICATE,
                        PublishResponse.question(batch.stream()
                                .map(PendingAdvertisement::document)
                                .toList()),
                        overlay.limits().hopTimeout())
                .thenApply(PublishResponse::read)
                .whenComplete((reply, failure) -> {
                    settle(batch, failure);
                    synchronized (this) {
                        sending = false;
                    }
                    overlay.execute(this::pump);
                });
    }

    private void settle(List<PendingAdvertisement> batch, @Nullable Throwable failure) {
        if (failure == null) {
            overlay.metrics().add(Counter.ADVERTISEMENTS_REPLICATED, batch.size());
            batch.forEach(one -> one.done().complete(null));
        } else {
            Throwable cause = Throwables.unwrap(failure);
            batch.forEach(one -> one.done().completeExceptionally(cause));
        }
    }

    /** Fails what waits. */
    void close() {
        List<PendingAdvertisement> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(waiting);
            waiting.clear();
        }
        left.forEach(one -> one.done().completeExceptionally(closedException()));
    }

    private static RuntimeException closedException() {
        return ErrorCode.CLOSED.exception("the rendezvous service is closed");
    }
}

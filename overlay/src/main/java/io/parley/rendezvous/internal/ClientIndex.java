package io.parley.rendezvous.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.Scheduler;
import io.parley.discovery.internal.IndexPage;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The index of a client: sends its requests to the rendezvous of the lease. Thread-safe. */
final class ClientIndex extends AbstractRemoteIndex {

    /** The delay before a request is repeated that the rendezvous refused with {@code BUSY}. */
    private static final Duration BUSY_DELAY = Duration.ofSeconds(1);

    private static final int MAX_BUSY_RETRIES = 120;

    /** The delay of a publication that waits for a busy rendezvous. */
    private static final class RetryDelay {

        private final CompletableFuture<Void> over = new CompletableFuture<>();
    }

    private final RendezvousContext context;
    private final LeaseClient leaseClient;
    private final Set<RetryDelay> retryDelays = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    ClientIndex(RendezvousContext context, LeaseClient leaseClient) {
        this.context = context;
        this.leaseClient = leaseClient;
    }

    @Override
    public boolean isAvailable() {
        return leaseClient.rendezvous().isPresent();
    }

    @Override
    public Optional<PeerId> rendezvous() {
        return leaseClient.rendezvous();
    }

    @Override
    CompletableFuture<Void> doPublish(GroupId group, List<SignedAdvertisement> advertisements) {
        if (!isAvailable()) {
            return unreachable();
        }
        Iterator<List<byte[]>> batches = batches(advertisements).iterator();
        return whenAcknowledged(group, context.limits().requestTimeout())
                .thenCompose(acknowledged -> send(rendezvous -> publish(rendezvous, batches, null)));
    }

    /** Publishes one batch after the other. Fails after the last one with the first fault, if there was one. */
    private CompletableFuture<Void> publish(
            PeerId rendezvous, Iterator<List<byte[]>> batches, @Nullable ParleyException fault) {
        if (!batches.hasNext()) {
            return fault == null ? CompletableFuture.completedFuture(null) : CompletableFuture.failedFuture(fault);
        }
        return publish(rendezvous, batches.next(), MAX_BUSY_RETRIES)
                .thenComposeAsync(
                        response -> publish(rendezvous, batches, fault == null ? response.fault() : fault),
                        context.executor());
    }

    private CompletableFuture<PublishResponse> publish(PeerId rendezvous, List<byte[]> batch, int retries) {
        return context.query(
                        rendezvous,
                        RendezvousContext.PUBLISH,
                        PublishResponse.request(batch),
                        context.limits().requestTimeout())
                .thenApply(PublishResponse::read)
                .exceptionallyCompose(failure -> {
                    boolean retry = retries > 0
                            && RendezvousContext.isBusy(failure)
                            && leaseClient
                                    .rendezvous()
                                    .filter(rendezvous::equals)
                                    .isPresent();
                    return retry
                            ? retryDelay().thenCompose(over -> publish(rendezvous, batch, retries - 1))
                            : CompletableFuture.failedFuture(failure);
                });
    }

    private CompletableFuture<Void> retryDelay() {
        RetryDelay delay = new RetryDelay();
        Scheduler.Timer timer =
                context.scheduler().schedule(BUSY_DELAY, () -> context.execute(() -> delay.over.complete(null)));
        retryDelays.add(delay);
        delay.over.whenComplete((over, failure) -> {
            retryDelays.remove(delay);
            timer.cancel();
        });
        if (closed) {
            delay.over.completeExceptionally(RendezvousContext.closedException());
        }
        return delay.over;
    }

    /** Fails the publications that wait for a retry. */
    void close() {
        closed = true;
        retryDelays.forEach(delay -> delay.over.completeExceptionally(RendezvousContext.closedException()));
    }

    private static List<List<byte[]>> batches(List<SignedAdvertisement> advertisements) {
        List<List<byte[]>> batches = new ArrayList<>();
        List<byte[]> batch = new ArrayList<>();
        long bytes = 0;
        for (SignedAdvertisement advertisement : advertisements) {
            bytes += advertisement.size();
            if (!batch.isEmpty()
                    && (batch.size() == PublishResponse.MAX_DOCUMENTS || bytes > PublishResponse.MAX_BYTES)) {
                batches.add(batch);
                batch = new ArrayList<>();
                bytes = advertisement.size();
            }
            batch.add(advertisement.toByteArray());
        }
        if (!batch.isEmpty()) {
            batches.add(batch);
        }
        return batches;
    }

    @Override
    CompletableFuture<IndexPage> doFind(IndexSearchRequest request) {
        if (!isAvailable()) {
            return unreachable();
        }
        return whenAcknowledged(request.group(), request.timeout())
                .thenCompose(acknowledged -> send(rendezvous ->
                        context.query(rendezvous, RendezvousContext.FIND, request.write(), request.timeout())))
                .thenApply(IndexSearchResponse::read)
                .thenApply(response -> page(response, request.offset(), response.hops()));
    }

    /** Waits until the rendezvous knows that this peer is in the group, which may have been joined just now. */
    private CompletableFuture<Void> whenAcknowledged(GroupId group, Duration timeout) {
        CompletableFuture<Void> acknowledged = leaseClient.whenAcknowledged(group);
        return acknowledged.isDone() ? acknowledged : context.within(timeout, acknowledged);
    }

    /** Sends a request to the present rendezvous, which may be another one than before a wait. */
    private <T> CompletableFuture<T> send(Function<PeerId, CompletableFuture<T>> request) {
        return leaseClient.rendezvous().map(request).orElseGet(ClientIndex::unreachable);
    }

    private static <T> CompletableFuture<T> unreachable() {
        return CompletableFuture.failedFuture(RendezvousContext.offlineException());
    }
}

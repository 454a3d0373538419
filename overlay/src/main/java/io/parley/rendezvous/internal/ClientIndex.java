package io.parley.rendezvous.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.internal.IndexPage;
import io.parley.discovery.internal.RemoteIndex;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The index as a client has it: through its rendezvous. Thread-safe. */
final class ClientIndex implements RemoteIndex {

    /** A rendezvous that has too much to do is asked again after that; so often. */
    private static final Duration BUSY_PAUSE = Duration.ofSeconds(1);

    private static final int MAX_BUSY = 120;

    /** Of a publication whose rendezvous has too much to do. */
    private static final class RetryDelay {

        private final CompletableFuture<Void> over = new CompletableFuture<>();
    }

    private final RendezvousContext overlay;
    private final LeaseClient keeper;
    private final AvailabilityNotifier availability;
    private final Set<RetryDelay> pauses = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    ClientIndex(RendezvousContext overlay, LeaseClient keeper, AvailabilityNotifier availability) {
        this.overlay = overlay;
        this.keeper = keeper;
        this.availability = availability;
    }

    @Override
    public boolean isAvailable() {
        return availability.isAvailable();
    }

    @Override
    public Optional<PeerId> rendezvous() {
        return keeper.rendezvous();
    }

    @Override
    public AsyncCloseable onAvailable(Runnable task) {
        return availability.whenAvailable(task);
    }

    @Override
    public CompletableFuture<Void> publish(GroupId group, List<SignedAdvertisement> advertisements) {
        IndexArguments.group(group, advertisements);
        PeerId rendezvous = keeper.rendezvous().orElse(null);
        if (rendezvous == null) {
            return none();
        }
        Iterator<List<byte[]>> batches = batches(advertisements).iterator();
        return acknowledged(group, overlay.limits().requestTimeout())
                .thenCompose(known -> publish(rendezvous, batches, null));
    }

    /** One batch after the other; fails in the end with the first reason why something was refused. */
    private CompletableFuture<Void> publish(
            PeerId rendezvous, Iterator<List<byte[]>> batches, @Nullable ParleyException fault) {
        if (!batches.hasNext()) {
            return fault == null ? CompletableFuture.completedFuture(null) : CompletableFuture.failedFuture(fault);
        }
        return publish(rendezvous, batches.next(), MAX_BUSY)
                .thenComposeAsync(
                        reply -> publish(rendezvous, batches, fault == null ? reply.fault() : fault),
                        overlay.executor());
    }

    private CompletableFuture<PublishResponse> publish(PeerId rendezvous, List<byte[]> batch, int attempts) {
        return overlay.ask(
                        rendezvous,
                        RendezvousContext.PUBLISH,
                        PublishResponse.question(batch),
                        overlay.limits().requestTimeout())
                .thenApply(PublishResponse::read)
                .exceptionallyCompose(failure -> {
                    boolean again = attempts > 0
                            && RendezvousContext.isBusy(failure)
                            && keeper.rendezvous().filter(rendezvous::equals).isPresent();
                    return again
                            ? pause().thenCompose(rested -> publish(rendezvous, batch, attempts - 1))
                            : CompletableFuture.failedFuture(failure);
                });
    }

    private CompletableFuture<Void> pause() {
        RetryDelay pause = new RetryDelay();
        Scheduler.Timer timer =
                overlay.scheduler().schedule(BUSY_PAUSE, () -> overlay.execute(() -> pause.over.complete(null)));
        pauses.add(pause);
        pause.over.whenComplete((over, failure) -> {
            pauses.remove(pause);
            timer.cancel();
        });
        if (closed) {
            pause.over.completeExceptionally(closedException());
        }
        return pause.over;
    }

    /** Ends what waits. */
    void close() {
        closed = true;
        pauses.forEach(pause -> pause.over.completeExceptionally(closedException()));
    }

    private static RuntimeException closedException() {
        return ErrorCode.CLOSED.exception("the rendezvous service is closed");
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
    public CompletableFuture<IndexPage> find(
            GroupId group, DiscoveryQuery query, int offset, int limit, Duration timeout) {
        IndexArguments.page(offset, limit);
        PeerId rendezvous = keeper.rendezvous().orElse(null);
        if (rendezvous == null) {
            return none();
        }
        IndexSearchRequest request = new IndexSearchRequest(group, query, offset, limit, false, timeout);
        return acknowledged(group, timeout)
                .thenCompose(known -> overlay.ask(rendezvous, RendezvousContext.FIND, request.write(), timeout))
                .thenApply(IndexSearchResponse::read)
                .thenApply(reply -> page(reply, offset, reply.hops()));
    }

    static IndexPage page(IndexSearchResponse reply, int offset, int hops) {
        List<byte[]> documents = new ArrayList<>(reply.found().documents());
        documents.addAll(reply.found().peers());
        int next = offset + reply.found().documents().size();
        boolean more = reply.found().more() && next > offset;
        return new IndexPage(documents, more ? OptionalInt.of(next) : OptionalInt.empty(), hops);
    }

    /** A group that was joined just now may not be known to the rendezvous yet. */
    private CompletableFuture<Void> acknowledged(GroupId group, Duration timeout) {
        CompletableFuture<Void> joined = keeper.acknowledgement(group);
        return joined.isDone() ? joined : overlay.within(timeout, joined);
    }

    private static <T> CompletableFuture<T> none() {
        return CompletableFuture.failedFuture(ErrorCode.UNREACHABLE.exception("there is no rendezvous at the moment"));
    }
}

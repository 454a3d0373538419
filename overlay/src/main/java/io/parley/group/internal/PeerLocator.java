package io.parley.group.internal;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.Discovery;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.endpoint.Endpoint;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Connects to group members whose address is known, and meanwhile finds the addresses of others by their own peer advertisements: a known
 * address may be out of date, and a search takes seconds if no peer has the advertisement. Thread-safe.
 */
final class PeerLocator {

    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final Endpoint endpoint;
    private final Discovery discovery;
    private final Executor executor;

    /** @param executor runs searches, which may wait for the disk */
    PeerLocator(Endpoint endpoint, Discovery discovery, Executor executor) {
        this.endpoint = endpoint;
        this.discovery = discovery;
        this.executor = executor;
    }

    /** Returns the future of {@link io.parley.group.PeerGroup#locate}. */
    CompletableFuture<Void> locate(PeerId peer) {
        if (peer.equals(endpoint.peerId()) || endpoint.isConnected(peer)) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> result = new CompletableFuture<>();
        CompletableFuture<Void> connection = endpoint.connect(peer); // fails at once if no address is known
        connection.thenRun(() -> complete(result));
        search(peer).whenComplete((found, failure) -> {
            if (failure == null) {
                result.complete(null);
            } else {
                connection.exceptionally(unreachable -> {
                    result.completeExceptionally(failure);
                    return null;
                });
            }
        });
        return result;
    }

    /** Completes the result on the executor, because dependent stages must not run on the event loop. */
    private void complete(CompletableFuture<Void> result) {
        try {
            executor.execute(() -> result.complete(null));
        } catch (RuntimeException | Error e) { // an error too: the result would never be complete
            result.completeExceptionally(rejected(e));
        }
    }

    private CompletableFuture<Void> search(PeerId peer) {
        DiscoveryQuery query = DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME)
                .with("PID", AdvertisementId.of(peer).urn());
        return search(query)
                .thenCompose(searching -> searching)
                .thenAccept(
                        found -> { // the discovery has passed the address to the endpoint
                            if (found.isEmpty()) {
                                throw ErrorCode.UNREACHABLE.exception("peer " + peer
                                        + ": no address found in this group; the peer is not a member, or is offline");
                            }
                        });
    }

    private CompletableFuture<CompletableFuture<List<SignedAdvertisement>>> search(DiscoveryQuery query) {
        try {
            return CompletableFuture.supplyAsync(() -> discovery.find(query, SearchOptions.of(TIMEOUT, 1)), executor);
        } catch (RuntimeException | Error e) { // such as a thread that cannot be created
            return CompletableFuture.failedFuture(rejected(e));
        }
    }

    private static ParleyException rejected(Throwable cause) {
        return cause instanceof RejectedExecutionException
                ? ErrorCode.CLOSED.exception("the peer is closed", cause)
                : ErrorCode.BUSY.exception("the executor of the peer rejected the search", cause);
    }
}

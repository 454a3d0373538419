package io.parley.group.internal;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.Discovery;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.endpoint.Endpoint;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Finds the addresses of group members, by their own peer advertisements. Thread-safe. */
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
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(ErrorCode.CLOSED.exception("the peer is closed", e));
        }
    }
}

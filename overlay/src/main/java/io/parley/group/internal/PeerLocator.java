package io.parley.group.internal;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.discovery.Discovery;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.endpoint.Endpoint;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Finds out where members can be reached, by their own advertisements. */
final class PeerLocator {

    private static final Duration DEADLINE = Duration.ofSeconds(3);

    private final Endpoint endpoint;
    private final Discovery discovery;
    private final Executor executor;

    PeerLocator(Endpoint endpoint, Discovery discovery, Executor executor) {
        this.endpoint = endpoint;
        this.discovery = discovery;
        this.executor = executor;
    }

    CompletableFuture<Void> locate(PeerId peer) {
        if (peer.equals(endpoint.peerId()) || endpoint.connectedPeers().contains(peer)) {
            return CompletableFuture.completedFuture(null);
        }
        DiscoveryQuery query = DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME)
                .with("PID", AdvertisementId.of(peer).urn());
        return CompletableFuture.supplyAsync(() -> discovery.find(query, SearchOptions.of(DEADLINE, 1)), executor)
                .thenCompose(found -> found)
                .thenAccept(
                        found -> { // which the endpoint has learned by now
                            if (found.isEmpty()) {
                                throw ErrorCode.UNREACHABLE.exception(
                                        "peer " + peer + ": nobody asked knows an address of it");
                            }
                        });
    }
}

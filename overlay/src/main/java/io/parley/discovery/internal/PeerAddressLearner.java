package io.parley.discovery.internal;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.RouteAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.endpoint.Endpoint;
import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Adds addresses from peer advertisements to the endpoint. */
final class PeerAddressLearner {

    private static final Logger log = LoggerFactory.getLogger(PeerAddressLearner.class);

    private final Endpoint endpoint;
    private final DiscoveryMetrics metrics;

    PeerAddressLearner(Endpoint endpoint, DiscoveryMetrics metrics) {
        this.endpoint = endpoint;
        this.metrics = metrics;
    }

    boolean isConnected(PeerId peer) {
        return endpoint.isConnected(peer);
    }

    /** Adds the usable addresses of a peer advertisement; ignores other advertisements. */
    void add(SignedAdvertisement verified) {
        if (!(verified.advertisement() instanceof PeerAdvertisement peer)) {
            return;
        }
        List<EndpointAddress> addresses = addresses(verified.publisher(), peer);
        if (!addresses.isEmpty()) {
            metrics.increment(Counter.ADDRESSES_LEARNED);
            endpoint.addPeerAddress(new PeerAddress(verified.publisher(), addresses));
        }
    }

    private static List<EndpointAddress> addresses(PeerId publisher, PeerAdvertisement peer) {
        try {
            return peer.route()
                    .filter(route -> route.destination().equals(AdvertisementId.of(publisher)))
                    .map(RouteAdvertisement::endpointAddresses)
                    .orElse(List.of());
        } catch (RuntimeException e) {
            log.debug("Ignored malformed route in the peer advertisement of {}: {}", publisher, e.getMessage());
            return List.of();
        }
    }
}

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
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the endpoint where peers are, by what they advertise of themselves. */
final class PeerAddressLearner {

    private static final Logger log = LoggerFactory.getLogger(PeerAddressLearner.class);

    private final Endpoint endpoint;
    private final DiscoveryMetrics metrics;

    PeerAddressLearner(Endpoint endpoint, DiscoveryMetrics metrics) {
        this.endpoint = endpoint;
        this.metrics = metrics;
    }

    boolean isConnected(PeerId peer) {
        return endpoint.connectedPeers().contains(peer);
    }

    /** Learns the addresses in it that can be used, if it is a peer's advertisement of itself. */
    void learn(SignedAdvertisement verified) {
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
            return peer
                    .route()
                    .filter(route -> route.destination().equals(AdvertisementId.of(publisher)))
                    .map(RouteAdvertisement::addresses)
                    .orElse(List.of())
                    .stream()
                    .flatMap(PeerAddressLearner::address)
                    .limit(PeerAddress.MAX_ADDRESSES)
                    .toList();
        } catch (RuntimeException e) {
            log.debug("No route in what peer {} says of itself: {}", publisher, e.getMessage());
            return List.of();
        }
    }

    /** A stranger's text: none when it can't be used. */
    private static Stream<EndpointAddress> address(String text) {
        try {
            return Stream.of(EndpointAddress.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.<EndpointAddress>empty().stream();
        }
    }
}

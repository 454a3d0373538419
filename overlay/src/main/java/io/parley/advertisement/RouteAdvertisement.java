package io.parley.advertisement;

import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A route to a peer ({@code jxta:RA}), found by {@code DstPID}. Only that peer may publish it: it knows its addresses and
 * relays, and no other peer can redirect its messages.
 *
 * @param destination the peer
 * @param addresses its own addresses, the best first; empty if it is reachable only through the hops
 * @param hops the relays in forwarding order, the hop nearest to the reader first
 */
public record RouteAdvertisement(AdvertisementId destination, List<String> addresses, List<AccessPoint> hops)
        implements Advertisement {
    static final AdvertisementType<RouteAdvertisement> TYPE = AdvertisementType.of(
            "jxta:RA", RouteAdvertisement.class, RouteAdvertisement::read, RouteAdvertisement::document);

    /** Copies the lists. Fails with IllegalArgumentException if an address is empty or a hop has no peer id. */
    public RouteAdvertisement {
        Objects.requireNonNull(destination, "destination");
        addresses = new AccessPoint(null, addresses).addresses();
        hops = List.copyOf(hops);
        for (AccessPoint hop : hops) {
            if (hop.peerId() == null) {
                throw new IllegalArgumentException("Hops: a hop has no PID (expected: a peer id in each hop)");
            }
        }
    }

    /** Returns a direct route to a Parley peer. */
    public static RouteAdvertisement of(PeerId destination, List<String> addresses) {
        return new RouteAdvertisement(AdvertisementId.of(destination), addresses, List.of());
    }

    /** Returns the addresses that this version can parse, in their order, at most {@link PeerAddress#MAX_ADDRESSES}. */
    public List<EndpointAddress> endpointAddresses() {
        List<EndpointAddress> usable = new ArrayList<>();
        for (String text : addresses) {
            if (usable.size() == PeerAddress.MAX_ADDRESSES) {
                break;
            }
            try {
                usable.add(EndpointAddress.parse(text));
            } catch (IllegalArgumentException e) {
                // ignored: it may be an address of a later version
            }
        }
        return usable;
    }

    @Override
    public String type() {
        return TYPE.name();
    }

    @Override
    public String key() {
        return destination.urn();
    }

    @Override
    public Optional<AdvertisementId> publisher() {
        return Optional.of(destination);
    }

    @Override
    public List<AdvertisementAttribute> attributes() {
        return new AttributeCollector().add("DstPID", destination).list();
    }

    static RouteAdvertisement read(XmlElement document) {
        List<AccessPoint> destinations =
                AccessPoint.readAll(document.child("Dst").orElse(null));
        return new RouteAdvertisement(
                document.requireId("DstPID"),
                destinations.isEmpty() ? List.of() : destinations.get(0).addresses(),
                AccessPoint.readAll(document.child("Hops").orElse(null)));
    }

    XmlElement document() {
        XmlElement.Builder element = XmlElement.builder(TYPE.name())
                .add("DstPID", destination)
                .add(XmlElement.of("Dst", new AccessPoint(null, addresses).document()));
        return element.add(hopsOrNull()).build();
    }

    private @Nullable XmlElement hopsOrNull() {
        if (hops.isEmpty()) {
            return null;
        }
        XmlElement.Builder element = XmlElement.builder("Hops");
        hops.forEach(hop -> element.add(hop.document()));
        return element.build();
    }
}

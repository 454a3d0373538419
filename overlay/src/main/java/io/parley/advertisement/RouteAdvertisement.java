package io.parley.advertisement;

import io.parley.id.PeerId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a peer can be reached ({@code jxta:RA}), found by {@code DstPID}. Only that peer may publish it: it knows its
 * addresses and its relays, and nobody else can draw its messages to himself.
 *
 * @param destination the peer
 * @param addresses its own addresses, the best first; empty when it can only be reached over the hops
 * @param hops the peers that pass messages on, the one nearest to the reader first
 */
public record RouteAdvertisement(AdvertisementId destination, List<String> addresses, List<AccessPoint> hops)
        implements Advertisement {
    static final AdvertisementType<RouteAdvertisement> TYPE = AdvertisementType.of(
            "jxta:RA", RouteAdvertisement.class, RouteAdvertisement::read, RouteAdvertisement::document);

    /** Takes copies. Fails with IllegalArgumentException when an address is empty or a hop names no peer. */
    public RouteAdvertisement {
        Objects.requireNonNull(destination, "destination");
        addresses = new AccessPoint(null, addresses).addresses();
        hops = List.copyOf(hops);
        for (AccessPoint hop : hops) {
            if (hop.peerId() == null) {
                throw new IllegalArgumentException("Hops: one has no PID (expected: a peer id in each)");
            }
        }
    }

    /** A route straight to one of our peers. */
    public static RouteAdvertisement of(PeerId destination, List<String> addresses) {
        return new RouteAdvertisement(AdvertisementId.of(destination), addresses, List.of());
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

package io.parley.advertisement;

import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A peer in a group ({@code jxta:PA}), found by {@code Name} and {@code PID}. Only the peer itself may publish it.
 *
 * @param peerId the peer
 * @param groupId the group
 * @param name the name for display and searches; {@code null} if there is none
 * @param description the description for display; {@code null} if there is none
 * @param services the parameters of the peer's services, each service once
 */
public record PeerAdvertisement(
        AdvertisementId peerId,
        AdvertisementId groupId,
        @Nullable String name,
        @Nullable String description,
        List<ServiceParameters> services)
        implements Advertisement {
    /** The name of this type. */
    public static final String TYPE_NAME = "jxta:PA";

    static final AdvertisementType<PeerAdvertisement> TYPE = AdvertisementType.of(
            TYPE_NAME, PeerAdvertisement.class, PeerAdvertisement::read, PeerAdvertisement::document);

    /** Trims texts, and converts empty ones to {@code null}. */
    public PeerAdvertisement {
        Objects.requireNonNull(peerId, "peerId");
        Objects.requireNonNull(groupId, "groupId");
        name = TextFields.orNull(name);
        description = TextFields.orNull(description);
        services = List.copyOf(services);
    }

    /** Returns the advertisement of a Parley peer, without services. */
    public static PeerAdvertisement of(PeerId peer, GroupId group, @Nullable String name) {
        return new PeerAdvertisement(AdvertisementId.of(peer), AdvertisementId.of(group), name, null, List.of());
    }

    /** Returns a copy with the parameters of a service, which replace previous ones of that service. */
    public PeerAdvertisement withService(ServiceParameters service) {
        List<ServiceParameters> changed = new ArrayList<>(services);
        changed.removeIf(other -> other.moduleClass().equals(service.moduleClass()));
        changed.add(service);
        return new PeerAdvertisement(peerId, groupId, name, description, changed);
    }

    /** Returns a copy with the route of the peer, which is the parameter of its endpoint service. */
    public PeerAdvertisement withRoute(RouteAdvertisement route) {
        return withService(ServiceParameters.of(AdvertisementId.ENDPOINT_SERVICE, route.document()));
    }

    /** Returns the parameters of a service. */
    public Optional<ServiceParameters> service(AdvertisementId moduleClass) {
        return services.stream()
                .filter(service -> service.moduleClass().equals(moduleClass))
                .findFirst();
    }

    /**
     * Returns the route to the peer; empty if there is none.
     *
     * @throws IllegalArgumentException if the route is malformed
     */
    public Optional<RouteAdvertisement> route() {
        return service(AdvertisementId.ENDPOINT_SERVICE)
                .flatMap(endpoint -> endpoint.parameters().child(RouteAdvertisement.TYPE.name()))
                .map(RouteAdvertisement::read);
    }

    @Override
    public String type() {
        return TYPE.name();
    }

    @Override
    public String key() {
        return peerId.urn();
    }

    @Override
    public Optional<AdvertisementId> group() {
        return Optional.of(groupId);
    }

    @Override
    public Optional<AdvertisementId> publisher() {
        return Optional.of(peerId);
    }

    @Override
    public List<AdvertisementAttribute> attributes() {
        return new AttributeCollector().add("Name", name).add("PID", peerId).list();
    }

    static PeerAdvertisement read(XmlElement document) {
        return new PeerAdvertisement(
                document.requireId("PID"),
                document.requireId("GID"),
                document.textOf("Name"),
                document.textOf("Desc"),
                ServiceParameters.readAll(document));
    }

    XmlElement document() {
        XmlElement.Builder element = XmlElement.builder(TYPE.name())
                .add("PID", peerId)
                .add("GID", groupId)
                .add("Name", name)
                .add("Desc", description);
        services.forEach(service -> element.add(service.document()));
        return element.build();
    }
}

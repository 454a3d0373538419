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
 * @param name for people and searches; {@code null} when it has none
 * @param description for people; {@code null} when there is none
 * @param services what the peer's services have to tell, each service once
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

    /** Takes texts without the white space at their ends, and empty ones as missing. */
    public PeerAdvertisement {
        Objects.requireNonNull(peerId, "peerId");
        Objects.requireNonNull(groupId, "groupId");
        name = TextFields.orNull(name);
        description = TextFields.orNull(description);
        services = List.copyOf(services);
    }

    /** One of our peers, with a name and no services so far. */
    public static PeerAdvertisement of(PeerId peer, GroupId group, @Nullable String name) {
        return new PeerAdvertisement(AdvertisementId.of(peer), AdvertisementId.of(group), name, null, List.of());
    }

    /** This advertisement with what a service has to tell, in place of what that service told before. */
    public PeerAdvertisement withService(ServiceParameters service) {
        List<ServiceParameters> changed = new ArrayList<>(services);
        changed.removeIf(other -> other.moduleClass().equals(service.moduleClass()));
        changed.add(service);
        return new PeerAdvertisement(peerId, groupId, name, description, changed);
    }

    /** This advertisement with the peer's route, which is what its endpoint service has to tell. */
    public PeerAdvertisement withRoute(RouteAdvertisement route) {
        return withService(ServiceParameters.of(AdvertisementId.ENDPOINT_SERVICE, route.document()));
    }

    /** What a service has to tell. */
    public Optional<ServiceParameters> service(AdvertisementId moduleClass) {
        return services.stream()
                .filter(service -> service.moduleClass().equals(moduleClass))
                .findFirst();
    }

    /**
     * How the peer can be reached; empty when it doesn't say.
     *
     * @throws IllegalArgumentException when what it says is malformed
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

package io.parley.advertisement;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A peer that is a rendezvous of a group ({@code jxta:RdvAdvertisement}), found by {@code RdvPeerId},
 * {@code RdvServiceName} and {@code RdvGroupId}. Only that peer may publish it.
 *
 * @param groupId the group
 * @param peerId the rendezvous
 * @param serviceName the service for which it is a rendezvous
 * @param name the name for display; {@code null} if there is none
 * @param route the route to the rendezvous; {@code null} if there is none
 */
public record RdvAdvertisement(
        AdvertisementId groupId,
        AdvertisementId peerId,
        String serviceName,
        @Nullable String name,
        @Nullable RouteAdvertisement route)
        implements Advertisement {
    static final AdvertisementType<RdvAdvertisement> TYPE = AdvertisementType.of(
            "jxta:RdvAdvertisement", RdvAdvertisement.class, RdvAdvertisement::read, RdvAdvertisement::document);

    /** Trims texts. Fails with IllegalArgumentException if the service name is empty or the route leads to another peer. */
    public RdvAdvertisement {
        Objects.requireNonNull(groupId, "groupId");
        Objects.requireNonNull(peerId, "peerId");
        serviceName = TextFields.required("RdvServiceName", serviceName);
        name = TextFields.orNull(name);
        if (route != null && !route.destination().equals(peerId)) {
            throw new IllegalArgumentException(
                    "RdvRoute: destination " + route.destination() + " (expected: the rendezvous, " + peerId + ")");
        }
    }

    @Override
    public String type() {
        return TYPE.name();
    }

    @Override
    public String key() {
        return groupId.urn() + ' ' + peerId.urn() + ' ' + serviceName;
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
        return new AttributeCollector()
                .add("RdvPeerId", peerId)
                .add("RdvServiceName", serviceName)
                .add("RdvGroupId", groupId)
                .list();
    }

    static RdvAdvertisement read(XmlElement document) {
        return new RdvAdvertisement(
                document.requireId("RdvGroupId"),
                document.requireId("RdvPeerId"),
                document.requireText("RdvServiceName"),
                document.textOf("Name"),
                document.child("RdvRoute")
                        .flatMap(around -> around.child(RouteAdvertisement.TYPE.name()))
                        .map(RouteAdvertisement::read)
                        .orElse(null));
    }

    XmlElement document() {
        return XmlElement.builder(TYPE.name())
                .add("RdvGroupId", groupId)
                .add("RdvPeerId", peerId)
                .add("RdvServiceName", serviceName)
                .add("Name", name)
                .add(route == null ? null : XmlElement.of("RdvRoute", route.document()))
                .build();
    }
}

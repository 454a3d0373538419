package io.parley.advertisement;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A peer group ({@code jxta:PGA}), found by {@code Name}, {@code GID}, {@code Desc} and {@code MSID}. Any peer may publish it,
 * in the group from which it is to be found, not in the described group.
 *
 * @param groupId the group
 * @param moduleSpec the id of the module specification that the group implements
 * @param name the name for display and searches; {@code null} if there is none
 * @param description the description for display and searches; {@code null} if there is none
 * @param services the parameters of the group's services
 */
public record PeerGroupAdvertisement(
        AdvertisementId groupId,
        AdvertisementId moduleSpec,
        @Nullable String name,
        @Nullable String description,
        List<ServiceParameters> services)
        implements Advertisement {
    /** The name of this type. */
    public static final String TYPE_NAME = "jxta:PGA";

    static final AdvertisementType<PeerGroupAdvertisement> TYPE = AdvertisementType.of(
            TYPE_NAME, PeerGroupAdvertisement.class, PeerGroupAdvertisement::read, PeerGroupAdvertisement::document);

    /** Trims texts, and converts empty ones to {@code null}. */
    public PeerGroupAdvertisement {
        Objects.requireNonNull(groupId, "groupId");
        Objects.requireNonNull(moduleSpec, "moduleSpec");
        name = TextFields.orNull(name);
        description = TextFields.orNull(description);
        services = List.copyOf(services);
    }

    @Override
    public String type() {
        return TYPE.name();
    }

    @Override
    public String key() {
        return groupId.urn();
    }

    @Override
    public List<AdvertisementAttribute> attributes() {
        return new AttributeCollector()
                .add("Name", name)
                .add("GID", groupId)
                .add("Desc", description)
                .add("MSID", moduleSpec)
                .list();
    }

    static PeerGroupAdvertisement read(XmlElement document) {
        return new PeerGroupAdvertisement(
                document.requireId("GID"),
                document.requireId("MSID"),
                document.textOf("Name"),
                document.textOf("Desc"),
                ServiceParameters.readAll(document));
    }

    XmlElement document() {
        XmlElement.Builder element = XmlElement.builder(TYPE.name())
                .add("GID", groupId)
                .add("MSID", moduleSpec)
                .add("Name", name)
                .add("Desc", description);
        services.forEach(service -> element.add(service.document()));
        return element.build();
    }
}

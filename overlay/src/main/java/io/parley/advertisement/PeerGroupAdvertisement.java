package io.parley.advertisement;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A peer group ({@code jxta:PGA}), found by {@code Name}, {@code GID}, {@code Desc} and {@code MSID}. It is published in
 * the group from which it is to be found, not in itself, and by any peer of that group.
 *
 * @param groupId the group
 * @param moduleSpec what the group is made of, by the id of a module specification
 * @param name for people and searches; {@code null} when it has none
 * @param description for people and searches; {@code null} when there is none
 * @param services what the group's services have to be told
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

    /** Takes texts without the white space at their ends, and empty ones as missing. */
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

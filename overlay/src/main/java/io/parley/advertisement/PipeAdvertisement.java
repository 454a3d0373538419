package io.parley.advertisement;

import io.parley.id.PipeId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A pipe ({@code jxta:PipeAdvertisement}), found by {@code Name} and {@code Id}. Any holder of the pipe may publish it.
 *
 * @param id the pipe
 * @param pipeType the kind of delivery
 * @param name the name for display and searches; {@code null} if there is none
 * @param description the description for display; {@code null} if there is none
 */
public record PipeAdvertisement(
        AdvertisementId id,
        PipeType pipeType,
        @Nullable String name,
        @Nullable String description) implements Advertisement {
    /** The name of this type. */
    public static final String TYPE_NAME = "jxta:PipeAdvertisement";

    static final AdvertisementType<PipeAdvertisement> TYPE = AdvertisementType.of(
            TYPE_NAME, PipeAdvertisement.class, PipeAdvertisement::read, PipeAdvertisement::document);

    /** Trims texts, and converts empty ones to {@code null}. */
    public PipeAdvertisement {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(pipeType, "pipeType");
        name = TextFields.orNull(name);
        description = TextFields.orNull(description);
    }

    /** Returns the advertisement of a Parley pipe with a name. */
    public static PipeAdvertisement of(PipeId id, PipeType pipeType, String name) {
        return new PipeAdvertisement(AdvertisementId.of(id), pipeType, name, null);
    }

    @Override
    public String type() {
        return TYPE.name();
    }

    @Override
    public String key() {
        return id.urn();
    }

    /** Returns the group of the pipe if it is a Parley pipe. */
    @Override
    public Optional<AdvertisementId> group() {
        return id.pipeId().map(pipe -> AdvertisementId.of(pipe.group()));
    }

    @Override
    public List<AdvertisementAttribute> attributes() {
        return new AttributeCollector().add("Name", name).add("Id", id).list();
    }

    static PipeAdvertisement read(XmlElement document) {
        return new PipeAdvertisement(
                document.requireId("Id"),
                PipeType.ofJxtaName(document.requireText("Type")),
                document.textOf("Name"),
                document.textOf("Desc"));
    }

    XmlElement document() {
        return XmlElement.builder(TYPE.name())
                .add("Id", id)
                .add("Type", pipeType.jxtaName())
                .add("Name", name)
                .add("Desc", description)
                .build();
    }
}

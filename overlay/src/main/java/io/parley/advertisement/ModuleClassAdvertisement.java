package io.parley.advertisement;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A kind of service, independent of its implementation ({@code jxta:MCA}), found by {@code Name} and {@code MCID}.
 *
 * @param moduleClass the id of the kind
 * @param name the name for display and searches; {@code null} if there is none
 * @param description the description for display; {@code null} if there is none
 */
public record ModuleClassAdvertisement(
        AdvertisementId moduleClass,
        @Nullable String name,
        @Nullable String description) implements Advertisement {
    static final AdvertisementType<ModuleClassAdvertisement> TYPE = AdvertisementType.of(
            "jxta:MCA",
            ModuleClassAdvertisement.class,
            ModuleClassAdvertisement::read,
            ModuleClassAdvertisement::document);

    /** Trims texts, and converts empty ones to {@code null}. */
    public ModuleClassAdvertisement {
        Objects.requireNonNull(moduleClass, "moduleClass");
        name = TextFields.orNull(name);
        description = TextFields.orNull(description);
    }

    /** Returns the advertisement of the module class of that name: see {@link AdvertisementId#ofModuleClass}. */
    public static ModuleClassAdvertisement of(String name) {
        return new ModuleClassAdvertisement(AdvertisementId.ofModuleClass(name), name, null);
    }

    @Override
    public String type() {
        return TYPE.name();
    }

    @Override
    public String key() {
        return moduleClass.urn();
    }

    @Override
    public List<AdvertisementAttribute> attributes() {
        return new AttributeCollector()
                .add("Name", name)
                .add("MCID", moduleClass)
                .list();
    }

    static ModuleClassAdvertisement read(XmlElement document) {
        return new ModuleClassAdvertisement(
                document.requireId("MCID"), document.textOf("Name"), document.textOf("Desc"));
    }

    XmlElement document() {
        return XmlElement.builder(TYPE.name())
                .add("MCID", moduleClass)
                .add("Name", name)
                .add("Desc", description)
                .build();
    }
}

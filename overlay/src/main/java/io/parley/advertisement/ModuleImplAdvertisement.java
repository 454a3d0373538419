package io.parley.advertisement;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A program that implements a service ({@code jxta:MIA}), found by {@code MSID}. It is a hint for people and tools: Parley
 * never loads code that an advertisement names.
 *
 * @param moduleSpec the id of the implemented specification
 * @param description the description for display; {@code null} if there is none
 * @param compatibility the requirements at run time, an element {@code Comp}, in JXTA a format and a binding; {@code null} if
 *     there is none
 * @param code the program, in Java the name of a class; {@code null} if there is none
 * @param packageUri the location of the code; {@code null} if there is none
 * @param provider the provider of the code; {@code null} if there is none
 * @param parameters parameters that only the program interprets, an element {@code Parm}; {@code null} if there are none
 */
public record ModuleImplAdvertisement(
        AdvertisementId moduleSpec,
        @Nullable String description,
        @Nullable XmlElement compatibility,
        @Nullable String code,
        @Nullable String packageUri,
        @Nullable String provider,
        @Nullable XmlElement parameters)
        implements Advertisement {
    static final AdvertisementType<ModuleImplAdvertisement> TYPE = AdvertisementType.of(
            "jxta:MIA",
            ModuleImplAdvertisement.class,
            ModuleImplAdvertisement::read,
            ModuleImplAdvertisement::document);

    private static final String COMPATIBILITY = "Comp";

    /** Trims texts, and converts empty ones to {@code null}. */
    public ModuleImplAdvertisement {
        Objects.requireNonNull(moduleSpec, "moduleSpec");
        description = TextFields.orNull(description);
        compatibility = compatibility == null ? null : compatibility.withName(COMPATIBILITY);
        code = TextFields.orNull(code);
        packageUri = TextFields.orNull(packageUri);
        provider = TextFields.orNull(provider);
        parameters = parameters == null ? null : parameters.withName(ServiceParameters.PARAMETERS);
    }

    @Override
    public String type() {
        return TYPE.name();
    }

    /** Returns the specification and the code, because a specification has many implementations. */
    @Override
    public String key() {
        return code == null ? moduleSpec.urn() : moduleSpec.urn() + ' ' + code;
    }

    @Override
    public List<AdvertisementAttribute> attributes() {
        return new AttributeCollector().add("MSID", moduleSpec).list();
    }

    static ModuleImplAdvertisement read(XmlElement document) {
        return new ModuleImplAdvertisement(
                document.requireId("MSID"),
                document.textOf("Desc"),
                document.child(COMPATIBILITY).orElse(null),
                document.textOf("Code"),
                document.textOf("PURI"),
                document.textOf("Prov"),
                document.child(ServiceParameters.PARAMETERS).orElse(null));
    }

    XmlElement document() {
        return XmlElement.builder(TYPE.name())
                .add("MSID", moduleSpec)
                .add("Desc", description)
                .add(compatibility)
                .add("Code", code)
                .add("PURI", packageUri)
                .add("Prov", provider)
                .add(parameters)
                .build();
    }
}

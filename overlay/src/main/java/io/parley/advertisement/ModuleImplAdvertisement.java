package io.parley.advertisement;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A program that implements a service ({@code jxta:MIA}), found by {@code MSID}. It is a hint for people and tools: nothing
 * here ever loads code because an advertisement names it.
 *
 * @param moduleSpec the id of the specification that it implements
 * @param description for people; {@code null} when there is none
 * @param compatibility what it needs to run, by the name {@code Comp}, in JXTA a format and a binding; {@code null} when
 *     it doesn't say
 * @param code what to run, in Java the name of a class; {@code null} when it doesn't say
 * @param packageUri where the code is; {@code null} when it doesn't say
 * @param provider who gives it away; {@code null} when it doesn't say
 * @param parameters what only the program understands, by the name {@code Parm}; {@code null} when there are none
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

    /** Takes texts without the white space at their ends, and empty ones as missing. */
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

    /** The specification together with the code, because a specification has many implementations. */
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

package io.parley.advertisement;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a service is spoken to ({@code jxta:MSA}): its protocol, and a pipe to reach it when it has one. Found by
 * {@code Name} and {@code MSID}.
 *
 * @param moduleSpec the id of the specification, which carries that of the module class
 * @param name for people and searches; {@code null} when it has none
 * @param description for people; {@code null} when there is none
 * @param creator who has written the specification; {@code null} when it doesn't say
 * @param specUri where the specification can be read; {@code null} when it doesn't say
 * @param version of the specification; {@code null} when it doesn't say
 * @param parameters what only the service understands, by the name {@code Parm}; {@code null} when there are none
 * @param pipe where the service listens; {@code null} when that is found out otherwise
 * @param proxySpec another module that is to be used to talk to it; {@code null} when none is needed
 * @param authenticatorSpec another module that is needed to be let in; {@code null} when none is needed
 */
public record ModuleSpecAdvertisement(
        AdvertisementId moduleSpec,
        @Nullable String name,
        @Nullable String description,
        @Nullable String creator,
        @Nullable String specUri,
        @Nullable String version,
        @Nullable XmlElement parameters,
        @Nullable PipeAdvertisement pipe,
        @Nullable AdvertisementId proxySpec,
        @Nullable AdvertisementId authenticatorSpec)
        implements Advertisement {
    static final AdvertisementType<ModuleSpecAdvertisement> TYPE = AdvertisementType.of(
            "jxta:MSA",
            ModuleSpecAdvertisement.class,
            ModuleSpecAdvertisement::read,
            ModuleSpecAdvertisement::document);

    /** Takes texts without the white space at their ends, and empty ones as missing. */
    public ModuleSpecAdvertisement {
        Objects.requireNonNull(moduleSpec, "moduleSpec");
        name = TextFields.orNull(name);
        description = TextFields.orNull(description);
        creator = TextFields.orNull(creator);
        specUri = TextFields.orNull(specUri);
        version = TextFields.orNull(version);
        parameters = parameters == null ? null : parameters.withName(ServiceParameters.PARAMETERS);
    }

    /** A service that listens on a pipe. */
    public static ModuleSpecAdvertisement of(AdvertisementId moduleSpec, String name, PipeAdvertisement pipe) {
        return new ModuleSpecAdvertisement(moduleSpec, name, null, null, null, null, null, pipe, null, null);
    }

    @Override
    public String type() {
        return TYPE.name();
    }

    @Override
    public String key() {
        return moduleSpec.urn();
    }

    @Override
    public List<AdvertisementAttribute> attributes() {
        return new AttributeCollector()
                .add("Name", name)
                .add("MSID", moduleSpec)
                .list();
    }

    static ModuleSpecAdvertisement read(XmlElement document) {
        return new ModuleSpecAdvertisement(
                document.requireId("MSID"),
                document.textOf("Name"),
                document.textOf("Desc"),
                document.textOf("Crtr"),
                document.textOf("SURI"),
                document.textOf("Vers"),
                document.child(ServiceParameters.PARAMETERS).orElse(null),
                document.child(PipeAdvertisement.TYPE.name())
                        .map(PipeAdvertisement::read)
                        .orElse(null),
                document.idOf("Proxy"),
                document.idOf("Auth"));
    }

    XmlElement document() {
        return XmlElement.builder(TYPE.name())
                .add("MSID", moduleSpec)
                .add("Name", name)
                .add("Desc", description)
                .add("Crtr", creator)
                .add("SURI", specUri)
                .add("Vers", version)
                .add(parameters)
                .add(pipe == null ? null : pipe.document())
                .add("Proxy", proxySpec)
                .add("Auth", authenticatorSpec)
                .build();
    }
}

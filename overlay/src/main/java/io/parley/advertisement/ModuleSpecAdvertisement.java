package io.parley.advertisement;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The specification of a service ({@code jxta:MSA}): its protocol, and optionally a pipe on which it listens. Found by
 * {@code Name}, {@code MSID} and {@code MCID}, its class.
 *
 * @param moduleSpec the id of the specification, which contains that of the module class
 * @param name the name for display and searches; {@code null} if there is none
 * @param description the description for display; {@code null} if there is none
 * @param creator the author of the specification; {@code null} if there is none
 * @param specUri the location of the specification; {@code null} if there is none
 * @param version the version of the specification; {@code null} if there is none
 * @param parameters parameters that only the service interprets, an element {@code Parm}; {@code null} if there are none
 * @param pipe the pipe on which the service listens; {@code null} if there is none
 * @param proxySpec the module that clients must use to access the service; {@code null} if there is none
 * @param authenticatorSpec the module that clients must use to authenticate; {@code null} if there is none
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
    /** The name of this type. */
    public static final String TYPE_NAME = "jxta:MSA";

    static final AdvertisementType<ModuleSpecAdvertisement> TYPE = AdvertisementType.of(
            TYPE_NAME, ModuleSpecAdvertisement.class, ModuleSpecAdvertisement::read, ModuleSpecAdvertisement::document);

    /** Trims texts, and converts empty ones to {@code null}. */
    public ModuleSpecAdvertisement {
        Objects.requireNonNull(moduleSpec, "moduleSpec");
        name = TextFields.orNull(name);
        description = TextFields.orNull(description);
        creator = TextFields.orNull(creator);
        specUri = TextFields.orNull(specUri);
        version = TextFields.orNull(version);
        parameters = parameters == null ? null : parameters.withName(ServiceParameters.PARAMETERS);
    }

    /** Returns the specification of a service that listens on a pipe. */
    public static ModuleSpecAdvertisement of(AdvertisementId moduleSpec, String name, PipeAdvertisement pipe) {
        return new ModuleSpecAdvertisement(moduleSpec, name, null, null, null, null, null, pipe, null, null);
    }

    /** Returns a copy with another {@link #description()}. */
    public ModuleSpecAdvertisement withDescription(@Nullable String value) {
        return new ModuleSpecAdvertisement(
                moduleSpec, name, value, creator, specUri, version, parameters, pipe, proxySpec, authenticatorSpec);
    }

    /** Returns a copy with another {@link #version()}. */
    public ModuleSpecAdvertisement withVersion(@Nullable String value) {
        return new ModuleSpecAdvertisement(
                moduleSpec, name, description, creator, specUri, value, parameters, pipe, proxySpec, authenticatorSpec);
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
                .add("MCID", moduleSpec.moduleClass().map(AdvertisementId::urn).orElse(null))
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

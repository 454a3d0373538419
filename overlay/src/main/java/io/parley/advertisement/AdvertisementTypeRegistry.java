package io.parley.advertisement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The types of advertisements that are known, by the names of their documents. Immutable and usable from any thread. */
final class AdvertisementTypeRegistry {
    private static final AdvertisementTypeRegistry BUILT_IN = new AdvertisementTypeRegistry(List.of(
            PeerAdvertisement.TYPE,
            PeerGroupAdvertisement.TYPE,
            PipeAdvertisement.TYPE,
            RouteAdvertisement.TYPE,
            RdvAdvertisement.TYPE,
            ModuleClassAdvertisement.TYPE,
            ModuleSpecAdvertisement.TYPE,
            ModuleImplAdvertisement.TYPE));

    private final Map<String, AdvertisementType<?>> byName;

    private AdvertisementTypeRegistry(Iterable<AdvertisementType<?>> types) {
        Map<String, AdvertisementType<?>> found = new LinkedHashMap<>();
        for (AdvertisementType<?> type : types) {
            XmlTextValidator.checkName(type.name());
            AdvertisementType<?> other = found.putIfAbsent(type.name(), type);
            if (other != null) {
                throw new IllegalArgumentException("type: two are named " + type.name() + ", of "
                        + other.advertisementClass().getName() + " and "
                        + type.advertisementClass().getName() + " (expected: one of each name)");
            }
        }
        this.byName = Collections.unmodifiableMap(found);
    }

    /** Those of this package. */
    public static AdvertisementTypeRegistry builtIn() {
        return BUILT_IN;
    }

    /**
     * Those of this package and all on the class path.
     *
     * @throws IllegalStateException when one can't be loaded
     * @throws IllegalArgumentException when two have the same name
     */
    public static AdvertisementTypeRegistry installed() {
        return installed(AdvertisementTypeRegistry.class.getClassLoader());
    }

    /** Those of this package and all that a class loader sees, for containers where that is not the one of Parley. */
    public static AdvertisementTypeRegistry installed(ClassLoader loader) {
        try {
            AdvertisementTypeRegistry types = BUILT_IN;
            for (AdvertisementType<?> type : ServiceLoader.load(AdvertisementType.class, loader)) {
                types = types.with(type);
            }
            return types;
        } catch (ServiceConfigurationError e) {
            throw new IllegalStateException("an advertisement type on the class path can't be loaded: " + e, e);
        }
    }

    /**
     * These and more.
     *
     * @throws IllegalArgumentException when two have the same name
     */
    public AdvertisementTypeRegistry with(AdvertisementType<?>... more) {
        List<AdvertisementType<?>> all = new ArrayList<>(byName.values());
        all.addAll(Arrays.asList(more));
        return new AdvertisementTypeRegistry(all);
    }

    /** The names, those of this package first. */
    public Set<String> names() {
        return byName.keySet();
    }

    /**
     * The advertisement of a document; an {@link OpaqueAdvertisement} when the type is not known. As in JXTA, the root's
     * attribute {@code type} decides when it names a known type, else the root's name.
     *
     * @throws IllegalArgumentException when the document is not what its type expects
     */
    Advertisement read(XmlElement document) {
        AdvertisementType<?> type = typeOf(document);
        return type == null ? new OpaqueAdvertisement(document) : type.read(document);
    }

    /**
     * The document of an advertisement.
     *
     * @throws IllegalArgumentException when its type is not known
     */
    XmlElement write(Advertisement advertisement) {
        if (advertisement instanceof OpaqueAdvertisement opaque) {
            return opaque.document();
        }
        AdvertisementType<?> type = byName.get(advertisement.type());
        if (type == null || !type.advertisementClass().isInstance(advertisement)) {
            throw new IllegalArgumentException("type: " + advertisement.type() + " of "
                    + advertisement.getClass().getName() + " (expected: one that is registered, of "
                    + String.join(", ", names()) + ")");
        }
        return write(type, advertisement);
    }

    private static <T extends Advertisement> XmlElement write(AdvertisementType<T> type, Advertisement advertisement) {
        XmlElement document = type.write(type.advertisementClass().cast(advertisement));
        if (!document.name().equals(type.name())) {
            throw new IllegalArgumentException(
                    "document: root is named " + document.name() + " (expected: as its type, " + type.name() + ")");
        }
        return document;
    }

    private @Nullable AdvertisementType<?> typeOf(XmlElement document) {
        AdvertisementType<?> named = byName.get(document.attributes().getOrDefault("type", ""));
        return named == null ? byName.get(document.name()) : named;
    }
}

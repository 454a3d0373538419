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

/** The known advertisement types, by the names of their documents. Immutable and thread-safe. */
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
                throw new IllegalArgumentException("type: " + type.name() + " is registered by "
                        + other.advertisementClass().getName() + " and "
                        + type.advertisementClass().getName() + " (expected: one type per name)");
            }
        }
        this.byName = Collections.unmodifiableMap(found);
    }

    /** Returns the types of this package. */
    public static AdvertisementTypeRegistry builtIn() {
        return BUILT_IN;
    }

    /**
     * Returns the types of this package and all types on the class path.
     *
     * @throws IllegalStateException if a type cannot be loaded
     * @throws IllegalArgumentException if two types have the same name
     */
    public static AdvertisementTypeRegistry installed() {
        return installed(AdvertisementTypeRegistry.class.getClassLoader());
    }

    /** Returns the types of this package and those of a class loader, for containers that isolate Parley's class loader. */
    public static AdvertisementTypeRegistry installed(ClassLoader loader) {
        try {
            AdvertisementTypeRegistry types = BUILT_IN;
            for (AdvertisementType<?> type : ServiceLoader.load(AdvertisementType.class, loader)) {
                types = types.with(type);
            }
            return types;
        } catch (ServiceConfigurationError e) {
            throw new IllegalStateException("advertisement type: cannot be loaded from the class path: " + e, e);
        }
    }

    /**
     * Returns these types and more.
     *
     * @throws IllegalArgumentException if two types have the same name
     */
    public AdvertisementTypeRegistry with(AdvertisementType<?>... more) {
        List<AdvertisementType<?>> all = new ArrayList<>(byName.values());
        all.addAll(Arrays.asList(more));
        return new AdvertisementTypeRegistry(all);
    }

    /** Returns the names, those of this package first. */
    public Set<String> names() {
        return byName.keySet();
    }

    /**
     * Decodes a document; to an {@link OpaqueAdvertisement} if the type is unknown. As in JXTA, the attribute {@code type} of
     * the root selects the type if it names a known one; otherwise the name of the root does.
     *
     * @throws IllegalArgumentException if the document violates its type
     */
    Advertisement read(XmlElement document) {
        AdvertisementType<?> type = typeOf(document);
        return type == null ? new OpaqueAdvertisement(document) : type.read(document);
    }

    /**
     * Encodes an advertisement.
     *
     * @throws IllegalArgumentException if the type is unknown
     */
    XmlElement write(Advertisement advertisement) {
        if (advertisement instanceof OpaqueAdvertisement opaque) {
            return opaque.document();
        }
        AdvertisementType<?> type = byName.get(advertisement.type());
        if (type == null || !type.advertisementClass().isInstance(advertisement)) {
            throw new IllegalArgumentException("type: " + advertisement.type() + " of "
                    + advertisement.getClass().getName() + " (expected: a registered type: "
                    + String.join(", ", names()) + ")");
        }
        return write(type, advertisement);
    }

    private static <T extends Advertisement> XmlElement write(AdvertisementType<T> type, Advertisement advertisement) {
        XmlElement document = type.write(type.advertisementClass().cast(advertisement));
        if (!document.name().equals(type.name())) {
            throw new IllegalArgumentException("document: root is named " + document.name() + " (expected: "
                    + type.name() + ", the name of its type)");
        }
        return document;
    }

    private @Nullable AdvertisementType<?> typeOf(XmlElement document) {
        AdvertisementType<?> named = byName.get(document.attributes().getOrDefault("type", ""));
        return named == null ? byName.get(document.name()) : named;
    }
}

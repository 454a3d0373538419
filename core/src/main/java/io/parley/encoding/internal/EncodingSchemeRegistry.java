package io.parley.encoding.internal;

import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The encoding schemes of a peer, by name. Immutable and thread-safe. */
public final class EncodingSchemeRegistry {

    /** The schemes on Parley's own class path, which does not change; null until the first use. One object serves all pipes. */
    private static volatile @Nullable EncodingSchemeRegistry own;

    private final Map<String, EncodingScheme> byName;

    private EncodingSchemeRegistry(Iterable<EncodingScheme> schemes) {
        Map<String, EncodingScheme> found = new LinkedHashMap<>();
        for (EncodingScheme scheme : schemes) {
            EncodingScheme other = found.putIfAbsent(EncodedElementName.checkedScheme(scheme.name()), scheme);
            if (other != null && other.getClass() != scheme.getClass()) {
                throw new IllegalArgumentException("encoding schemes: two have the name " + scheme.name() + ", "
                        + other.getClass().getName() + " and "
                        + scheme.getClass().getName() + " (expected: unique names)");
            }
        }
        this.byName = found;
    }

    /**
     * Returns all schemes on the class path. They are loaded once.
     *
     * @throws io.parley.error.InvalidCallException NO_COMMON_CODEC if a scheme cannot be loaded
     * @throws IllegalArgumentException if two different schemes have the same name, or a name is not valid
     */
    public static EncodingSchemeRegistry installed() {
        EncodingSchemeRegistry found = own;
        if (found == null) {
            found = installed(EncodingSchemeRegistry.class.getClassLoader());
            own = found;
        }
        return found;
    }

    /** Returns all schemes visible to a class loader, for containers in which another class loader loaded Parley. */
    public static EncodingSchemeRegistry installed(ClassLoader loader) {
        try {
            return new EncodingSchemeRegistry(ServiceLoader.load(EncodingScheme.class, loader));
        } catch (ServiceConfigurationError e) {
            throw ErrorCode.NO_COMMON_CODEC.exception("encoding scheme on the class path: cannot be loaded: " + e, e);
        }
    }

    /**
     * Returns a registry with the given schemes only.
     *
     * @throws IllegalArgumentException if two different schemes have the same name, or a name is not valid
     */
    public static EncodingSchemeRegistry of(EncodingScheme... schemes) {
        return new EncodingSchemeRegistry(List.of(schemes));
    }

    /**
     * Returns a registry with the given schemes only. Of several schemes of one class and name, the first is used.
     *
     * @throws IllegalArgumentException if two different schemes have the same name, or a name is not valid
     */
    public static EncodingSchemeRegistry of(List<EncodingScheme> schemes) {
        return new EncodingSchemeRegistry(schemes);
    }

    /** Returns the schemes. */
    public List<EncodingScheme> schemes() {
        return List.copyOf(byName.values());
    }

    /** Returns the names in the order of the schemes. */
    public Set<String> names() {
        return Collections.unmodifiableSet(byName.keySet());
    }

    /** Returns the scheme with a name. */
    public Optional<EncodingScheme> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /**
     * Returns the scheme with a name.
     *
     * @throws io.parley.error.InvalidCallException NO_COMMON_CODEC if there is none; the message names the available
     *     schemes and the remedy
     */
    public EncodingScheme get(String name) {
        return find(name)
                .orElseThrow(
                        () -> ErrorCode.NO_COMMON_CODEC.exception("encoding scheme " + name + ": not found; available: "
                                + (byName.isEmpty() ? "none" : String.join(", ", byName.keySet()))
                                + "; pass it to the registry, or add its artifact to the class path, for example"
                                + " io.parley:parley-codec-compress or io.parley:parley-codec-xml"));
    }
}

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

/** The schemes that elements may be encoded by, by name. Immutable and usable from any thread. */
public final class EncodingSchemeRegistry {
    private final Map<String, EncodingScheme> byName;

    private EncodingSchemeRegistry(Iterable<EncodingScheme> schemes) {
        Map<String, EncodingScheme> found = new LinkedHashMap<>();
        for (EncodingScheme scheme : schemes) {
            EncodingScheme other = found.putIfAbsent(EncodedElementName.checkedScheme(scheme.name()), scheme);
            if (other != null && other.getClass() != scheme.getClass()) {
                throw new IllegalArgumentException("encoding scheme: two are named " + scheme.name() + ", "
                        + other.getClass().getName() + " and "
                        + scheme.getClass().getName() + " (expected: one of each name)");
            }
        }
        this.byName = found;
    }

    /**
     * All schemes on the class path.
     *
     * @throws io.parley.error.InvalidCallException NO_COMMON_CODEC when one can't be loaded
     * @throws IllegalArgumentException when two different ones have the same name, or a name is not allowed
     */
    public static EncodingSchemeRegistry installed() {
        return installed(EncodingSchemeRegistry.class.getClassLoader());
    }

    /** All schemes that a class loader sees, for containers where that is not the one that loaded Parley. */
    public static EncodingSchemeRegistry installed(ClassLoader loader) {
        try {
            return new EncodingSchemeRegistry(ServiceLoader.load(EncodingScheme.class, loader));
        } catch (ServiceConfigurationError e) {
            throw ErrorCode.NO_COMMON_CODEC.exception("an encoding scheme on the class path can't be loaded: " + e, e);
        }
    }

    /**
     * These schemes and no others.
     *
     * @throws IllegalArgumentException when two different ones have the same name, or a name is not allowed
     */
    public static EncodingSchemeRegistry of(EncodingScheme... schemes) {
        return new EncodingSchemeRegistry(List.of(schemes));
    }

    /** The names, in the order in which the schemes were found. */
    public Set<String> names() {
        return Collections.unmodifiableSet(byName.keySet());
    }

    /** The scheme of that name. */
    public Optional<EncodingScheme> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /**
     * The scheme of that name.
     *
     * @throws io.parley.error.InvalidCallException NO_COMMON_CODEC when there is none; the message tells what there is
     *     and what to add
     */
    public EncodingScheme get(String name) {
        return find(name)
                .orElseThrow(() -> ErrorCode.NO_COMMON_CODEC.exception("no encoding scheme named " + name + "; found "
                        + (byName.isEmpty() ? "none" : String.join(", ", byName.keySet()))
                        + "; pass it in, or add the artifact that brings it to the class path, such as"
                        + " io.parley:parley-codec-compress or io.parley:parley-codec-xml"));
    }
}

package io.parley.codec.internal;

import io.parley.codec.MessageCodec;
import io.parley.error.ErrorCode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;

/** The codecs of a peer, by name. Immutable and thread-safe. */
public final class MessageCodecRegistry {
    private final Map<String, MessageCodec> byName;

    private MessageCodecRegistry(Iterable<MessageCodec> codecs) {
        Map<String, MessageCodec> found = new LinkedHashMap<>();
        for (MessageCodec codec : codecs) {
            MessageCodec other = found.putIfAbsent(codec.name(), codec);
            if (other != null && other.getClass() != codec.getClass()) {
                throw new IllegalArgumentException("message codecs: two have the name " + codec.name() + ", "
                        + other.getClass().getName() + " and "
                        + codec.getClass().getName()
                        + " (expected: unique names)");
            }
        }
        this.byName = found;
    }

    /**
     * Returns all codecs on the class path: the binary codec, then the others in the order of the service loader.
     *
     * @throws io.parley.error.InvalidCallException NO_COMMON_CODEC if a codec cannot be loaded
     * @throws IllegalArgumentException if two different codecs have the same name
     */
    public static MessageCodecRegistry installed() {
        return installed(MessageCodecRegistry.class.getClassLoader());
    }

    /** Returns all codecs visible to a class loader, for containers in which another class loader loaded Parley. */
    public static MessageCodecRegistry installed(ClassLoader loader) {
        try {
            List<MessageCodec> found = new ArrayList<>(List.of(new BinaryMessageCodec()));
            ServiceLoader.load(MessageCodec.class, loader).forEach(found::add);
            return new MessageCodecRegistry(found);
        } catch (ServiceConfigurationError e) {
            throw ErrorCode.NO_COMMON_CODEC.exception("message codec on the class path: cannot be loaded: " + e, e);
        }
    }

    /**
     * Returns a registry with the given codecs only.
     *
     * @throws IllegalArgumentException if two different codecs have the same name
     */
    public static MessageCodecRegistry of(MessageCodec... codecs) {
        return new MessageCodecRegistry(List.of(codecs));
    }

    /** Returns the names in the order of the codecs. */
    public Set<String> names() {
        return Collections.unmodifiableSet(byName.keySet());
    }

    /** Returns the codec with a name. */
    public Optional<MessageCodec> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /**
     * Returns the codec with a name.
     *
     * @throws io.parley.error.InvalidCallException NO_COMMON_CODEC if there is none; the message names the available
     *     codecs and the remedy
     */
    public MessageCodec get(String name) {
        return find(name)
                .orElseThrow(
                        () -> ErrorCode.NO_COMMON_CODEC.exception("message codec " + name + ": not found; available: "
                                + (byName.isEmpty() ? "none" : String.join(", ", byName.keySet()))
                                + "; add its artifact to the class path, for example io.parley:parley-codec-xml"));
    }
}

package io.parley.codec.internal;

import io.parley.codec.BinaryMessageCodec;
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

/** The codecs that a peer may use, by name. Immutable and usable from any thread. */
public final class MessageCodecRegistry {
    private final Map<String, MessageCodec> byName;

    private MessageCodecRegistry(Iterable<MessageCodec> codecs) {
        Map<String, MessageCodec> found = new LinkedHashMap<>();
        for (MessageCodec codec : codecs) {
            MessageCodec other = found.putIfAbsent(codec.name(), codec);
            if (other != null && other.getClass() != codec.getClass()) {
                throw new IllegalArgumentException("codec: two are named " + codec.name() + ", "
                        + other.getClass().getName() + " and "
                        + codec.getClass().getName()
                        + " (expected: one of each name)");
            }
        }
        this.byName = found;
    }

    /**
     * All codecs on the class path: the binary one, then the others in the order in which they are found.
     *
     * @throws io.parley.error.InvalidCallException NO_COMMON_CODEC when one can't be loaded
     * @throws IllegalArgumentException when two different ones have the same name
     */
    public static MessageCodecRegistry installed() {
        return installed(MessageCodecRegistry.class.getClassLoader());
    }

    /** All codecs that a class loader sees, for containers where that is not the one that loaded Parley. */
    public static MessageCodecRegistry installed(ClassLoader loader) {
        try {
            List<MessageCodec> found = new ArrayList<>(List.of(new BinaryMessageCodec()));
            ServiceLoader.load(MessageCodec.class, loader).forEach(found::add);
            return new MessageCodecRegistry(found);
        } catch (ServiceConfigurationError e) {
            throw ErrorCode.NO_COMMON_CODEC.exception("a message codec on the class path can't be loaded: " + e, e);
        }
    }

    /**
     * These codecs and no others.
     *
     * @throws IllegalArgumentException when two different ones have the same name
     */
    public static MessageCodecRegistry of(MessageCodec... codecs) {
        return new MessageCodecRegistry(List.of(codecs));
    }

    /** The names, in the order of the codecs. */
    public Set<String> names() {
        return Collections.unmodifiableSet(byName.keySet());
    }

    /** The codec of that name. */
    public Optional<MessageCodec> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /**
     * The codec of that name.
     *
     * @throws io.parley.error.InvalidCallException NO_COMMON_CODEC when there is none; the message tells what there is
     *     and what to add
     */
    public MessageCodec get(String name) {
        return find(name)
                .orElseThrow(() -> ErrorCode.NO_COMMON_CODEC.exception("no message codec named " + name + "; found "
                        + (byName.isEmpty() ? "none" : String.join(", ", byName.keySet()))
                        + "; add the artifact that brings it to the class path, such as io.parley:parley-codec-xml"));
    }
}

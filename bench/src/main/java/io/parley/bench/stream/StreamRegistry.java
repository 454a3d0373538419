package io.parley.bench.stream;

import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** The stream contenders on the class path, in the order of the services file. */
public final class StreamRegistry {

    private StreamRegistry() {}

    /** Returns all contenders, including those that cannot run here. */
    public static List<StreamContender> all() {
        return ServiceLoader.load(StreamStack.class).stream()
                .flatMap(provider -> provider.get().contenders().stream())
                .toList();
    }

    /** Returns the contender with this name; empty if there is none. */
    public static Optional<StreamContender> find(String name) {
        return all().stream().filter(contender -> contender.name().equals(name)).findFirst();
    }

    /** Returns the contender with this name. */
    public static StreamContender named(String name) {
        return find(name)
                .orElseThrow(() -> new IllegalArgumentException("stream contender: %s (expected: one of %s)"
                        .formatted(
                                name, all().stream().map(StreamContender::name).toList())));
    }
}

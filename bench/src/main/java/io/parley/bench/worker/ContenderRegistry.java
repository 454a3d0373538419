package io.parley.bench.worker;

import io.parley.bench.contender.Contender;
import java.util.List;
import java.util.ServiceLoader;

/** The contenders on the class path, in the order of the services file. */
public final class ContenderRegistry {

    private ContenderRegistry() {}

    /** Returns all contenders, including those that cannot run here. */
    public static List<Contender> all() {
        return ServiceLoader.load(Contender.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /** Returns the contender with this name. */
    public static Contender named(String name) {
        return all().stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("contender: %s (expected: one of %s)"
                        .formatted(name, all().stream().map(Contender::name).toList())));
    }
}

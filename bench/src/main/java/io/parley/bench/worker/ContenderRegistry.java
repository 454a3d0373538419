package io.parley.bench.worker;

import io.parley.bench.contender.Contender;
import java.util.List;
import java.util.ServiceLoader;

/** All contenders on the class path, in the order of the services file. */
public final class ContenderRegistry {

    private ContenderRegistry() {}

    /** All of them, whether they can run here or not. */
    public static List<Contender> all() {
        return ServiceLoader.load(Contender.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /** The one of that name. */
    public static Contender named(String name) {
        return all().stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("contender: %s (expected: one of %s)"
                        .formatted(name, all().stream().map(Contender::name).toList())));
    }
}

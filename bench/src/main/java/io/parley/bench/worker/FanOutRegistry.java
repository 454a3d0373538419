package io.parley.bench.worker;

import io.parley.bench.contender.FanOutContender;
import java.util.List;
import java.util.ServiceLoader;

/** The contenders with many receivers on the class path, in the order of the services file. */
public final class FanOutRegistry {

    private FanOutRegistry() {}

    /** Returns all contenders. */
    public static List<FanOutContender> all() {
        return ServiceLoader.load(FanOutContender.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /** Returns the contender with this name. */
    public static FanOutContender named(String name) {
        return all().stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("fan-out contender: %s (expected: one of %s)"
                        .formatted(
                                name, all().stream().map(FanOutContender::name).toList())));
    }
}

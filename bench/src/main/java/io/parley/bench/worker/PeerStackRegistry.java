package io.parley.bench.worker;

import io.parley.bench.operation.PeerStack;
import java.util.List;
import java.util.ServiceLoader;

/** All stacks on the class path, in the order of the services file. */
public final class PeerStackRegistry {

    private PeerStackRegistry() {}

    /** All of them, whether they can run here or not. */
    public static List<PeerStack> all() {
        return ServiceLoader.load(PeerStack.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /** The one of that name. */
    static PeerStack named(String name) {
        return all().stream()
                .filter(stack -> stack.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("stack: " + name));
    }
}

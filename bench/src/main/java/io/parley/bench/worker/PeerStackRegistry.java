package io.parley.bench.worker;

import io.parley.bench.operation.PeerStack;
import java.util.List;
import java.util.ServiceLoader;

/** The peer stacks on the class path, in the order of the services file. */
public final class PeerStackRegistry {

    private PeerStackRegistry() {}

    /** Returns all stacks, including those that cannot run here. */
    public static List<PeerStack> all() {
        return ServiceLoader.load(PeerStack.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /** Returns the stack with this name. */
    static PeerStack named(String name) {
        return all().stream()
                .filter(stack -> stack.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("stack: %s (expected: one of %s)"
                        .formatted(name, all().stream().map(PeerStack::name).toList())));
    }
}

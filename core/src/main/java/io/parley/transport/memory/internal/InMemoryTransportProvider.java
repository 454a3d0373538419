package io.parley.transport.memory.internal;

import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import java.util.Set;

/** Makes transports on one {@link NetworkState}. */
public final class InMemoryTransportProvider implements TransportProvider {

    private final NetworkState network;

    /** On the network that all of this JVM share; for {@link java.util.ServiceLoader}. */
    public InMemoryTransportProvider() {
        this(NetworkState.shared());
    }

    /** On a network of its own. */
    public InMemoryTransportProvider(NetworkState network) {
        this.network = network;
    }

    @Override
    public Set<String> schemes() {
        return Set.of(InMemoryConnection.SCHEME);
    }

    @Override
    public Transport create(TransportContext context) {
        return new InMemoryTransport(network, context);
    }
}

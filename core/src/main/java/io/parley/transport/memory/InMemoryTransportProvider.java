package io.parley.transport.memory;

import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import java.util.Set;

/** Makes transports on one {@link InMemoryNetwork}. */
public final class InMemoryTransportProvider implements TransportProvider {

    private final InMemoryNetwork network;

    /** On the network that all of this JVM share; for {@link java.util.ServiceLoader}. */
    public InMemoryTransportProvider() {
        this(InMemoryNetwork.shared());
    }

    /** On a network of its own. */
    public InMemoryTransportProvider(InMemoryNetwork network) {
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

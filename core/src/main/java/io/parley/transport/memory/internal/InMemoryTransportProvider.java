package io.parley.transport.memory.internal;

import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import java.util.Set;

/** Creates transports on one {@link NetworkState}. */
public final class InMemoryTransportProvider implements TransportProvider {

    private final NetworkState network;

    /** Creates transports on the shared network of this JVM. For {@link java.util.ServiceLoader}. */
    public InMemoryTransportProvider() {
        this(NetworkState.shared());
    }

    /** Creates transports on this network. */
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

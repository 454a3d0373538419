package io.parley.transport.memory.internal;

import io.parley.transport.PropagationTransport;
import io.parley.transport.PropagationTransportProvider;
import io.parley.transport.TransportContext;

/**
 * Creates propagation transports on one {@link NetworkState}. It must be passed to the builder of a peer. It is not found by
 * {@link java.util.ServiceLoader}, because a propagated payload would reach every peer of this JVM, related or not.
 */
public final class InMemoryPropagationProvider implements PropagationTransportProvider {

    private final NetworkState network;

    /** Creates transports on this network. */
    public InMemoryPropagationProvider(NetworkState network) {
        this.network = network;
    }

    @Override
    public String scheme() {
        return InMemoryConnection.SCHEME;
    }

    @Override
    public PropagationTransport create(TransportContext context) {
        return new InMemoryPropagationTransport(network, context);
    }
}

package io.parley.transport.memory.internal;

import io.parley.transport.PropagationTransport;
import io.parley.transport.PropagationTransportProvider;
import io.parley.transport.TransportContext;

/**
 * Lets peers on one {@link NetworkState} hear each other. It is passed in by hand: unlike a connection, which goes to an
 * address that somebody has given, what is propagated would reach every peer of this JVM, related or not.
 */
public final class InMemoryPropagationProvider implements PropagationTransportProvider {

    private final NetworkState network;

    /** On that network. */
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

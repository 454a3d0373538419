package io.parley.transport;

/**
 * Creates the {@link PropagationTransport} of a peer. Providers are found by {@link java.util.ServiceLoader} or passed to the builder
 * of a peer.
 */
public interface PropagationTransportProvider {

    /** Returns the name of its transports, lower case. */
    String scheme();

    /** Creates a transport. The peer owns it and closes it. */
    PropagationTransport create(TransportContext context);
}

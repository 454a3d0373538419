package io.parley.transport;

/** Makes a {@link PropagationTransport} for a peer; found by {@link java.util.ServiceLoader}, or passed in by hand. */
public interface PropagationTransportProvider {

    /** What its transport is called, lower case. */
    String scheme();

    /** A new transport, which the peer owns and closes. */
    PropagationTransport create(TransportContext context);
}

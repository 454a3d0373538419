package io.parley.endpoint;

import java.util.Set;

/** Makes a {@link Transport} for a peer; found by {@link java.util.ServiceLoader}, or passed to the peer's builder. */
public interface TransportProvider {

    /** The address schemes that its transport serves, lower case. */
    Set<String> schemes();

    /** A new transport, which the peer owns and closes. */
    Transport create(TransportContext context);
}

package io.parley.transport;

import java.util.Set;

/**
 * Creates the {@link Transport} of a peer. Providers are found by {@link java.util.ServiceLoader} or passed to the builder of a peer.
 */
public interface TransportProvider {

    /** Returns the address schemes that its transports serve, lower case. */
    Set<String> schemes();

    /**
     * Starts to load, on another thread, the classes and native code that a new JVM needs long to load. Called for each peer
     * that starts, while it reads its identity. {@link #create} may follow before the loading is complete, or never, so it
     * must not acquire a resource that must be closed. Must not block or throw. The default does nothing.
     *
     * @param security the protection of the connections
     */
    default void preload(TransportSecurity security) {}

    /** Creates a transport. The peer owns it and closes it. */
    Transport create(TransportContext context);
}

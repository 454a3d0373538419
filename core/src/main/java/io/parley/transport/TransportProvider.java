package io.parley.transport;

import java.util.Set;

/** Makes a {@link Transport} for a peer; found by {@link java.util.ServiceLoader}, or passed to the peer's builder. */
public interface TransportProvider {

    /** The address schemes that its transport serves, lower case. */
    Set<String> schemes();

    /**
     * Says that a transport is about to be wanted, while the peer still reads its identity and the like: what takes a fresh
     * JVM long to load can be loaded meanwhile, in a thread of its own. Called for each peer that starts; {@link #create}
     * may follow before that is done, or never, so nothing may be held that has to be closed. Returns at once, and does not
     * throw; does nothing unless overridden.
     *
     * @param security how its connections will be protected
     */
    default void preload(TransportSecurity security) {}

    /** A new transport, which the peer owns and closes. */
    Transport create(TransportContext context);
}

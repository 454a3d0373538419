package io.parley.sockets;

import java.net.SocketException;
import java.util.Properties;

/** Where a factory gets its sockets from. */
@FunctionalInterface
interface SocketContextSource {

    /** The property with the peer, as {@link LocalPeers#find} takes it. */
    String PEER_PROPERTY = "parley.peer";

    /** The property in which the driver of PostgreSQL gives the argument of a factory. */
    String ARGUMENT_PROPERTY = "socketFactoryArg";

    SocketContext get() throws SocketException;

    /** Finds a peer of this JVM when it is needed, because the factory may be created earlier. */
    static SocketContextSource of(String peer) {
        return () -> SocketContext.of(LocalPeers.find(peer));
    }

    static SocketContextSource of(Properties properties) {
        String argument = properties.getProperty(ARGUMENT_PROPERTY, "");
        return of(properties.getProperty(PEER_PROPERTY, argument));
    }
}

package io.parley.sockets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.Properties;
import javax.net.ServerSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Creates {@link PeerServerSocket}s for software that takes a {@link ServerSocketFactory}. Such software knows only ports: port 5432
 * is the service {@code 5432}, so {@code 5432.<peer id>.parley} is its host name. Where the software creates the factory by the name of
 * its class, the argument names a running peer as that of {@link PeerSocketFactory} does. Thread-safe.
 */
public final class PeerServerSocketFactory extends ServerSocketFactory {

    private final SocketContextSource source;

    PeerServerSocketFactory(SocketContext sockets) {
        this.source = () -> sockets;
    }

    /** Creates a factory as {@link PeerSocketFactory#PeerSocketFactory(String)} does. */
    public PeerServerSocketFactory(String peer) {
        this.source = SocketContextSource.of(peer);
    }

    /** Creates a factory as {@link PeerSocketFactory#PeerSocketFactory(Properties)} does. */
    public PeerServerSocketFactory(Properties properties) {
        this.source = SocketContextSource.of(properties);
    }

    /** Returns a server socket that is not bound. */
    @Override
    public PeerServerSocket createServerSocket() throws SocketException {
        return new PeerServerSocket(source.get());
    }

    /** Returns a server socket that is bound to the service of the port; see {@link PeerServerSocket#bind}. */
    @Override
    public PeerServerSocket createServerSocket(int port) throws IOException {
        return createServerSocket(port, 0);
    }

    /** Returns a server socket that is bound to the service of the port; see {@link PeerServerSocket#bind}. */
    @Override
    public PeerServerSocket createServerSocket(int port, int backlog) throws IOException {
        return createServerSocket(port, backlog, null);
    }

    /** Returns a server socket that is bound to the service of the address; see {@link PeerServerSocket#bind}. */
    @Override
    public PeerServerSocket createServerSocket(int port, int backlog, @Nullable InetAddress address)
            throws IOException {
        PeerServerSocket server = createServerSocket();
        server.bind(new InetSocketAddress(address, port), backlog);
        return server;
    }
}

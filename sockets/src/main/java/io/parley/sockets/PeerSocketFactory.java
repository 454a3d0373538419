package io.parley.sockets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.Properties;
import javax.net.SocketFactory;

/**
 * Creates {@link PeerSocket}s for software that takes a {@link SocketFactory}. Sockets connect by host texts such as
 * {@code db.<peer id>.parley}. Where the software creates the factory by the name of its class, its argument names a running peer of
 * this JVM: by its name or id, and after a slash the name of the group if that is not clear. Thread-safe.
 */
public final class PeerSocketFactory extends SocketFactory {

    private final SocketContextSource source;

    PeerSocketFactory(SocketContext sockets) {
        this.source = () -> sockets;
    }

    /**
     * Creates a factory of the sockets of a running peer of this JVM, which is found when a socket is created.
     *
     * @param peer the name or the id of the peer, and after a slash the name of the group if the peer has sockets in several; empty for
     *     the only peer with sockets
     */
    public PeerSocketFactory(String peer) {
        this.source = SocketContextSource.of(peer);
    }

    /**
     * Creates a factory of the sockets of a running peer of this JVM, which is found when a socket is created.
     *
     * @param properties {@code parley.peer} names the peer, as in {@link #PeerSocketFactory(String)}; without it
     *     {@code socketFactoryArg}, in which the driver of PostgreSQL passes its argument
     */
    public PeerSocketFactory(Properties properties) {
        this.source = SocketContextSource.of(properties);
    }

    /** Returns a socket that is not connected. */
    @Override
    public PeerSocket createSocket() throws SocketException {
        return new PeerSocket(source.get());
    }

    /** Returns a socket that is connected to the service of a host text. The host is not looked up. */
    @Override
    public PeerSocket createSocket(String host, int port) throws IOException {
        return connected(InetSocketAddress.createUnresolved(host, port));
    }

    /** Returns a connected socket as {@link #createSocket(String, int)} does. The local address has no meaning. */
    @Override
    public PeerSocket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(host, port);
    }

    /** Returns a socket that is connected to the service of the host text of the address. */
    @Override
    public PeerSocket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port));
    }

    /** Returns a connected socket as {@link #createSocket(InetAddress, int)} does. The local address has no meaning. */
    @Override
    public PeerSocket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
            throws IOException {
        return createSocket(address, port);
    }

    private PeerSocket connected(InetSocketAddress address) throws IOException {
        PeerSocket socket = createSocket();
        socket.connect(address);
        return socket;
    }
}

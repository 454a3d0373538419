package io.parley.sockets;

import io.parley.id.PeerId;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * A {@link Socket} to a service of a peer. It connects by the text of a host name, {@code <service>.<peer id>.parley} or
 * {@code <service>.parley}, which nothing here looks up in the DNS; the port has no meaning, and is kept. Options without a meaning for
 * a stream between peers are kept, too. See {@link PeerSockets}.
 *
 * <p>The stream survives a lost connection: reads and writes wait for at most {@link SocketLimits#resumeTimeout()}, no byte is lost or
 * repeated, and then both sides fail with a {@link SocketException}. {@link #close()} returns at once unless the linger option is set;
 * what was written is sent in the background, for at most {@link SocketLimits#closeTimeout()}.
 */
public final class PeerSocket extends Socket {

    private final PeerSocketImpl stream;

    PeerSocket(SocketContext sockets) throws SocketException {
        this(new PeerSocketImpl(sockets));
    }

    PeerSocket(PeerSocketImpl stream) throws SocketException {
        super(stream);
        this.stream = stream;
    }

    /**
     * Connects, with {@link SocketLimits#connectTimeout()}. See {@link #connect(SocketAddress, int)}.
     */
    @Override
    public void connect(SocketAddress endpoint) throws IOException {
        connect(endpoint, 0);
    }

    /**
     * Connects to a service by the host text of the address, which may be unresolved.
     *
     * @param timeout in milliseconds; zero for {@link SocketLimits#connectTimeout()}
     * @throws java.net.UnknownHostException if the host text names no service; the message states why
     * @throws java.net.SocketTimeoutException if no peer with the service was found within the timeout, or it has not responded
     * @throws java.net.ConnectException if the peer does not have the service, or has refused the connection; if it was too busy, after the
     *     timeout
     * @throws java.net.NoRouteToHostException if the peer that the host text names is unreachable until the timeout
     */
    @Override
    public void connect(SocketAddress endpoint, int timeout) throws IOException {
        connectOrClose(
                endpoint instanceof InetSocketAddress inet && inet.isUnresolved()
                        ? SocketAddresses.resolved(inet)
                        : endpoint,
                timeout);
    }

    private void connectOrClose(SocketAddress endpoint, int timeout) throws IOException {
        try {
            super.connect(endpoint, timeout);
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (InterruptedIOException e) { // of a virtual thread, as the JDK's own implementation does
            close();
            throw new SocketException("Closed by interrupt");
        }
    }

    /** Connects to what is not a host text: the JDK's class marks this socket as connected. */
    void connect(SocketTarget target, Duration timeout) throws IOException {
        stream.setNextTarget(target, timeout);
        connectOrClose(
                SocketAddresses.resolved(InetSocketAddress.createUnresolved(
                        target.service() + "." + ServiceHost.DOMAIN, SocketAddresses.DEFAULT_PORT)),
                0);
    }

    /**
     * Closes this socket. Returns at once, unless the linger option is set: then waits for at most that time until the remote peer has all
     * bytes, and resets the stream if it has not. Other calls do not wait for that.
     */
    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // so that the wait holds no monitor
    public void close() throws IOException {
        super.close();
        stream.close(); // the JDK's class does not while another thread begins to connect
        stream.linger();
    }

    /** Returns whether this socket is closed, also because its group or its peer is. */
    @Override
    public boolean isClosed() {
        return stream.hasClosedStream() || super.isClosed();
    }

    /**
     * Returns the remote peer, authenticated by its connection.
     *
     * @throws SocketException if this socket is not connected, or closed
     */
    public PeerId remotePeer() throws SocketException {
        return stream.stream().remotePeer();
    }

    /**
     * Returns the name of the service that this socket has connected to, or was accepted by.
     *
     * @throws SocketException if this socket is not connected, or closed
     */
    public String service() throws SocketException {
        return stream.stream().service();
    }

    /**
     * Returns this socket as a byte channel. Closing one closes the other.
     *
     * @throws SocketException if this socket is not connected, or closed
     */
    public PeerByteChannel byteChannel() throws SocketException {
        return new PeerByteChannel(this, stream.stream());
    }
}

package io.parley.sockets;

import io.parley.id.PipeId;
import io.parley.pipes.PipeTicket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ServerSocket} that is bound to a socket service of this peer. The service is published in the group until it is closed, unless it
 * was opened under a pipe id. Connections that wait for {@link #accept} are bounded by the backlog, and reset after {@link SocketLimits#acceptTimeout()}. Closing it does not
 * close accepted sockets. See {@link PeerSockets}.
 */
public final class PeerServerSocket extends ServerSocket {

    private static final int HEXADECIMAL = 16;

    private final SocketContext sockets;
    private final PeerServerSocketImpl listener;

    PeerServerSocket(SocketContext sockets) {
        this(sockets, new PeerServerSocketImpl(sockets, null));
    }

    /** @param pipe the pipe of the service, which is then not published */
    PeerServerSocket(SocketContext sockets, PipeId pipe) {
        this(sockets, new PeerServerSocketImpl(sockets, pipe));
    }

    PeerServerSocket(SocketContext sockets, PeerServerSocketImpl listener) {
        super(listener);
        this.sockets = sockets;
        this.listener = listener;
    }

    /** Binds as {@link #bind(SocketAddress, int)} does, with {@link SocketLimits#backlog()}. */
    @Override
    public void bind(@Nullable SocketAddress endpoint) throws IOException {
        bind(endpoint, sockets.limits().backlog());
    }

    /**
     * Binds to a service: the one that the host text of the address names, without a peer id or with that of this peer. An address
     * with another host text, such as a wildcard, names it by its port in decimal digits; a port of zero, or no address, by a random name.
     *
     * @param backlog the number of connections that may wait for {@link #accept}, at most {@link SocketLimits#MAX_BACKLOG}; zero or
     *     less for {@link SocketLimits#backlog()}
     * @throws java.net.BindException if this peer has the service already, or the host text names another peer
     */
    @Override
    public void bind(@Nullable SocketAddress endpoint, int backlog) throws IOException {
        int port = 0;
        String service = "";
        if (endpoint != null) {
            if (!(endpoint instanceof InetSocketAddress inet)) {
                throw new IllegalArgumentException("Unsupported address type");
            }
            port = inet.getPort();
            service = serviceOf(inet);
        }
        if (service.isEmpty()) {
            service = port == 0 ? randomName() : Integer.toString(port);
        }
        bind(service, port, backlog);
    }

    private String serviceOf(InetSocketAddress address) throws IOException {
        String host = address.getHostString();
        if (!ServiceHost.isServiceHost(host)) {
            return "";
        }
        ServiceHost parsed = SocketAddresses.parse(host);
        if (parsed.peerId() != null
                && !parsed.peerId().equals(sockets.group().endpoint().peerId())) {
            throw new java.net.BindException(
                    "Cannot assign requested address: host " + host + " names another peer (expected: this one, "
                            + sockets.group().endpoint().peerId() + ")");
        }
        return parsed.service();
    }

    private String randomName() {
        return "s" + Long.toUnsignedString(sockets.group().scheduler().random().nextLong(), HEXADECIMAL);
    }

    void bind(String service, int port, int backlog) throws IOException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        listener.setService(service);
        try {
            super.bind(
                    SocketAddresses.resolved(InetSocketAddress.createUnresolved(service, port)),
                    backlog < 1 ? sockets.limits().backlog() : backlog);
        } catch (IOException | RuntimeException | Error e) {
            listener.clearService();
            throw e;
        }
    }

    /**
     * Waits for a connection, at most for the timeout that {@link #setSoTimeout} has set.
     *
     * @throws java.net.SocketTimeoutException if there was none within the timeout
     * @throws SocketException if this socket is closed, also while this call waits
     */
    @Override
    public PeerSocket accept() throws IOException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (!isBound()) {
            throw new SocketException("Socket is not bound yet");
        }
        PeerSocket accepted = new PeerSocket(sockets);
        implAccept(accepted);
        return accepted;
    }

    /** Closes this socket, and resets the connections that wait for {@link #accept}. An {@code accept} or a bind in progress fails. */
    @Override
    public void close() throws IOException {
        super.close();
        listener.close(); // the JDK's class does not while another thread begins to bind
    }

    /** Returns whether this socket is closed, also because its group or its peer is. */
    @Override
    public boolean isClosed() {
        return listener.isClosed() || super.isClosed();
    }

    /**
     * Returns the ticket, with which another peer can connect without a search. See {@link PeerSockets#connect(PipeTicket, String,
     * java.time.Duration)}.
     *
     * @throws SocketException if this socket is not bound, or closed
     */
    public PipeTicket ticket() throws SocketException {
        return listener.acceptor().ticket();
    }

    /**
     * Returns the host name of the service, by which other programs connect to this peer.
     *
     * @throws SocketException if this socket is not bound
     */
    public ServiceHost host() throws SocketException {
        if (!isBound()) {
            throw new SocketException("Socket is not bound yet");
        }
        return ServiceHost.parse(getInetAddress().getHostName());
    }
}

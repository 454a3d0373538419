package io.parley.sockets;

import io.parley.Peer;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.common.internal.Arguments;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.Pipes;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * Opens sockets between the peers of a group. Instances hold no resources; sockets that are open when the group closes are closed with it.
 * Thread-safe.
 *
 * <pre>{@code
 * try (PeerServerSocket server = PeerSockets.of(group).listen("echo"); PeerSocket socket = server.accept()) {
 *     socket.getInputStream().transferTo(socket.getOutputStream());
 * }
 *
 * try (PeerSocket socket = PeerSockets.of(group).connect("echo", Duration.ofSeconds(5))) {
 *     socket.getOutputStream().write(request);
 *     socket.shutdownOutput();
 *     byte[] response = socket.getInputStream().readAllBytes();
 * }
 * }</pre>
 *
 * <p>A service has a name that fits into a host name, see {@link ServiceHost}. Programs that know only host names and {@link java.net.Socket}
 * use the {@link #socketFactory}.
 */
public final class PeerSockets {

    private final SocketContext context;

    private PeerSockets(SocketContext context) {
        this.context = context;
    }

    /**
     * Returns the sockets of a group.
     *
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#CLOSED} if the group is closing
     */
    public static PeerSockets of(PeerGroup group) {
        return new PeerSockets(SocketContext.of(group));
    }

    /** Returns the sockets of the net group, which every peer joins. */
    public static PeerSockets of(Peer peer) {
        return of(peer.netGroup());
    }

    /** Returns the same sockets with other limits. */
    public PeerSockets withLimits(SocketLimits value) {
        return new PeerSockets(context.with(value));
    }

    /**
     * Returns the same sockets, which are secure from peer to peer on any transport. See {@link Pipes#secure}. Both sides must be.
     */
    public PeerSockets secure() {
        return new PeerSockets(context.secure());
    }

    /**
     * Returns the same sockets, whose server sockets refuse the connects of all other peers with
     * {@link io.parley.error.ErrorCode#IDENTITY_REFUSED}. The peer id is the one that the remote peer has proven.
     *
     * @param peers tests a peer that connects. It runs on event loops and must not block
     */
    public PeerSockets withAllowedPeers(Predicate<PeerId> peers) {
        return new PeerSockets(context.with(peers));
    }

    PeerSocketRegistry registry() {
        return context.registry();
    }

    private PeerGroup group() {
        return context.group();
    }

    /** Returns the limits. */
    public SocketLimits limits() {
        return context.limits();
    }

    /**
     * Opens the service of that name at this peer, and publishes it until the server socket is closed.
     *
     * @throws java.net.BindException if this peer has the service already
     * @throws IllegalArgumentException if the name does not fit into a host name
     */
    public PeerServerSocket listen(String service) throws IOException {
        ServiceHost host = ServiceHost.of(service);
        PeerServerSocket server = new PeerServerSocket(context);
        server.bind(host.service(), 0, limits().backlog());
        return server;
    }

    /**
     * Opens a service at this peer under a pipe id, and does not publish it: a peer needs the {@linkplain PeerServerSocket#ticket() ticket}.
     *
     * @param service the name of the service, for the addresses that sockets show
     * @throws java.net.BindException if this peer has the pipe open already
     * @throws IllegalArgumentException if the name does not fit into a host name
     */
    public PeerServerSocket listen(PipeId pipe, String service) throws IOException {
        ServiceHost host = ServiceHost.of(service);
        PeerServerSocket server = new PeerServerSocket(context, pipe);
        server.bind(host.service(), 0, limits().backlog());
        return server;
    }

    /**
     * Connects to a service of that name, at the first peer that responds of all that have published it.
     *
     * @param timeout above zero
     * @throws IOException as {@link PeerSocket#connect(java.net.SocketAddress, int)}
     * @throws IllegalArgumentException if the name does not fit into a host name
     */
    public PeerSocket connect(String service, Duration timeout) throws IOException {
        return connect(ServiceHost.of(service), timeout);
    }

    /**
     * Connects to a service of one peer. Searches for the address of the peer if it is unknown, until the timeout.
     *
     * @throws IOException as {@link PeerSocket#connect(java.net.SocketAddress, int)}
     * @throws IllegalArgumentException if the name does not fit into a host name
     */
    public PeerSocket connect(PeerId peer, String service, Duration timeout) throws IOException {
        return connect(ServiceHost.of(peer, service), timeout);
    }

    /**
     * Connects to a service by its host name.
     *
     * @throws IOException as {@link PeerSocket#connect(java.net.SocketAddress, int)}
     */
    public PeerSocket connect(ServiceHost host, Duration timeout) throws IOException {
        return connect(SocketTarget.of(group(), host), timeout);
    }

    /**
     * Connects to the service that a peer has published by this advertisement, at any peer that has published it.
     *
     * @throws IOException as {@link PeerSocket#connect(java.net.SocketAddress, int)}
     * @throws IllegalArgumentException if the advertisement is not of a socket service
     */
    public PeerSocket connect(PipeAdvertisement advertisement, Duration timeout) throws IOException {
        String service = StreamFormat.serviceOf(advertisement.name());
        ServiceHost.of(group().endpoint().peerId(), service); // as the address of the socket
        PipeId pipe = advertisement
                .id()
                .pipeId()
                .orElseThrow(() -> new IllegalArgumentException(
                        "advertisement: " + advertisement.id() + " (expected: the id of a pipe of a Parley peer)"));
        return connect(new SocketTarget(service, pipe, null, false), timeout);
    }

    /**
     * Connects to a service by the ticket of its server socket, without a search.
     *
     * @param service the name of the service, for the addresses that the socket shows
     * @throws IOException as {@link PeerSocket#connect(java.net.SocketAddress, int)}
     * @throws IllegalArgumentException if the name does not fit into a host name
     */
    public PeerSocket connect(PipeTicket ticket, String service, Duration timeout) throws IOException {
        ServiceHost.of(group().endpoint().peerId(), service); // as the address of the socket
        group().endpoint().addPeerAddress(ticket.holder());
        return connect(new SocketTarget(service, ticket.pipe(), ticket.holder().peer(), true), timeout);
    }

    private PeerSocket connect(SocketTarget target, Duration timeout) throws IOException {
        Arguments.requireTimeout("timeout", timeout);
        PeerSocket socket = new PeerSocket(context);
        socket.connect(target, timeout);
        return socket;
    }

    /** Returns the id of the pipe of a service, by which it is published. */
    public PipeId pipeId(String service) {
        return SocketTarget.of(group(), ServiceHost.of(service)).pipe();
    }

    /** Returns a factory of these sockets, which connect by the text of a host name. */
    public PeerSocketFactory socketFactory() {
        return new PeerSocketFactory(context);
    }

    /** Returns a factory of these server sockets. */
    public PeerServerSocketFactory serverSocketFactory() {
        return new PeerServerSocketFactory(context);
    }
}

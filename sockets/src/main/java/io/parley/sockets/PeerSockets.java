package io.parley.sockets;

import io.parley.Peer;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.common.internal.Arguments;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.pipes.BidirectionalPipes;
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

    private final SocketRegistry registry;
    private final BidirectionalPipes pipes;
    private final SocketLimits limits;
    private final Predicate<PeerId> allowed;

    private PeerSockets(
            SocketRegistry registry, BidirectionalPipes pipes, SocketLimits limits, Predicate<PeerId> allowed) {
        this.registry = registry;
        this.pipes = pipes;
        this.limits = limits;
        this.allowed = allowed;
    }

    /**
     * Returns the sockets of a group.
     *
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#CLOSED} if the group is closing
     */
    public static PeerSockets of(PeerGroup group) {
        SocketRegistry registry = group.extension(SocketRegistry.class, SocketRegistry::new);
        return new PeerSockets(registry, Pipes.of(group).bidirectional(), SocketLimits.DEFAULTS, peer -> true)
                .withLimits(SocketLimits.DEFAULTS);
    }

    /** Returns the sockets of the net group, which every peer joins. */
    public static PeerSockets of(Peer peer) {
        return of(peer.netGroup());
    }

    /** Returns the same sockets with other limits. */
    public PeerSockets withLimits(SocketLimits value) {
        long window = Math.min(
                value.bufferBytes(), registry.group().endpoint().limits().peerMemoryBytes());
        return new PeerSockets(registry, pipes.withWindowBytes((int) window), value, allowed);
    }

    /**
     * Returns the same sockets, which are secure from peer to peer, also through relays. See {@link Pipes#secure}. Both sides must be.
     */
    public PeerSockets secure() {
        return new PeerSockets(registry, pipes.secure(), limits, allowed);
    }

    /**
     * Returns the same sockets, whose server sockets refuse the connects of all other peers with
     * {@link io.parley.error.ErrorCode#IDENTITY_REFUSED}. The peer id is the one that the remote peer has proven.
     *
     * @param peers tests a peer that connects. It runs on event loops and must not block
     */
    public PeerSockets withAllowedPeers(Predicate<PeerId> peers) {
        return new PeerSockets(registry, pipes, limits, peers);
    }

    Predicate<PeerId> allowedPeers() {
        return allowed;
    }

    SocketRegistry registry() {
        return registry;
    }

    PeerGroup group() {
        return registry.group();
    }

    BidirectionalPipes pipes() {
        return pipes;
    }

    /** Returns the limits. */
    public SocketLimits limits() {
        return limits;
    }

    /**
     * Opens the service of that name at this peer, and publishes it until the server socket is closed.
     *
     * @throws java.net.BindException if this peer has the service already
     * @throws IllegalArgumentException if the name does not fit into a host name
     */
    public PeerServerSocket listen(String service) throws IOException {
        ServiceHost host = ServiceHost.of(service);
        PeerServerSocket server = new PeerServerSocket(this);
        server.bind(host.service(), 0, limits.backlog());
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
        PeerServerSocket server = new PeerServerSocket(this, pipe);
        server.bind(host.service(), 0, limits.backlog());
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
     * Connects to a service of one peer. Searches for the address of the peer if it is unknown.
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
        String service = StreamFormat.serviceOf(String.valueOf(advertisement.name()));
        ServiceHost.requireService(service);
        PipeId pipe = advertisement
                .id()
                .pipeId()
                .orElseThrow(() -> new IllegalArgumentException(
                        "advertisement: " + advertisement.id() + " (expected: the id of a pipe of a Parley peer)"));
        return connect(new SocketTarget(service, pipe, null), timeout);
    }

    /**
     * Connects to a service by the ticket of its server socket, without a search.
     *
     * @param service the name of the service, for the addresses that the socket shows
     * @throws IOException as {@link PeerSocket#connect(java.net.SocketAddress, int)}
     * @throws IllegalArgumentException if the name does not fit into a host name
     */
    public PeerSocket connect(PipeTicket ticket, String service, Duration timeout) throws IOException {
        ServiceHost.requireService(service);
        group().endpoint().addPeerAddress(ticket.holder());
        return connect(new SocketTarget(service, ticket.pipe(), ticket.holder().peer()), timeout);
    }

    private PeerSocket connect(SocketTarget target, Duration timeout) throws IOException {
        Arguments.requireTimeout("timeout", timeout);
        PeerSocket socket = new PeerSocket(this);
        socket.connect(target, timeout);
        return socket;
    }

    /**
     * Connects to a service of that name as {@link #connect(String, Duration)} does, for programs with buffers and files.
     *
     * @throws IOException as {@link PeerSocket#connect(java.net.SocketAddress, int)}
     * @throws IllegalArgumentException if the name does not fit into a host name
     */
    public PeerByteChannel open(String service, Duration timeout) throws IOException {
        return connect(service, timeout).byteChannel();
    }

    /**
     * Connects to a service of one peer as {@link #connect(PeerId, String, Duration)} does, for programs with buffers and files.
     *
     * @throws IOException as {@link PeerSocket#connect(java.net.SocketAddress, int)}
     * @throws IllegalArgumentException if the name does not fit into a host name
     */
    public PeerByteChannel open(PeerId peer, String service, Duration timeout) throws IOException {
        return connect(peer, service, timeout).byteChannel();
    }

    /** Returns the id of the pipe of a service, by which it is published. */
    public PipeId pipeId(String service) {
        return SocketTarget.of(group(), ServiceHost.of(service)).pipe();
    }

    /** Returns a factory of these sockets, which connect by the text of a host name. */
    public PeerSocketFactory socketFactory() {
        return new PeerSocketFactory(this);
    }

    /** Returns a factory of these server sockets. */
    public PeerServerSocketFactory serverSocketFactory() {
        return new PeerServerSocketFactory(this);
    }
}

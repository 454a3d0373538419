package io.parley;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointLimits;
import io.parley.group.GroupBuilder;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousService;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A running peer: an identity, the transports it listens on and the endpoint that connects it to others. Pipes and
 * everything above take a peer to work on. Several peers may live in one JVM. Safe from any thread.
 *
 * <pre>{@code
 * try (Peer peer = Peer.builder().name("alice").home(Path.of("alice")).listen("tcp://0.0.0.0:9701").start()) {
 *     ...
 * }
 * }</pre>
 */
public final class Peer implements AsyncCloseable {

    private final String name;
    private final Identity identity;
    private final Endpoint endpoint;
    private final PeerOverlay overlay;
    private final CallbackExecutor callbacks;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    Peer(String name, Identity identity, Endpoint endpoint, PeerOverlay overlay, CallbackExecutor callbacks) {
        this.name = name;
        this.identity = identity;
        this.endpoint = endpoint;
        this.overlay = overlay;
        this.callbacks = callbacks;
        endpoint.whenClosed().thenRun(this::finish);
    }

    private void finish() {
        callbacks.shutdown();
        closed.complete(null);
    }

    /** A peer with the default settings, which listens nowhere and forgets its identity when it ends. */
    public static PeerBuilder builder() {
        return new PeerBuilder();
    }

    /** Preset: reachable from this machine only, on any free TCP port, and not looked for on the local network. */
    public static PeerBuilder loopback() {
        return builder().listen("tcp://127.0.0.1:0").multicast(false);
    }

    /** Preset: reachable from the local network, on any free TCP port; dead neighbours are noticed within 15 s. */
    public static PeerBuilder lan() {
        return builder()
                .listen("tcp://0.0.0.0:0")
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .keepAliveInterval(Duration.ofSeconds(5))
                        .build());
    }

    /** Preset: on the TCP port of JXTA, 9701, with windows and time-outs for long paths. */
    public static PeerBuilder wan() {
        return builder()
                .listen("tcp://0.0.0.0:9701")
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .windowBytes(16 * 1024 * 1024)
                        .queueBytes(16 * 1024 * 1024)
                        .connectTimeout(Duration.ofSeconds(10))
                        .handshakeTimeout(Duration.ofSeconds(10))
                        .reconnectTimeout(Duration.ofMinutes(2))
                        .build());
    }

    /** The name people see; need not be unique. */
    public String name() {
        return name;
    }

    /** Who this peer is. */
    public PeerId id() {
        return endpoint.peerId();
    }

    /** The keys behind {@link #id()}. */
    public Identity identity() {
        return identity;
    }

    /** The layer that sends messages to services of other peers. */
    public Endpoint endpoint() {
        return endpoint;
    }

    /** What another peer needs to connect to this one. */
    public PeerAddress address() {
        return endpoint.peerAddress();
    }

    /** The group that every peer is in. */
    public PeerGroup netGroup() {
        return overlay.groups().net();
    }

    /** To join the open group of that name: {@code peer.group("weather").join()}. */
    public GroupBuilder group(String groupName) {
        return () -> overlay.groups().join(groupName);
    }

    /** The groups that were joined and not left, in that order, the net group not among them. */
    public List<PeerGroup> groups() {
        return overlay.groups().joined();
    }

    /** This peer's rendezvous, or the part it has as one. */
    public RendezvousService rendezvous() {
        return overlay.rendezvous();
    }

    /** As {@link RendezvousService#whenOnline()}. */
    public CompletableFuture<Void> whenOnline() {
        return overlay.rendezvous().whenOnline();
    }

    /**
     * Makes another peer's address known.
     *
     * @see Endpoint#addPeerAddress
     */
    public void addPeerAddress(PeerId peer, String address) {
        endpoint.addPeerAddress(PeerAddress.of(peer, EndpointAddress.parse(address)));
    }

    /** Runs user callbacks, off the threads that serve connections; the default executor of listeners. */
    public Executor callbackExecutor() {
        return callbacks;
    }

    /** Leaves the groups, which withdraws what this peer has published, then closes connections in order. */
    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            overlay.close(endpoint.limits().closeTimeout()).whenComplete((left, failure) -> endpoint.closeAsync());
        }
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return closing.get();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(
                this, endpoint.limits().closeTimeout().multipliedBy(2).plusSeconds(2));
    }

    @Override
    public String toString() {
        return "Peer " + name + " " + id().shortText();
    }
}

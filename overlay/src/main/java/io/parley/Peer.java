package io.parley;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.endpoint.Endpoint;
import io.parley.group.GroupBuilder;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousService;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A running peer: an identity, its endpoint, and the groups that it has joined. Pipes and everything above are opened on a
 * peer or on one of its groups. Several peers may run in one JVM. Thread-safe.
 *
 * <p>Callbacks of users run on the {@linkplain #callbackExecutor() callback executor} and may block, unless a method states
 * another thread. The peer's own work never runs there. Dependent stages of a future that a method returns run on the thread
 * that completes the future, which may be an event loop or a thread of the peer's work: a stage that blocks must be one of the
 * {@code ...Async} forms, with the callback executor.
 *
 * <pre>{@code
 * try (Peer peer = Peer.builder().name("alice").home(Path.of("alice")).listen("tcp://0.0.0.0:9701").start()) {
 *     ...
 * }
 * }</pre>
 *
 * <p>The user guide in {@code docs/guide} has recipes for the first week, from the first message to errors by message.
 */
public final class Peer implements AsyncCloseable {

    private final String name;
    private final Identity identity;
    private final Endpoint endpoint;
    private final PeerOverlay overlay;
    private final Executor callbackExecutor;
    private final Runnable release;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** @param release releases the rest after the endpoint and the overlay are closed */
    Peer(
            String name,
            Identity identity,
            Endpoint endpoint,
            PeerOverlay overlay,
            Executor callbackExecutor,
            Runnable release) {
        this.name = name;
        this.identity = identity;
        this.endpoint = endpoint;
        this.overlay = overlay;
        this.callbackExecutor = callbackExecutor;
        this.release = release;
        endpoint.whenClosed().thenRun(this::closeAsync); // it may close first
    }

    /** Returns a builder with the default settings: the peer does not listen, and its identity is lost when it closes. */
    public static PeerBuilder builder() {
        return new PeerBuilder();
    }

    /** Preset: listens on a free TCP port of the loopback interface; does not use the local network. */
    public static PeerBuilder loopback() {
        return builder().presetListen("tcp://127.0.0.1:0").multicast(false);
    }

    /** Preset: listens on a free TCP port of all interfaces; detects lost connections within 15 s. */
    public static PeerBuilder lan() {
        return builder()
                .presetListen("tcp://0.0.0.0:0")
                .limits(limits -> limits.toBuilder()
                        .keepAliveInterval(Duration.ofSeconds(5))
                        .build());
    }

    /** Preset: listens on the TCP port of JXTA, 9701, with windows and timeouts for long paths. */
    public static PeerBuilder wan() {
        return builder()
                .presetListen("tcp://0.0.0.0:9701")
                .limits(limits -> limits.toBuilder()
                        .windowBytes(16 * 1024 * 1024)
                        .queueBytes(16 * 1024 * 1024)
                        .connectTimeout(Duration.ofSeconds(10))
                        .handshakeTimeout(Duration.ofSeconds(10))
                        .reconnectTimeout(Duration.ofMinutes(2))
                        .build());
    }

    /** Returns the name that is displayed to users. It need not be unique. */
    public String name() {
        return name;
    }

    /** Returns the peer id. */
    public PeerId id() {
        return endpoint.peerId();
    }

    /** Returns the identity, whose public key is {@link #id()}. */
    public Identity identity() {
        return identity;
    }

    /** Returns the endpoint, which sends messages to services of other peers. */
    public Endpoint endpoint() {
        return endpoint;
    }

    /** Returns the peer id and the addresses of this peer. Another peer needs them to connect without a search. */
    public PeerAddress address() {
        return endpoint.peerAddress();
    }

    /** Returns the net group, which every peer joins when it starts. */
    public PeerGroup netGroup() {
        return overlay.groups().net();
    }

    /** Returns a builder that joins the open group of that name: {@code peer.group("weather").join()}. */
    public GroupBuilder group(String groupName) {
        return () -> overlay.groups().join(groupName);
    }

    /** Returns the groups that were joined and not left, in that order, without the net group. */
    public List<PeerGroup> groups() {
        return overlay.groups().joined();
    }

    /** Returns the role of this peer beyond the local network: client of a rendezvous, or rendezvous. */
    public RendezvousService rendezvous() {
        return overlay.rendezvous();
    }

    /** Returns {@link RendezvousService#whenOnline()}. */
    public CompletableFuture<Void> whenOnline() {
        return overlay.rendezvous().whenOnline();
    }

    /**
     * Returns the counts of all layers by name, such as {@code parley.endpoint.messages.sent}, in the order of the names. Each
     * count only grows. The names are stable; {@code docs/metrics.md} lists them. The result is an unmodifiable snapshot. For
     * Micrometer see {@code io.parley.metrics.ParleyMetrics}.
     */
    public SortedMap<String, Long> metrics() {
        return overlay.metrics().snapshot();
    }

    /**
     * Adds an address of another peer.
     *
     * @see Endpoint#addPeerAddress
     */
    public void addPeerAddress(PeerId peer, String address) {
        endpoint.addPeerAddress(PeerAddress.of(peer, EndpointAddress.parse(address)));
    }

    /** Returns the executor of user callbacks: the one passed to the builder, or the peer's own. */
    public Executor callbackExecutor() {
        return callbackExecutor;
    }

    /** Leaves the groups, which withdraws their advertisements, returns the lease, then closes all connections. */
    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            overlay.close(endpoint.limits().closeTimeout())
                    .handle((left, failure) -> endpoint.closeAsync())
                    .thenCompose(endpointClosed -> endpointClosed)
                    .whenComplete((done, failure) -> finish());
        }
        return closed.copy();
    }

    private void finish() {
        release.run();
        closed.complete(null);
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

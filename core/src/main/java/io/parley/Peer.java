package io.parley;

import io.parley.endpoint.AsyncCloseable;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointAddress;
import io.parley.endpoint.Limits;
import io.parley.endpoint.PeerAddress;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

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
    private final CallbackExecutor callbacks;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    Peer(String name, Identity identity, Endpoint endpoint, CallbackExecutor callbacks) {
        this.name = name;
        this.identity = identity;
        this.endpoint = endpoint;
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

    /** Preset: reachable from this machine only, on any free TCP port. */
    public static PeerBuilder loopback() {
        return builder().listen("tcp://127.0.0.1:0");
    }

    /** Preset: reachable from the local network, on any free TCP port; dead neighbours are noticed within 15 s. */
    public static PeerBuilder lan() {
        return builder().listen("tcp://0.0.0.0:0").limits(Limits.DEFAULTS.withKeepAliveInterval(Duration.ofSeconds(5)));
    }

    /** Preset: on the TCP port of JXTA, 9701, with windows and time-outs for long paths. */
    public static PeerBuilder wan() {
        return builder()
                .listen("tcp://0.0.0.0:9701")
                .limits(Limits.DEFAULTS
                        .withWindowBytes(16 * 1024 * 1024)
                        .withQueueBytes(16 * 1024 * 1024)
                        .withConnectTimeout(Duration.ofSeconds(10))
                        .withHandshakeTimeout(Duration.ofSeconds(10))
                        .withReconnectTimeout(Duration.ofMinutes(2)));
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

    /**
     * Makes another peer's address known.
     *
     * @see Endpoint#learn
     */
    public void learn(PeerId peer, String address) {
        endpoint.learn(PeerAddress.of(peer, EndpointAddress.parse(address)));
    }

    /** Runs user callbacks, off the threads that serve connections; the default executor of listeners. */
    public Executor callbackExecutor() {
        return callbacks;
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        endpoint.closeAsync();
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosed() {
        return endpoint.isClosed();
    }

    @Override
    public void close() {
        endpoint.close();
        if (endpoint.whenClosed().isDone()) {
            finish(); // what waits for the endpoint's end may still be on its way here
        }
    }

    @Override
    public String toString() {
        return "Peer " + name + " " + id().shortText();
    }
}

package io.parley.transport.memory;

import io.netty.util.concurrent.EventExecutorGroup;
import io.parley.id.PeerId;
import io.parley.transport.PropagationTransportProvider;
import io.parley.transport.TransportProvider;
import io.parley.transport.memory.internal.InMemoryPropagationProvider;
import io.parley.transport.memory.internal.InMemoryTransportProvider;
import io.parley.transport.memory.internal.NetworkState;
import java.time.Duration;

/**
 * A network inside this JVM, for tests and simulations. Peers on the same network reach each other at {@code mem://name}
 * addresses, and each receives what another one propagates. Frames may be delayed, and peers may be {@linkplain #isolate
 * isolated}. Its threads run while a transport is open. Thread-safe.
 *
 * <pre>{@code
 * InMemoryNetwork network = new InMemoryNetwork(2);
 * Peer peer = Peer.builder().transport(network.transportProvider()).listen("mem://any").start();
 * }</pre>
 */
public final class InMemoryNetwork {

    private final NetworkState state;

    /**
     * Creates a network without delay.
     *
     * @param threads the number of threads that serve its connections
     */
    public InMemoryNetwork(int threads) {
        this(threads, Duration.ZERO);
    }

    /**
     * Creates a network with a delay.
     *
     * @param threads the number of threads that serve its connections
     * @param delay   the delay from one peer to another, half of a round trip, at most a minute; to connect takes two of them
     * @throws IllegalArgumentException if the delay is negative or longer than a minute
     */
    public InMemoryNetwork(int threads, Duration delay) {
        this.state = new NetworkState(threads, delay);
    }

    /**
     * Creates a network without delay on executors of the caller, which it does not shut down. With the
     * {@code ManualEventLoops} of the test kit, all transports run on the thread of the test.
     */
    public InMemoryNetwork(EventExecutorGroup executors) {
        this(executors, Duration.ZERO);
    }

    /**
     * Creates a network with a delay on executors of the caller, which it does not shut down. Delays pass by the scheduler of
     * each peer.
     *
     * @param delay the delay from one peer to another, half of a round trip, at most a minute; to connect takes two of them
     * @throws IllegalArgumentException if the delay is negative or longer than a minute
     */
    public InMemoryNetwork(EventExecutorGroup executors, Duration delay) {
        this.state = new NetworkState(executors, delay);
    }

    /** Returns a provider of transports on this network. */
    public TransportProvider transportProvider() {
        return new InMemoryTransportProvider(state);
    }

    /**
     * Returns a provider of propagation transports on this network. It must be passed to the builder of a peer: it is not found
     * by {@link java.util.ServiceLoader}, because it reaches every peer of the network, related or not.
     */
    public PropagationTransportProvider propagationProvider() {
        return new InMemoryPropagationProvider(state);
    }

    /**
     * Isolates a peer without closing its connections, as if its machine had lost power. The connections stay open and carry
     * nothing; dials to and from it time out; nothing that is propagated reaches it or comes from it.
     */
    public void isolate(PeerId peer) {
        state.isolate(peer);
    }

    /** Ends the isolation of a peer. New connections work; the old ones still carry nothing. */
    public void restore(PeerId peer) {
        state.restore(peer);
    }
}

package io.parley.transport.memory.internal;

import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.parley.common.Scheduler;
import io.parley.common.internal.SharedEventExecutors;
import io.parley.common.internal.Timers;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The open transports of one in-memory network, its isolated peers and its executors. Executors of its own run while a
 * transport is open. Thread-safe.
 */
public final class NetworkState {

    private static final Duration MAX_DELAY = Duration.ofMinutes(1);
    private static final NetworkState SHARED = new NetworkState(2);

    private final Supplier<EventExecutorGroup> acquisition;
    private final Supplier<CompletableFuture<Void>> release;
    private final Duration delay;
    private final Map<String, InMemoryTransport.InMemoryServer> servers = new HashMap<>();
    private final Set<InMemoryTransport> transports = ConcurrentHashMap.newKeySet();
    private final Set<InMemoryPropagationTransport> propagationTransports = new CopyOnWriteArraySet<>();
    private final Set<PeerId> isolated = ConcurrentHashMap.newKeySet();

    /**
     * Creates a network without delay.
     *
     * @param threads the number of threads that serve its connections
     */
    public NetworkState(int threads) {
        this(threads, Duration.ZERO);
    }

    /**
     * Creates a network with a delay.
     *
     * @param threads the number of threads that serve its connections
     * @param delay   the delay from one peer to another, at most a minute; to connect takes two of them
     * @throws IllegalArgumentException if the delay is negative or longer than a minute
     */
    public NetworkState(int threads, Duration delay) {
        this(
                new SharedEventExecutors<>(
                        () -> new DefaultEventExecutorGroup(threads, new DefaultThreadFactory("parley-mem", true))),
                delay);
    }

    private NetworkState(SharedEventExecutors<EventExecutorGroup> own, Duration delay) {
        this(own::acquire, own::release, delay);
    }

    /**
     * Creates a network on executors of the caller, which it does not shut down.
     *
     * @param delay the delay from one peer to another, at most a minute; to connect takes two of them
     * @throws IllegalArgumentException if the delay is negative or longer than a minute
     */
    public NetworkState(EventExecutorGroup executors, Duration delay) {
        this(() -> executors, () -> CompletableFuture.completedFuture(null), delay);
    }

    private NetworkState(
            Supplier<EventExecutorGroup> acquisition, Supplier<CompletableFuture<Void>> release, Duration delay) {
        if (delay.isNegative() || delay.compareTo(MAX_DELAY) > 0) {
            throw new IllegalArgumentException("delay: " + delay + " (expected: >= 0, <= " + MAX_DELAY + ")");
        }
        this.acquisition = acquisition;
        this.release = release;
        this.delay = delay;
    }

    /** Returns the network of this JVM, which is the default. */
    public static NetworkState shared() {
        return SHARED;
    }

    /** Isolates a peer: cuts its connections without closing them, and drops what it sends and what is sent to it. */
    public void isolate(PeerId peer) {
        isolated.add(peer);
        transports.stream()
                .filter(transport -> transport.peer().equals(peer))
                .forEach(InMemoryTransport::cutConnections);
    }

    /** Ends the isolation of a peer. Its old connections stay cut. */
    public void restore(PeerId peer) {
        isolated.remove(peer);
    }

    boolean isIsolated(PeerId peer) {
        return isolated.contains(peer);
    }

    /** Returns the delay from one peer to another. */
    Duration delay() {
        return delay;
    }

    /** Runs the task on the executor after {@code delays} delays of the network. */
    void runAfterDelays(int delays, Scheduler scheduler, EventExecutor executor, Runnable task) {
        if (delay.isZero()) {
            executor.execute(task);
        } else {
            Timers.schedule(scheduler, delay.multipliedBy(delays), executor, task);
        }
    }

    EventExecutorGroup open(InMemoryTransport transport) {
        transports.add(transport);
        return open();
    }

    CompletableFuture<Void> close(InMemoryTransport transport) {
        transports.remove(transport);
        return close();
    }

    EventExecutorGroup open() {
        return acquisition.get();
    }

    /** Removes one user. The future completes after the threads have ended if it was the last one, else at once. */
    CompletableFuture<Void> close() {
        return release.get();
    }

    synchronized void bind(String name, InMemoryTransport.InMemoryServer server) {
        if (servers.putIfAbsent(name, server) != null) {
            throw ErrorCode.CANNOT_LISTEN.exception("mem://" + name + ": address in use; choose another name");
        }
    }

    synchronized void unbind(String name, InMemoryTransport.InMemoryServer server) {
        servers.remove(name, server);
    }

    synchronized InMemoryTransport.@Nullable InMemoryServer find(String name) {
        return servers.get(name);
    }

    /** Returns the started propagation transports in the order of their start. Safe to iterate while it changes. */
    Set<InMemoryPropagationTransport> propagationTransports() {
        return propagationTransports;
    }
}

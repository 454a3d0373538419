package io.parley.transport.memory.internal;

import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The transports that are open on one in-memory network, the peers that are isolated, and the threads that serve them, which
 * run while a transport is open. Thread-safe.
 */
public final class NetworkState {

    private static final Duration MAX_DELAY = Duration.ofMinutes(1);
    private static final NetworkState SHARED = new NetworkState(2);

    private final int threads;
    private final Duration delay;
    private final Map<String, InMemoryTransport.InMemoryServer> listeners = new HashMap<>();
    private final Set<InMemoryTransport> transports = ConcurrentHashMap.newKeySet();
    private final Set<InMemoryPropagationTransport> propagations = ConcurrentHashMap.newKeySet();
    private final Set<PeerId> isolated = ConcurrentHashMap.newKeySet();
    private @Nullable EventExecutorGroup executors;
    private int users;

    /**
     * A network of its own.
     *
     * @param threads how many threads serve its connections
     */
    public NetworkState(int threads) {
        this(threads, Duration.ZERO);
    }

    /**
     * A network of its own, on which everything takes a while: half of a round trip.
     *
     * @param threads how many threads serve its connections
     * @param delay   from one peer to another, at most a minute; to connect takes two of them
     * @throws IllegalArgumentException when the delay is negative or longer
     */
    public NetworkState(int threads, Duration delay) {
        if (delay.isNegative() || delay.compareTo(MAX_DELAY) > 0) {
            throw new IllegalArgumentException("delay: " + delay + " (expected: >= 0, <= " + MAX_DELAY + ")");
        }
        this.threads = threads;
        this.delay = delay;
    }

    /** The network of this JVM, which peers use that were not given another. */
    public static NetworkState shared() {
        return SHARED;
    }

    /**
     * Takes a peer off the network without a word: its connections stay open and dumb for ever, on both sides; dials to it
     * and by it time out; nothing propagated reaches it or comes from it. So a machine looks to others that has lost power.
     */
    public void isolate(PeerId peer) {
        isolated.add(peer);
        transports.stream()
                .filter(transport -> transport.peer().equals(peer))
                .forEach(InMemoryTransport::cutConnections);
    }

    /** Puts a peer that has isolated on the network again. Its old connections stay dumb; new ones can be made. */
    public void restore(PeerId peer) {
        isolated.remove(peer);
    }

    boolean isIsolated(PeerId peer) {
        return isolated.contains(peer);
    }

    /** From one peer to another. */
    Duration delay() {
        return delay;
    }

    /** Runs it on the executor when that many delays have passed. */
    void afterDelays(int delays, EventExecutor executor, Runnable task) {
        if (delay.isZero()) {
            executor.execute(task);
        } else {
            executor.schedule(task, delays * delay.toNanos(), TimeUnit.NANOSECONDS);
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

    synchronized EventExecutorGroup open() {
        EventExecutorGroup running = executors;
        if (running == null) {
            running = new DefaultEventExecutorGroup(threads, new DefaultThreadFactory("parley-mem", true));
            executors = running;
        }
        users++;
        return running;
    }

    /** One user less; completes when the threads have ended, if this was the last. */
    synchronized CompletableFuture<Void> close() {
        EventExecutorGroup running = executors;
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (--users > 0 || running == null) {
            done.complete(null);
        } else {
            executors = null;
            running.shutdownGracefully(0, 1, TimeUnit.SECONDS).addListener(ended -> done.complete(null));
        }
        return done;
    }

    synchronized void bind(String name, InMemoryTransport.InMemoryServer listening) {
        if (listeners.putIfAbsent(name, listening) != null) {
            throw ErrorCode.CANNOT_LISTEN.exception("address mem://" + name + " is in use");
        }
    }

    synchronized void unbind(String name, InMemoryTransport.InMemoryServer listening) {
        listeners.remove(name, listening);
    }

    synchronized InMemoryTransport.@Nullable InMemoryServer find(String name) {
        return listeners.get(name);
    }

    /** Those who hear what is propagated; safe to iterate while it changes. */
    Set<InMemoryPropagationTransport> propagations() {
        return propagations;
    }
}

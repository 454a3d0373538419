package io.parley.endpoint.memory;

import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import io.parley.error.ErrorCode;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A network inside this JVM: peers on the same one reach each other, and all of them hear what one propagates. Its threads
 * run while a transport is open. Safe from
 * any thread.
 */
public final class InMemoryNetwork {

    private static final InMemoryNetwork SHARED = new InMemoryNetwork(2);

    private final int threads;
    private final Map<String, InMemoryTransport.Listening> listeners = new HashMap<>();
    private final Set<InMemoryPropagation> propagations = ConcurrentHashMap.newKeySet();
    private @Nullable EventExecutorGroup executors;
    private int users;

    /**
     * A network of its own.
     *
     * @param threads how many threads serve its connections
     */
    public InMemoryNetwork(int threads) {
        this.threads = threads;
    }

    /** The network of this JVM, which peers use that were not given another. */
    public static InMemoryNetwork shared() {
        return SHARED;
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

    synchronized void bind(String name, InMemoryTransport.Listening listening) {
        if (listeners.putIfAbsent(name, listening) != null) {
            throw ErrorCode.CANNOT_LISTEN.exception("address mem://" + name + " is in use");
        }
    }

    synchronized void unbind(String name, InMemoryTransport.Listening listening) {
        listeners.remove(name, listening);
    }

    synchronized InMemoryTransport.@Nullable Listening find(String name) {
        return listeners.get(name);
    }

    /** Those who hear what is propagated; safe to iterate while it changes. */
    Set<InMemoryPropagation> propagations() {
        return propagations;
    }
}

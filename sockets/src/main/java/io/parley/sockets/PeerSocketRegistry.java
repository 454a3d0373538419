package io.parley.sockets;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.group.PeerGroup;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** The open sockets of one group of this peer. Closing the group closes them. Thread-safe. */
final class PeerSocketRegistry implements AsyncCloseable {

    private final PeerGroup group;
    private final AtomicInteger open = new AtomicInteger();

    /** The number of open sockets that remote peers have connected. */
    private final AtomicInteger inbound = new AtomicInteger();

    private final Set<PeerStream> streams = ConcurrentHashMap.newKeySet();
    private final Set<Runnable> serverClosers = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    PeerSocketRegistry(PeerGroup group) {
        this.group = group;
        LocalPeers.add(group);
    }

    PeerGroup group() {
        return group;
    }

    /** Returns the number of sockets that remote peers may connect, so that this peer can connect too. */
    static int maxInbound(int maxSockets) {
        return maxSockets - maxSockets / 4;
    }

    /** Registers the stream of a remote peer that connects until it is closed. Returns false if there are too many. */
    boolean tryAddInbound(PeerStream stream, int maxSockets) {
        if (inbound.incrementAndGet() > maxInbound(maxSockets) || !tryAdd(stream, maxSockets)) {
            inbound.decrementAndGet();
            return false;
        }
        stream.whenClosed().whenComplete((done, cause) -> inbound.decrementAndGet());
        return true;
    }

    /** Registers a stream until it is closed. Returns false if there are too many. */
    boolean tryAdd(PeerStream stream, int maxSockets) {
        if (open.incrementAndGet() > maxSockets) {
            open.decrementAndGet();
            return false;
        }
        streams.add(stream);
        stream.whenClosed().whenComplete((done, cause) -> {
            streams.remove(stream);
            open.decrementAndGet();
        });
        if (closing.get()) {
            stream.abort();
        }
        return true;
    }

    static SocketException tooMany(int maxSockets) {
        return new SocketException("Too many open sockets: " + maxSockets
                + " in this group (expected: < SocketLimits.maxSockets); close some, or raise the limit");
    }

    /** Registers an open server socket. */
    void addServer(Runnable closer) {
        serverClosers.add(closer);
        if (closing.get()) {
            closer.run();
        }
    }

    void removeServer(Runnable closer) {
        serverClosers.remove(closer);
    }

    /** Returns the number of open sockets. */
    int openSockets() {
        return open.get();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            LocalPeers.remove(group);
            serverClosers.forEach(Runnable::run);
            List<CompletableFuture<Void>> ends = new ArrayList<>();
            for (PeerStream stream : streams) {
                stream.close();
                ends.add(stream.whenClosed());
            }
            CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new))
                    .whenComplete((done, cause) -> closed.complete(null));
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
        Closeables.closeAndAwait(this, group.endpoint().limits().closeTimeout());
    }
}

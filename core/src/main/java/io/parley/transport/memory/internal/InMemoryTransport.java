package io.parley.transport.memory.internal;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.parley.common.internal.Closeables;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connections inside one JVM. Peers are who their contexts say they are, as nothing comes between; with
 * {@link TransportSecurity#PLAINTEXT} nothing counts as proven, as on a real network.
 */
public final class InMemoryTransport implements Transport {

    private static final String ANY = "any";

    private final NetworkState network;
    private final TransportContext context;
    private final EventExecutorGroup executors;
    private final AtomicLong names = new AtomicLong();
    private final Set<InMemoryServer> listeners = ConcurrentHashMap.newKeySet();
    private final Set<InMemoryConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicLong dialCount = new AtomicLong();
    private final ConcurrentMap<Long, CompletableFuture<Connection>> dials = new ConcurrentHashMap<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    InMemoryTransport(NetworkState network, TransportContext context) {
        this.network = network;
        this.context = context;
        this.executors = network.open(this);
    }

    @Override
    public Set<String> schemes() {
        return Set.of(InMemoryConnection.SCHEME);
    }

    @Override
    public CompletableFuture<Connection> dial(EndpointAddress address, @Nullable PeerId expected) {
        CompletableFuture<Connection> dialed = new CompletableFuture<>();
        long number = dialCount.incrementAndGet();
        dials.put(number, dialed);
        dialed.whenComplete((connection, failure) -> dials.remove(number));
        EventExecutor executor = executors.next();
        try {
            executor.execute(() -> {
                try {
                    if (!dialed.isDone()) {
                        connect(address, expected, executor, dialed);
                    }
                } catch (ParleyException e) {
                    dialed.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            dialed.completeExceptionally(closedException());
        }
        return dialed;
    }

    private void connect(
            EndpointAddress address,
            @Nullable PeerId expected,
            EventExecutor executor,
            CompletableFuture<Connection> dialed) {
        checkOpen();
        InMemoryServer target = network.find(address.host());
        if (target == null || target.isClosing()) {
            throw ErrorCode.UNREACHABLE.exception("nobody listens on " + address);
        }
        InMemoryTransport acceptor = target.transport();
        PeerId acceptorId = acceptor.peer();
        if (network.isIsolated(peer()) || network.isIsolated(acceptorId)) {
            failUnanswered(address, executor, dialed);
            return;
        }
        if (acceptor.context.security() != context.security()) {
            acceptor.context.metrics().increment(Counter.HANDSHAKES_FAILED);
            throw ErrorCode.IDENTITY_REFUSED.exception(address + ": the other side uses " + acceptor.context.security()
                    + ", this one " + context.security());
        }
        if (expected != null && isProven() && !expected.equals(acceptorId)) {
            throw ErrorCode.IDENTITY_REFUSED.exception(
                    address + ": peer " + acceptorId + " answered (expected: " + expected + ")");
        }
        InMemoryConnection near = InMemoryConnection.connect(
                executor,
                new EndpointAddress(InMemoryConnection.SCHEME, peer().shortText(), -1),
                isProven() ? peer() : null,
                acceptor.executors.next(),
                address,
                isProven() ? acceptorId : null,
                new SimulatedWire(network.delay()));
        add(near);
        acceptor.add(near.other());
        if (network.isIsolated(peer()) || network.isIsolated(acceptorId)) { // since it was looked at above
            near.wire().cut();
        }
        dialed.whenComplete((connection, failure) -> {
            if (dialed.isCancelled()) {
                near.abort(null);
            }
        });
        network.afterDelays(1, near.other().executor(), () -> accept(near.other(), target));
        network.afterDelays(2, executor, () -> dialed.complete(near));
    }

    private void failUnanswered(EndpointAddress address, EventExecutor executor, CompletableFuture<Connection> dialed) {
        Duration timeout = context.limits().connectTimeout();
        Future<?> alarm = executor.schedule(
                () -> dialed.completeExceptionally(
                        ErrorCode.TIMEOUT.exception(address + " did not answer within " + timeout)),
                timeout.toNanos(),
                TimeUnit.NANOSECONDS);
        dialed.whenComplete((connection, failure) -> alarm.cancel(false));
    }

    public PeerId peer() {
        return context.identity().peerId();
    }

    /** Cuts the wires of all connections. From any thread. */
    void cutConnections() {
        connections.forEach(connection -> connection.wire().cut());
    }

    private boolean isProven() {
        return context.security() == TransportSecurity.TLS;
    }

    private static void accept(InMemoryConnection connection, InMemoryServer listening) {
        try {
            listening.onAccept.accept(connection);
        } catch (Throwable e) {
            connection.abort(e);
        }
    }

    private void add(InMemoryConnection connection) {
        connections.add(connection);
        connection.whenClosed().thenRun(() -> connections.remove(connection));
        if (closing.get()) {
            connection.abort(null);
        }
    }

    private void checkOpen() {
        if (closing.get()) {
            throw closedException();
        }
    }

    private static ParleyException closedException() {
        return ErrorCode.CLOSED.exception("the transport is closed");
    }

    @Override
    public CompletableFuture<TransportServer> listen(EndpointAddress address, Consumer<Connection> onAccept) {
        try {
            checkOpen();
            String name =
                    address.host().equals(ANY) ? peer().shortText() + "-" + names.incrementAndGet() : address.host();
            InMemoryServer listening =
                    new InMemoryServer(new EndpointAddress(InMemoryConnection.SCHEME, name, -1), onAccept);
            network.bind(name, listening);
            listeners.add(listening);
            if (closing.get()) { // since it was looked at above
                listening.closeAsync();
            }
            return CompletableFuture.completedFuture(listening);
        } catch (ParleyException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            listeners.forEach(InMemoryServer::closeAsync);
            dials.values().forEach(dialed -> dialed.completeExceptionally(closedException()));
            CompletableFuture<?>[] ends = connections.stream()
                    .map(connection -> {
                        connection.abort(null);
                        return connection.whenClosed();
                    })
                    .toArray(CompletableFuture<?>[]::new);
            CompletableFuture.allOf(ends)
                    .thenCompose(ended -> network.close(this))
                    .thenRun(() -> closed.complete(null));
        }
        return closed;
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed;
    }

    @Override
    public boolean isClosing() {
        return closing.get();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, context.limits().closeTimeout());
    }

    /** A name on the network that this transport answers to. */
    final class InMemoryServer implements TransportServer {

        private final EndpointAddress address;
        private final Consumer<Connection> onAccept;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        private InMemoryServer(EndpointAddress address, Consumer<Connection> onAccept) {
            this.address = address;
            this.onAccept = onAccept;
        }

        private InMemoryTransport transport() {
            return InMemoryTransport.this;
        }

        @Override
        public EndpointAddress address() {
            return address;
        }

        @Override
        public CompletableFuture<Void> closeAsync() {
            network.unbind(address.host(), this);
            listeners.remove(this);
            ended.complete(null);
            return ended;
        }

        @Override
        public CompletableFuture<Void> whenClosed() {
            return ended;
        }

        @Override
        public boolean isClosing() {
            return ended.isDone();
        }

        @Override
        public void close() {
            closeAsync();
        }
    }
}

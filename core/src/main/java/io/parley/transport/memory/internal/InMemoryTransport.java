package io.parley.transport.memory.internal;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.parley.common.Scheduler;
import io.parley.common.Scheduler.Timer;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.Timers;
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
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connections inside one JVM. The peers of a connection are authenticated by the identities of their contexts. With
 * {@link TransportSecurity#PLAINTEXT} they are not authenticated, as on a real network. Thread-safe.
 */
public final class InMemoryTransport implements Transport {

    private static final String ANY = "any";

    private final NetworkState network;
    private final TransportContext context;
    private final EventExecutorGroup executors;
    private final AtomicLong names = new AtomicLong();
    private final Set<InMemoryServer> servers = ConcurrentHashMap.newKeySet();
    private final AtomicLong sequence = new AtomicLong();
    // By sequence number, so that they close in a defined order.
    private final ConcurrentMap<Long, InMemoryConnection> connections = new ConcurrentSkipListMap<>();
    private final ConcurrentMap<Long, CompletableFuture<Connection>> dials = new ConcurrentSkipListMap<>();
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
        long number = sequence.incrementAndGet();
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
            throw ErrorCode.UNREACHABLE.exception(address + ": no peer listens there");
        }
        InMemoryTransport acceptor = target.transport();
        PeerId acceptorId = acceptor.peer();
        if (network.isIsolated(peer()) || network.isIsolated(acceptorId)) {
            failAfterTimeout(address, executor, dialed);
            return;
        }
        if (acceptor.context.security() != context.security()) {
            acceptor.context.metrics().increment(Counter.HANDSHAKES_FAILED);
            throw ErrorCode.IDENTITY_REFUSED.exception(address + ": the remote peer uses " + acceptor.context.security()
                    + ", this peer " + context.security() + "; both must use the same");
        }
        if (expected != null && isAuthenticated() && !expected.equals(acceptorId)) {
            throw ErrorCode.IDENTITY_REFUSED.exception(
                    address + ": peer " + acceptorId + " (expected: " + expected + "); the address may be out of date");
        }
        InMemoryConnection near = InMemoryConnection.connect(
                executor,
                new EndpointAddress(InMemoryConnection.SCHEME, peer().shortText(), -1),
                isAuthenticated() ? peer() : null,
                acceptor.executors.next(),
                address,
                isAuthenticated() ? acceptorId : null,
                new SimulatedWire(network.delay(), context.scheduler()));
        add(near);
        acceptor.add(near.other());
        if (network.isIsolated(peer()) || network.isIsolated(acceptorId)) { // isolated since the check above
            near.wire().cut();
        }
        dialed.whenComplete((connection, failure) -> {
            if (dialed.isCancelled()) {
                near.abort(null);
            }
        });
        Scheduler scheduler = context.scheduler();
        network.runAfterDelays(1, scheduler, near.other().executor(), () -> accept(near.other(), target));
        network.runAfterDelays(2, scheduler, executor, () -> dialed.complete(near));
    }

    private void failAfterTimeout(
            EndpointAddress address, EventExecutor executor, CompletableFuture<Connection> dialed) {
        Duration timeout = context.limits().connectTimeout();
        Timer timer = Timers.schedule(
                context.scheduler(),
                timeout,
                executor,
                () -> dialed.completeExceptionally(ErrorCode.TIMEOUT.exception(
                        address + ": no connection within " + DurationFormatter.format(timeout))));
        dialed.whenComplete((connection, failure) -> timer.cancel());
    }

    /** Returns the id of the peer that owns this transport. */
    public PeerId peer() {
        return context.identity().peerId();
    }

    /** Cuts the wires of all connections. */
    void cutConnections() {
        connections.values().forEach(connection -> connection.wire().cut());
    }

    private boolean isAuthenticated() {
        return context.security() == TransportSecurity.TLS;
    }

    private static void accept(InMemoryConnection connection, InMemoryServer server) {
        try {
            server.onAccept.accept(connection);
        } catch (Throwable e) {
            connection.abort(e);
        }
    }

    private void add(InMemoryConnection connection) {
        long number = sequence.incrementAndGet();
        connections.put(number, connection);
        connection.whenClosed().thenRun(() -> connections.remove(number));
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
            InMemoryServer server =
                    new InMemoryServer(new EndpointAddress(InMemoryConnection.SCHEME, name, -1), onAccept);
            network.bind(name, server);
            servers.add(server);
            if (closing.get()) { // closed since the check above
                server.closeAsync();
            }
            return CompletableFuture.completedFuture(server);
        } catch (ParleyException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            servers.forEach(InMemoryServer::closeAsync);
            dials.values().forEach(dialed -> dialed.completeExceptionally(closedException()));
            CompletableFuture<?>[] ends = connections.values().stream()
                    .map(connection -> {
                        connection.abort(null);
                        return connection.whenClosed();
                    })
                    .toArray(CompletableFuture<?>[]::new);
            CompletableFuture.allOf(ends)
                    .thenCompose(ended -> network.close(this))
                    .thenRun(() -> closed.complete(null));
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
        Closeables.closeAndAwait(this, context.limits().closeTimeout());
    }

    /** A name on the network at which this transport accepts connections. */
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
            servers.remove(this);
            ended.complete(null);
            return ended.copy();
        }

        @Override
        public CompletableFuture<Void> whenClosed() {
            return ended.copy();
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

package io.parley.transport.memory.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import io.parley.transport.PropagationListener;
import io.parley.transport.PropagationTransport;
import io.parley.transport.TransportContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The propagation transport of one peer on a {@link NetworkState}. The sender of a payload is the identity of its context, without
 * verification. Thread-safe.
 */
public final class InMemoryPropagationTransport implements PropagationTransport {

    /** The number of payloads that wait for a slow listener. More are dropped, as by a socket with a full buffer. */
    static final int MAX_PENDING = 256;

    private final RateLimitedLogger failureLog =
            new RateLimitedLogger(LoggerFactory.getLogger(InMemoryPropagationTransport.class));

    private final NetworkState network;
    private final TransportContext context;
    private final EventExecutor executor;
    private final AtomicReference<@Nullable PropagationListener> listener = new AtomicReference<>();
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    InMemoryPropagationTransport(NetworkState network, TransportContext context) {
        this.network = network;
        this.context = context;
        this.executor = network.open().next();
    }

    @Override
    public String scheme() {
        return InMemoryConnection.SCHEME;
    }

    @Override
    public CompletableFuture<Void> start(PropagationListener toCall) {
        if (closing.get()) {
            return CompletableFuture.failedFuture(ErrorCode.CLOSED.exception("the transport is closed"));
        }
        if (!listener.compareAndSet(null, toCall)) {
            return CompletableFuture.failedFuture(new IllegalStateException("the transport was started before"));
        }
        network.propagationTransports().add(this);
        if (closing.get()) { // closed since the check above
            network.propagationTransports().remove(this);
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> propagate(List<EndpointAddress> addresses, ByteBuf payload) {
        try {
            checkCanPropagate(payload.readableBytes());
            PeerAddress sender = new PeerAddress(context.identity().peerId(), addresses);
            byte[] bytes = ByteBufUtil.getBytes(payload);
            for (InMemoryPropagationTransport other : network.propagationTransports()) {
                PeerId peer = other.context.identity().peerId();
                if (!peer.equals(sender.peer()) && !network.isIsolated(sender.peer()) && !network.isIsolated(peer)) {
                    other.receive(sender, bytes);
                }
            }
            context.metrics().increment(Counter.PROPAGATIONS_SENT);
            return CompletableFuture.completedFuture(null);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        } finally {
            payload.release();
        }
    }

    private void checkCanPropagate(int bytes) {
        if (closing.get()) {
            throw ErrorCode.CLOSED.exception("the transport is closed");
        }
        if (listener.get() == null) {
            throw new IllegalStateException("the transport has not been started");
        }
        if (bytes > MAX_PAYLOAD_BYTES) {
            throw ErrorCode.MESSAGE_TOO_LARGE.exception(
                    "payload: " + bytes + " bytes (expected: <= " + MAX_PAYLOAD_BYTES + ")");
        }
    }

    private void receive(PeerAddress sender, byte[] payload) {
        if (pending.incrementAndGet() > MAX_PENDING) {
            pending.decrementAndGet();
            context.metrics().increment(Counter.PROPAGATIONS_THROTTLED);
            return;
        }
        try {
            network.runAfterDelays(1, context.scheduler(), executor, () -> deliver(sender, payload));
        } catch (RejectedExecutionException e) { // closed since the iteration began
            pending.decrementAndGet();
        }
    }

    private void deliver(PeerAddress sender, byte[] payload) {
        pending.decrementAndGet();
        PropagationListener target = listener.get();
        if (target == null || closing.get()) {
            return;
        }
        context.metrics().increment(Counter.PROPAGATIONS_RECEIVED);
        try {
            target.onPropagated(sender, Unpooled.wrappedBuffer(payload).asReadOnly());
        } catch (RuntimeException | Error e) {
            context.metrics().increment(Counter.LISTENER_FAILURES);
            failureLog.warn("Propagation listener failed on a payload of peer {}", sender.peer(), e);
        }
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            network.propagationTransports().remove(this);
            executor.execute(
                    () -> network.close().thenRun(() -> closed.complete(null))); // after a listener that is running
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
}

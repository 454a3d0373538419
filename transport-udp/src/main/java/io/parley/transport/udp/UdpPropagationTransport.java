package io.parley.transport.udp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import io.parley.transport.PropagationListener;
import io.parley.transport.PropagationTransport;
import io.parley.transport.TransportContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * UDP multicast by Netty. Transports of one JVM share sockets and event loop (see {@link SocketRegistry}); rate limits, queues
 * and counters belong to each transport.
 */
final class UdpPropagationTransport implements PropagationTransport {

    static final String SCHEME = "udp";

    private final TransportContext context;
    private final UdpSettings settings;
    private final InterfaceSource interfaces;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile @Nullable Session session;
    private volatile boolean closing;

    /** The state of a started transport. */
    private record Session(
            DualStackSockets sockets,
            DatagramReceiver receiver,
            PacedDatagramSender sender,
            CompletableFuture<Void> listening) {}

    UdpPropagationTransport(TransportContext context, UdpSettings settings) {
        this(context, settings, InterfaceSource.SYSTEM);
    }

    UdpPropagationTransport(TransportContext context, UdpSettings settings, InterfaceSource interfaces) {
        this.context = context;
        this.settings = settings;
        this.interfaces = interfaces;
    }

    @Override
    public String scheme() {
        return SCHEME;
    }

    @Override
    public CompletableFuture<Void> start(PropagationListener listener) {
        Session opened;
        CompletableFuture<Void> adding;
        synchronized (this) {
            if (closing) {
                return CompletableFuture.failedFuture(closedException());
            }
            if (session != null) {
                return CompletableFuture.failedFuture(new IllegalStateException("the transport was started before"));
            }
            try {
                opened = open(listener);
                session = opened;
                adding = opened.sockets.add(opened.receiver); // before the end of the transport removes it
            } catch (RuntimeException | Error e) { // no file descriptor, or thread, for the event loop
                return CompletableFuture.failedFuture(
                        ErrorCode.CANNOT_LISTEN.exception("UDP multicast: cannot be started: " + e.getMessage(), e));
            }
        }
        adding.whenComplete((added, failure) -> {
            if (failure == null) {
                opened.listening.complete(null);
            } else {
                opened.listening.completeExceptionally(Throwables.unwrap(failure));
            }
        });
        return opened.listening;
    }

    private Session open(PropagationListener listener) {
        DualStackSockets sockets = SocketRegistry.SHARED.acquire(settings, interfaces, context.scheduler());
        return new Session(
                sockets,
                new DatagramReceiver(context, settings, sockets::isLocal, sockets.verifier(), listener),
                new PacedDatagramSender(settings.limits(), context.scheduler(), sockets.loop()),
                new CompletableFuture<>());
    }

    @Override
    public CompletableFuture<Void> propagate(List<EndpointAddress> addresses, ByteBuf payload) {
        try {
            PeerAddress sender = new PeerAddress(context.identity().peerId(), addresses);
            Session open = requireSession();
            int bytes = payload.readableBytes();
            if (bytes > MAX_PAYLOAD_BYTES) {
                throw ErrorCode.MESSAGE_TOO_LARGE.exception(
                        "payload: " + bytes + " bytes (expected: <= " + MAX_PAYLOAD_BYTES + ")");
            }
            open.sender.acquire(bytes);
            return send(open, sender, ByteBufUtil.getBytes(payload));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        } finally {
            payload.release();
        }
    }

    private Session requireSession() {
        if (closing) {
            throw closedException();
        }
        Session open = session;
        if (open == null) {
            throw new IllegalStateException("the transport has not been started");
        }
        return open;
    }

    private CompletableFuture<Void> send(Session open, PeerAddress sender, byte[] payload) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        done.whenComplete((sent, failure) -> open.sender.release(payload.length));
        try {
            open.sockets.loop().execute(() -> {
                try {
                    sendOnLoop(open, sender, payload, done);
                } catch (RuntimeException e) {
                    done.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) { // closed since the check
            done.completeExceptionally(closedException());
        }
        return done;
    }

    private void sendOnLoop(Session open, PeerAddress sender, byte[] payload, CompletableFuture<Void> done) {
        if (closing) {
            throw closedException();
        }
        List<InterfaceSender> senders = open.sockets.senders();
        if (senders.isEmpty()) {
            throw ErrorCode.UNREACHABLE.exception("UDP multicast: no network interface is up; connect to a network");
        }
        MessageKey key =
                new MessageKey(sender.peer(), context.scheduler().random().nextLong());
        SignedMessage message = SignedMessage.sign(
                context.identity(),
                key.number(),
                settings.port(),
                context.scheduler().clock().millis(),
                sender.addresses(),
                payload);
        context.metrics().increment(Counter.PROPAGATIONS_SENT);
        open.sender.add(new FragmentedSend(key, message.bytes(), senders, done));
    }

    private static ParleyException closedException() {
        return ErrorCode.CLOSED.exception("the transport is closed");
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        Session open;
        synchronized (this) {
            if (closing) {
                return closed.copy();
            }
            closing = true;
            open = session;
        }
        if (open == null) {
            closed.complete(null);
        } else {
            open.receiver.close();
            open.sockets.loop().execute(() -> closeOnLoop(open)); // after a listener that is running
        }
        return closed.copy();
    }

    private void closeOnLoop(Session open) {
        open.sender.close(closedException());
        open.sockets.remove(open.receiver);
        open.listening.completeExceptionally(closedException());
        SocketRegistry.SHARED.release(open.sockets).thenRun(() -> closed.complete(null));
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return closing;
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, context.limits().closeTimeout());
    }
}

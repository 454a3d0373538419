package io.parley.transport.udp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.parley.common.internal.Closeables;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import io.parley.transport.PropagationListener;
import io.parley.transport.PropagationTransport;
import io.parley.transport.TransportContext;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * UDP multicast by Netty. One thread does everything: reading, verifying, the listener, sending. What comes faster than it
 * can look at stays in the sockets' buffers, which are bounded, and so is the time for signatures; a second thread would
 * need a queue between them and gain nothing.
 */
final class UdpPropagationTransport implements PropagationTransport {

    static final String SCHEME = "udp";

    private final TransportContext context;
    private final UdpSettings settings;
    private final InterfaceSource interfaces;
    private final LongSupplier nanoTime;
    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("parley-udp", true), NioIoHandler.newFactory());
    private final EventLoop loop = loops.next();
    private final PacedDatagramSender outbox;
    private final SecureRandom random = new SecureRandom();
    private final AtomicReference<@Nullable DualStackSockets> started = new AtomicReference<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    UdpPropagationTransport(TransportContext context, UdpSettings settings) {
        this(context, settings, InterfaceSource.SYSTEM, System::nanoTime);
    }

    UdpPropagationTransport(
            TransportContext context, UdpSettings settings, InterfaceSource interfaces, LongSupplier nanoTime) {
        this.context = context;
        this.settings = settings;
        this.interfaces = interfaces;
        this.nanoTime = nanoTime;
        this.outbox = new PacedDatagramSender(settings.limits(), nanoTime, loop);
    }

    @Override
    public String scheme() {
        return SCHEME;
    }

    @Override
    public CompletableFuture<Void> start(PropagationListener listener) {
        if (closing.get()) {
            return CompletableFuture.failedFuture(closedException());
        }
        DualStackSockets lan =
                new DualStackSockets(context, settings, interfaces, nanoTime, loop, listener, closing::get);
        if (!started.compareAndSet(null, lan)) {
            return CompletableFuture.failedFuture(new IllegalStateException("the transport was started before"));
        }
        CompletableFuture<Void> listening = new CompletableFuture<>();
        try {
            loop.execute(() -> {
                if (closing.get()) {
                    listening.completeExceptionally(closedException());
                } else {
                    lan.open(listening);
                }
            });
        } catch (RejectedExecutionException e) { // closed since it was looked at
            listening.completeExceptionally(closedException());
        }
        return listening;
    }

    @Override
    public CompletableFuture<Void> propagate(List<EndpointAddress> addresses, ByteBuf payload) {
        try {
            PeerAddress sender = new PeerAddress(context.identity().peerId(), addresses);
            DualStackSockets lan = openLan();
            int bytes = payload.readableBytes();
            if (bytes > MAX_PAYLOAD_BYTES) {
                throw ErrorCode.MESSAGE_TOO_LARGE.exception(
                        "payload: " + bytes + " bytes (expected: <= " + MAX_PAYLOAD_BYTES + ")");
            }
            outbox.admit(bytes);
            return send(lan, sender, ByteBufUtil.getBytes(payload));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        } finally {
            payload.release();
        }
    }

    private DualStackSockets openLan() {
        if (closing.get()) {
            throw closedException();
        }
        DualStackSockets lan = started.get();
        if (lan == null) {
            throw new IllegalStateException("the transport has not been started");
        }
        return lan;
    }

    private CompletableFuture<Void> send(DualStackSockets lan, PeerAddress sender, byte[] payload) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        done.whenComplete((sent, failure) -> outbox.sent(payload.length));
        try {
            loop.execute(() -> {
                try {
                    sendOnLoop(lan, sender, payload, done);
                } catch (RuntimeException e) {
                    done.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) { // closed since it was looked at
            done.completeExceptionally(closedException());
        }
        return done;
    }

    private void sendOnLoop(DualStackSockets lan, PeerAddress sender, byte[] payload, CompletableFuture<Void> done) {
        if (closing.get()) {
            throw closedException();
        }
        List<InterfaceSender> senders = lan.senders();
        if (senders.isEmpty()) {
            throw ErrorCode.UNREACHABLE.exception("no network interface with multicast is up");
        }
        MessageKey key = new MessageKey(sender.peer(), random.nextLong());
        SignedMessage message = SignedMessage.sign(
                context.identity(),
                key.number(),
                settings.port(),
                context.scheduler().clock().millis(),
                sender.addresses(),
                payload);
        context.metrics().increment(Counter.PROPAGATIONS_SENT);
        outbox.add(new FragmentedSend(key, message.bytes(), senders, done));
    }

    private static ParleyException closedException() {
        return ErrorCode.CLOSED.exception("the transport is closed");
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            loop.execute(this::closeOnLoop);
        }
        return closed;
    }

    private void closeOnLoop() {
        outbox.close(closedException());
        DualStackSockets lan = started.get();
        ChannelFuture none = null;
        (lan == null ? loop.newSucceededFuture(none) : lan.close())
                .addListener(gone ->
                        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).addListener(ended -> closed.complete(null)));
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
}

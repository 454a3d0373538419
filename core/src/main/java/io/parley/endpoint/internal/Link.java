package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.parley.codec.MessageCodec;
import io.parley.common.Scheduler;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.frame.FrameReader;
import io.parley.endpoint.internal.frame.FrameVisitor;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.PeerFaultException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection after a successful handshake, and its channels, whose frames are in the frames of the connection or inside a
 * TLS tunnel. {@link KeepAlive} checks that the remote peer is alive, and {@link LinkCloser} ends the link. Confined to the
 * event loop of the connection, except for the methods that are documented otherwise.
 */
final class Link
        implements ConnectionListener,
                FrameVisitor,
                MessengerBinding.Carrier,
                ConnectionLimiter.Holder,
                LinkDecoder.LinkContext,
                KeepAlive.Owner,
                LinkCloser.Owner {

    /** The association of a link. The methods are called on the event loop of the link. */
    interface Owner {

        PeerId peer();

        /** Makes the link the active one after the handshake. */
        void activate(Link link);

        /** Called when the link accepts no new messages. May be called several times. */
        void onLinkRetired(Link link);

        /** Called once when the link is closed. */
        void onLinkClosed(Link link);

        /** Returns the channels on which the remote peer has sent messages that this endpoint acknowledges. */
        InboundSequences inboundSequences();

        /** Closes the cached messengers that were not used since the last call. */
        void closeIdleMessengers();
    }

    private static final Logger log = LoggerFactory.getLogger(Link.class);

    private final Connection connection;
    private final Owner owner;
    private final EndpointContext context;
    private final PeerId peer;
    private final Hello local;

    /** Whether the transport has authenticated the remote peer. */
    private final boolean authenticated;

    private final Hello remote;
    private final long connectionId;
    private final ChannelCodecFactory codecs;
    private final EndpointLimits limits;
    private final EndpointMetrics metrics;
    private final MemoryBudget memory;
    private final FrameWriter frames;
    private final LinkDecoder decoder;
    private final LinkChannels plain;
    private final PartialFrameCharge partialFrame;
    private final LinkPings pings;
    private final KeepAlive keepAlive;
    private final LinkCloser closer;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private final AtomicBoolean shrinkScheduled = new AtomicBoolean();

    /** The channels in a TLS tunnel; null as long as none was needed, and if the connection authenticates the remote peer. */
    private @Nullable TunneledChannels tunneled;

    /**
     * Creates a link.
     *
     * @param local  the HELLO or ACCEPT that this peer has sent
     * @param remote the one that it has received
     * @param codec  the codec of the connection
     */
    Link(Connection connection, Owner owner, Hello local, Hello remote, MessageCodec codec, EndpointContext context) {
        this.connection = connection;
        this.owner = owner;
        this.context = context;
        this.peer = remote.peer();
        this.local = local;
        this.authenticated = connection.authenticatedPeer() != null;
        this.remote = remote;
        this.connectionId = remote.connection();
        this.limits = context.limits();
        this.metrics = context.metrics();
        this.codecs =
                new ChannelCodecFactory(codec, context.codecs(), remote, limits.messages(), connection.allocator());
        this.frames = new FrameWriter(connection.allocator());
        this.pings = new LinkPings(this, connection, frames, context.scheduler());
        this.keepAlive = new KeepAlive(this, context, connection.executor());
        this.closer = new LinkCloser(this, connection, frames, context);
        this.decoder = new LinkDecoder(this, context.decoding(), connection.remoteAddress());
        this.memory = context.memory().newConnection(connection.remoteAddress(), peer, this::onShortage);
        this.plain = LinkChannels.onLink(this, connection, authenticated, decoder, context);
        this.partialFrame = new PartialFrameCharge(memory, this::tryReserve);
    }

    /** Completes the handshake of the connection and starts the keep-alive timer. */
    void start() {
        connection.completeHandshake(EndpointContext.MAX_FRAME_BYTES);
        metrics.increment(Counter.CONNECTIONS_OPENED);
        context.connections().add(this);
        keepAlive.start();
        log.debug("Opened {} with codec {}", this, codecs.agreed());
    }

    /** Returns the remote peer. Thread-safe. */
    PeerId peer() {
        return peer;
    }

    PeerId self() {
        return context.self();
    }

    /** Counts and logs a message that is dropped, because its elements cannot be decoded. Thread-safe. */
    void countUndecodable(ServiceAddress service, ParleyException cause) {
        metrics.increment(Counter.MESSAGES_UNDECODABLE);
        context.faultLog().warn("Dropped message from peer {} to service {}: {}", peer, service, cause.getMessage());
    }

    Hello remote() {
        return remote;
    }

    /** Returns whether the remote peer acknowledges messages. */
    boolean isAcknowledging() {
        return remote.isAcknowledging();
    }

    InboundSequences inboundSequences() {
        return owner.inboundSequences();
    }

    @Override
    public boolean isClosed() {
        return closed.isDone();
    }

    long connectionId() {
        return connectionId;
    }

    ChannelCodecFactory codecs() {
        return codecs;
    }

    @Override
    public boolean hasInboundChannels() {
        TunneledChannels inside = tunneled;
        return plain.receiver().hasChannels() || (inside != null && inside.hasInboundChannels());
    }

    @Override
    public boolean hasOutboundChannels() {
        TunneledChannels inside = tunneled;
        return plain.sender().hasChannels() || (inside != null && inside.hasOutboundChannels());
    }

    /** Returns the number of channels that the remote peer has opened, or that wait for memory. */
    int inboundChannels() {
        return plain.receiver().channelCount() + (tunneled == null ? 0 : tunneled.inboundChannels());
    }

    /** Asks for the memory of idle channels because memory is short. Thread-safe. */
    private void onShortage() {
        if (shrinkScheduled.compareAndSet(false, true)) {
            run(() -> {
                shrinkScheduled.set(false);
                plain.receiver().shrinkIdle();
                if (tunneled != null) {
                    tunneled.shrinkIdle();
                }
            });
        }
    }

    @Override
    public long idleNanos() {
        return keepAlive.idleNanos();
    }

    @Override
    public EndpointAddress remoteAddress() {
        return connection.remoteAddress();
    }

    MemoryBudget memory() {
        return memory;
    }

    /** Reserves memory. If it is short, asks for that of idle channels, which comes later. Thread-safe. */
    boolean tryReserve(long bytes) {
        if (bytes == 0) {
            return true;
        }
        boolean reserved = memory.tryReserve(bytes);
        memory.reclaim(reserved ? 0 : bytes, context.scheduler().nanoTime());
        return reserved;
    }

    long nanoTime() {
        return context.scheduler().nanoTime();
    }

    /** Runs the task on the event loop after the delay. */
    Scheduler.Timer schedule(Duration delay, Runnable task) {
        return context.schedule(delay, connection.executor(), () -> guard(task));
    }

    /** Runs a task that no frame of the remote peer has caused. */
    void guard(Runnable task) {
        try {
            task.run();
        } catch (PeerFaultException e) {
            closer.drop(e);
        }
    }

    EndpointMetrics metrics() {
        return metrics;
    }

    /** Thread-safe. */
    CompletableFuture<Void> whenClosed() {
        return closed;
    }

    /** Runs the task on the event loop: now if called there, otherwise later. Thread-safe. */
    void run(Runnable task) {
        if (connection.executor().inEventLoop()) {
            task.run();
        } else {
            execute(task);
        }
    }

    /**
     * Runs the task on the event loop: now if this is its thread. Runs the other one on this thread if the event loop has
     * terminated. Thread-safe.
     */
    void run(Runnable task, Runnable otherwise) {
        if (connection.executor().inEventLoop()) {
            task.run();
        } else {
            runOrElse(task, otherwise);
        }
    }

    /** Runs the task on the event loop, or the other one on this thread if the event loop has terminated. Thread-safe. */
    void runOrElse(Runnable task, Runnable otherwise) {
        try {
            connection.executor().execute(task);
        } catch (RejectedExecutionException e) {
            otherwise.run();
        }
    }

    @Override
    public void execute(Runnable task, Runnable otherwise) {
        runOrElse(() -> continueRead(task), otherwise);
    }

    /** Runs a task that continues with received frames. If it fails, the connection ends as if it had failed in a read. */
    private void continueRead(Runnable task) {
        try {
            guard(task);
        } catch (RuntimeException | Error e) {
            connection.abort(e);
        }
        plain.acks().onReadComplete();
        if (tunneled != null) {
            tunneled.onTaskComplete();
        }
    }

    Executor executor() {
        return connection.executor();
    }

    private void execute(Runnable task) {
        try {
            connection.executor().execute(task);
        } catch (RejectedExecutionException e) {
            log.trace("Dropped task of {}: the event loop has terminated", this);
        }
    }

    void checkSize(long bytes) {
        long limit = Math.min(limits.messages().maxMessageBytes(), EndpointContext.MAX_ARRAY_BYTES);
        if (bytes > limit) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("message: " + bytes + " bytes (expected: <= " + limit + ")");
        }
    }

    void countSent(long messages, long bytes) {
        keepAlive.onMessageTransferred();
        metrics.add(Counter.MESSAGES_SENT, messages);
        metrics.add(Counter.MESSAGE_BYTES_SENT, bytes);
    }

    void countReceived(long bytes) {
        keepAlive.onMessageTransferred();
        metrics.increment(Counter.MESSAGES_RECEIVED);
        metrics.add(Counter.MESSAGE_BYTES_RECEIVED, bytes);
    }

    @Override
    public void wake(PeerMessenger messenger) {
        if (connection.executor().inEventLoop()) {
            wakeNow(messenger);
        } else if (messenger.binding().tryScheduleWake()) {
            execute(() -> {
                messenger.binding().onWake();
                wakeNow(messenger);
            });
        }
    }

    private void wakeNow(PeerMessenger messenger) {
        boolean inside = messenger.isSecure()
                && !authenticated
                && remote.hasSecureChannels()
                && (tunneled != null || !plain.sender().isRetiring());
        if (!inside) {
            plain.sender().wake(messenger);
            return;
        }
        tunneled().wake(messenger);
    }

    private TunneledChannels tunneled() {
        TunneledChannels present = tunneled;
        if (present == null) {
            present = new TunneledChannels(this, connection, local, decoder, context);
            tunneled = present;
            if (plain.sender().isRetiring()) {
                present.retire();
            }
        }
        return present;
    }

    @Override
    public void onSealed(ByteBuf records) {
        if (authenticated) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "unexpected SEALED frame: the connection is authenticated, so secure channels need no other TLS");
        }
        tunneled().onRecords(records);
    }

    /** Ends the link because the tunnel cannot be opened. Does nothing if it has ended. */
    void endTunnel(ParleyException cause) {
        closer.endTunnel(cause);
    }

    /** Measures a round trip. Thread-safe. */
    CompletableFuture<Duration> ping() {
        CompletableFuture<Duration> result = new CompletableFuture<>();
        long start = context.scheduler().nanoTime();
        run(() -> {
            if (closed.isDone()) {
                result.completeExceptionally(ErrorCode.DISCONNECTED.exception(this + " is closed"));
            } else {
                pings.send(start, result);
            }
        });
        return result;
    }

    /**
     * Closes the link in order: messages whose first frame is written are completed, then both peers send GOODBYE. Aborts
     * the connection after the close timeout. Thread-safe.
     */
    void retire() {
        run(closer::retire);
    }

    @Override
    public void retireSenders() {
        plain.sender().retire();
        if (tunneled != null) {
            tunneled.retire();
        }
    }

    @Override
    public boolean areSendersRetired() {
        return plain.sender().isRetired() && (tunneled == null || tunneled.isRetired());
    }

    @Override
    public void writeAcks() {
        plain.acks().writeAll();
        if (tunneled != null) {
            tunneled.writeAcks();
        }
    }

    void onSenderRetired() {
        closer.onSenderRetired();
    }

    @Override
    public void onGoodbye(WireStatus status) {
        closer.onGoodbye(status.number() == 0 ? null : status.toException("dropped by peer " + peer));
    }

    @Override
    public void onRetired() {
        owner.onLinkRetired(this);
    }

    @Override
    public boolean isDecoding() {
        return decoder.isBusy();
    }

    @Override
    public void onDecodingDone() {
        if (closer.isGoodbyeReceived()) {
            execute(this::closeAfterDecoding, () -> {}); // after the frames of the present task
        }
    }

    private void closeAfterDecoding() {
        if (!closed.isDone() && closer.isGoodbyeSent()) {
            closer.closeAfterGoodbyes();
        } else if (!closed.isDone()) {
            plain.sender().writeReady(); // continues the close
        }
    }

    /** Aborts the connection. Thread-safe. */
    void abort(@Nullable Throwable cause) {
        connection.abort(cause);
    }

    @Override
    public void sendProbe() {
        pings.sendProbe();
    }

    @Override
    public void onSilent(Duration time) {
        connection.abort(ErrorCode.TIMEOUT.exception(this + ": no frame received within " + time));
    }

    @Override
    public void onKeepAlive() {
        guard(plain.receiver()::onKeepAlive);
        if (tunneled != null) {
            tunneled.onKeepAlive();
        }
    }

    @Override
    public void closeIdleMessengers() {
        owner.closeIdleMessengers();
    }

    @Override
    public void onIdle() {
        if (!hasOutboundChannels() && !hasInboundChannels()) {
            owner.onLinkRetired(this);
            retire();
        }
    }

    @Override
    public void onFrame(ByteBuf frame) {
        keepAlive.onFrameReceived();
        if (closer.hasFault()) {
            return;
        }
        try {
            FrameReader.read(frame, plain);
        } catch (PeerFaultException e) {
            closer.drop(e);
        }
    }

    @Override
    public void giveWay(ParleyException reason) {
        run(() -> closer.leave(reason));
    }

    @Override
    public void onReadComplete() {
        plain.acks().onReadComplete();
        if (tunneled != null) {
            tunneled.onReadComplete();
        }
        ParleyException shortage = partialFrame.set(connection.partialFrameBytes());
        if (shortage != null && !closer.isGoodbyeSent()) {
            metrics.increment(Counter.CONNECTIONS_REFUSED);
            giveWay(shortage); // reliable channels go on over the next connection
        }
    }

    @Override
    public void onWritable() {
        plain.acks().onWritable();
        plain.sender().writeReady();
        if (tunneled != null) {
            tunneled.onWritable();
        }
    }

    @Override
    public void onClosed(@Nullable Throwable ended) {
        if (closed.isDone()) {
            return;
        }
        Throwable cause = closer.onClosed(ended);
        keepAlive.stop();
        metrics.increment(Counter.CONNECTIONS_CLOSED);
        context.connections().remove(this);
        if (cause instanceof PeerFaultException) {
            metrics.increment(Counter.CONNECTIONS_DROPPED);
            context.faultLog().warn("Dropped {}: {}", this, cause.getMessage());
        } else if (cause == null || cause instanceof ParleyException) {
            log.debug("Closed {}", this, cause);
        } else {
            log.warn("Lost {}", this, cause);
        }
        owner.onLinkRetired(this);
        plain.acks().close();
        plain.receiver().close();
        if (tunneled != null) {
            tunneled.closeReceiver();
        }
        partialFrame.set(0);
        memory.close();
        plain.sender().close(cause, closer.refusal());
        if (tunneled != null) {
            tunneled.closeSender(cause, closer.refusal());
        }
        pings.close(cause);
        closed.complete(null);
        owner.onLinkClosed(this);
    }

    @Override
    public void onPing(long number) {
        plain.respond(frames.pong(number));
    }

    @Override
    public void onPong(long number) {
        pings.onPong(number);
    }

    @Override
    public String toString() {
        return "link to peer " + peer.shortText() + " at " + connection.remoteAddress();
    }
}

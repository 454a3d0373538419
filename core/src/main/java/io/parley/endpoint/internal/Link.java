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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection after a successful handshake. Checks that the remote peer is alive, closes in order, and passes frames to
 * its sending and its receiving half. Confined to the event loop of the connection, except for the methods that are
 * documented otherwise.
 */
final class Link
        implements ConnectionListener,
                FrameVisitor,
                MessengerBinding.Carrier,
                ConnectionLimiter.Holder,
                LinkDecoder.LinkContext,
                TlsTunnel.Owner {

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

    private static final int MAX_PINGS = 1024;

    /** The number of keep-alive intervals without received frames after which the remote peer is considered dead. */
    private static final int MAX_SILENT_INTERVALS = 3;

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
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private final Map<Long, PendingPing> pings = new HashMap<>();
    private final AtomicBoolean shrinkScheduled = new AtomicBoolean();
    private long lastPing;
    private boolean frameReceived;
    private boolean messageTransferred;
    private int silentIntervals;
    private volatile long idleNanos;
    private long sweptNanos;
    private boolean goodbyeSent;
    private boolean goodbyeReceived;

    /** The TLS session for secure channels; null as long as none was needed, and if the connection authenticates the remote peer. */
    private @Nullable TlsTunnel tunnel;

    /** The channels inside the tunnel; null without a tunnel. */
    private @Nullable LinkChannels tunneled;

    private @Nullable PeerFaultException fault;
    private @Nullable ParleyException tunnelFailure;
    private @Nullable ParleyException refusal;
    private Scheduler.@Nullable Timer keepAliveTimer;
    private Scheduler.@Nullable Timer closeTimer;

    private record PendingPing(long startNanos, CompletableFuture<Duration> result) {}

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
        // Jitter, so that the links of one peer do not ping at the same time.
        double jitter = 0.8 + 0.4 * context.scheduler().random().nextDouble();
        scheduleKeepAlive(Duration.ofNanos((long) (limits.keepAliveInterval().toNanos() * jitter)));
        log.debug("Opened {} with codec {}", this, codecs.agreed());
    }

    @Override
    public PeerId peer() {
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

    @Override
    public Hello remote() {
        return remote;
    }

    /** Returns whether the remote peer acknowledges messages. */
    boolean isAcknowledging() {
        return remote.isAcknowledging();
    }

    InboundSequences inboundSequences() {
        return owner.inboundSequences();
    }

    boolean isClosed() {
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
        LinkChannels inside = tunneled;
        return plain.receiver().hasChannels()
                || (inside != null && inside.receiver().hasChannels());
    }

    @Override
    public boolean hasOutboundChannels() {
        LinkChannels inside = tunneled;
        return plain.sender().hasChannels()
                || (inside != null && inside.sender().hasChannels());
    }

    /** Returns the number of channels that the remote peer has opened, or that wait for memory. */
    int inboundChannels() {
        LinkChannels inside = tunneled;
        return plain.receiver().channelCount()
                + (inside == null ? 0 : inside.receiver().channelCount());
    }

    /** Asks for the memory of idle channels because memory is short. Thread-safe. */
    private void onShortage() {
        if (shrinkScheduled.compareAndSet(false, true)) {
            run(() -> {
                shrinkScheduled.set(false);
                plain.receiver().shrinkIdle();
                if (tunneled != null) {
                    tunneled.receiver().shrinkIdle();
                }
            });
        }
    }

    @Override
    public long idleNanos() {
        return idleNanos;
    }

    @Override
    public EndpointAddress remoteAddress() {
        return connection.remoteAddress();
    }

    @Override
    public MemoryBudget memory() {
        return memory;
    }

    @Override
    public boolean tryReserve(long bytes) {
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
            drop(e);
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
            tunneled.acks().onReadComplete();
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
        messageTransferred = true;
        metrics.add(Counter.MESSAGES_SENT, messages);
        metrics.add(Counter.MESSAGE_BYTES_SENT, bytes);
    }

    void countReceived(long bytes) {
        messageTransferred = true;
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
        TlsTunnel used = tunnel();
        LinkSender sender = Objects.requireNonNull(tunneled).sender();
        sender.wake(messenger);
        if (sender.hasChannels()) {
            used.open();
        }
    }

    private TlsTunnel tunnel() {
        TlsTunnel present = tunnel;
        if (present == null) {
            present = new TlsTunnel(this, connection, local, context);
            tunneled = LinkChannels.inTunnel(this, present, decoder, context);
            tunnel = present;
            if (plain.sender().isRetiring()) {
                tunneled.sender().retire();
            }
        }
        return present;
    }

    @Override
    public void onTunnelOpened() {
        Objects.requireNonNull(tunneled).sender().start();
    }

    @Override
    public FrameVisitor tunnelFrames() {
        return Objects.requireNonNull(tunneled);
    }

    @Override
    public void respondInTunnel(ByteBuf frame) {
        Objects.requireNonNull(tunneled).respond(frame);
    }

    @Override
    public void onSealed(ByteBuf records) {
        if (authenticated) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "unexpected SEALED frame: the connection is authenticated, so secure channels need no other TLS");
        }
        tunnel().onRecords(records);
    }

    @Override
    public void endTunnel(ParleyException cause) {
        if (closed.isDone() || goodbyeSent) {
            return;
        }
        if (cause instanceof PeerFaultException found) {
            drop(found);
        } else {
            tunnelFailure = cause;
            leave(cause);
        }
    }

    /** Measures a round trip. Thread-safe. */
    CompletableFuture<Duration> ping() {
        CompletableFuture<Duration> result = new CompletableFuture<>();
        long start = context.scheduler().nanoTime();
        run(() -> {
            if (closed.isDone()) {
                result.completeExceptionally(ErrorCode.DISCONNECTED.exception(this + " is closed"));
            } else if (pings.size() >= MAX_PINGS) {
                result.completeExceptionally(
                        ErrorCode.BUSY.exception(this + ": " + MAX_PINGS + " pings are pending; wait for a response"));
            } else {
                pings.put(++lastPing, new PendingPing(start, result));
                connection.write(frames.ping(lastPing), null);
                connection.flush();
            }
        });
        return result;
    }

    /**
     * Closes the link in order: messages whose first frame is written are completed, then both peers send GOODBYE. Aborts
     * the connection after the close timeout. Thread-safe.
     */
    void retire() {
        run(() -> {
            if (!closed.isDone()) {
                retireSenders();
                if (closeTimer == null) {
                    closeTimer = context.schedule(
                            limits.closeTimeout(), connection.executor(), () -> connection.abort(null));
                }
            }
        });
    }

    private void retireSenders() {
        plain.sender().retire();
        if (tunneled != null) {
            tunneled.sender().retire();
        }
    }

    private boolean areSendersRetired() {
        return plain.sender().isRetired()
                && (tunneled == null || tunneled.sender().isRetired());
    }

    private void writeAcks() {
        plain.acks().writeAll();
        if (tunnel != null && tunneled != null) {
            tunneled.acks().writeAll();
            tunnel.flushNow();
        }
    }

    void onSenderRetired() {
        if (!goodbyeSent && areSendersRetired() && !isDecodingLastMessages()) {
            goodbyeSent = true;
            writeAcks();
            connection.write(frames.goodbye(WireStatus.ok()), null);
            connection.flush();
            closeAfterGoodbyes();
        }
    }

    @Override
    public void onGoodbye(WireStatus status) {
        goodbyeReceived = true;
        if (status.number() != 0) {
            refusal = status.toException("dropped by peer " + peer);
        }
        owner.onLinkRetired(this);
        if (goodbyeSent) {
            closeAfterGoodbyes();
        } else {
            retire();
        }
    }

    private void closeAfterGoodbyes() {
        if (goodbyeReceived && !isDecodingLastMessages()) {
            connection.close();
        }
    }

    /** Returns whether the remote peer has sent its last message, and this peer must still deliver some. */
    private boolean isDecodingLastMessages() {
        return goodbyeReceived && decoder.isBusy();
    }

    @Override
    public void onDecodingDone() {
        if (goodbyeReceived) {
            execute(this::closeAfterDecoding, () -> {}); // after the frames of the present task
        }
    }

    private void closeAfterDecoding() {
        if (!closed.isDone() && goodbyeSent) {
            closeAfterGoodbyes();
        } else if (!closed.isDone()) {
            plain.sender().writeReady(); // continues the close
        }
    }

    /** Aborts the connection. Thread-safe. */
    @Override
    public void abort(@Nullable Throwable cause) {
        connection.abort(cause);
    }

    /**
     * Schedules one check. The next one is scheduled after it, not at a fixed rate: after a pause of this process a series
     * of missed checks would find the remote peer silent.
     */
    private void scheduleKeepAlive(Duration delay) {
        keepAliveTimer = context.schedule(delay, connection.executor(), this::checkAlive);
    }

    private void checkAlive() {
        if (closed.isDone()) {
            return;
        }
        if (frameReceived) {
            frameReceived = false;
            silentIntervals = 0;
        } else if (++silentIntervals >= MAX_SILENT_INTERVALS) {
            connection.abort(ErrorCode.TIMEOUT.exception(this + ": no frame received within "
                    + limits.keepAliveInterval().multipliedBy(MAX_SILENT_INTERVALS)));
            return;
        } else {
            connection.write(frames.ping(0), null);
            connection.flush();
        }
        guard(plain.receiver()::onKeepAlive);
        if (tunnel != null && tunneled != null) {
            guard(tunneled.receiver()::onKeepAlive);
            tunnel.checkAlive();
        }
        closeIfIdle();
        scheduleKeepAlive(limits.keepAliveInterval());
    }

    private void closeIfIdle() {
        long interval = limits.keepAliveInterval().toNanos();
        long idleTimeout = limits.idleTimeout().toNanos();
        idleNanos = messageTransferred ? 0 : idleNanos + interval;
        messageTransferred = false;
        sweptNanos += interval;
        if (sweptNanos >= idleTimeout || idleNanos >= idleTimeout) {
            sweptNanos = 0;
            owner.closeIdleMessengers();
        }
        if (idleNanos >= idleTimeout && !hasOutboundChannels() && !hasInboundChannels()) {
            owner.onLinkRetired(this);
            retire();
        }
    }

    @Override
    public void onFrame(ByteBuf frame) {
        frameReceived = true;
        if (fault != null) {
            return;
        }
        try {
            FrameReader.read(frame, plain);
        } catch (PeerFaultException e) {
            drop(e);
        }
    }

    /** Sends the fault to the remote peer and closes the connection. Further frames are ignored. */
    private void drop(PeerFaultException cause) {
        if (fault == null) {
            fault = cause;
            leave(cause);
        }
    }

    @Override
    public void giveWay(ParleyException reason) {
        run(() -> {
            if (!closed.isDone() && !goodbyeSent) {
                leave(reason);
            }
        });
    }

    private void leave(ParleyException reason) {
        owner.onLinkRetired(this);
        goodbyeSent = true;
        writeAcks();
        connection.write(frames.goodbye(WireStatus.of(reason)), null);
        retireSenders(); // messages sent from now on wait for the next link instead of being lost in this one
        connection.close();
    }

    @Override
    public void onReadComplete() {
        plain.acks().onReadComplete();
        if (tunnel != null && tunneled != null) {
            tunneled.acks().onReadComplete();
            tunnel.onReadComplete();
        }
        ParleyException shortage = partialFrame.set(connection.partialFrameBytes());
        if (shortage != null && !goodbyeSent) {
            metrics.increment(Counter.CONNECTIONS_REFUSED);
            giveWay(shortage); // reliable channels go on over the next connection
        }
    }

    @Override
    public void onWritable() {
        plain.acks().onWritable();
        plain.sender().writeReady();
        if (tunneled != null) {
            tunneled.acks().onWritable();
            tunneled.sender().writeReady();
        }
    }

    @Override
    public void onClosed(@Nullable Throwable ended) {
        if (closed.isDone()) {
            return;
        }
        Throwable cause = fault != null ? fault : tunnelFailure != null ? tunnelFailure : ended;
        cancel(keepAliveTimer);
        cancel(closeTimer);
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
        if (tunnel != null && tunneled != null) {
            tunneled.acks().close();
            tunneled.receiver().close();
            tunnel.close();
        }
        partialFrame.set(0);
        memory.close();
        plain.sender().close(cause, refusal);
        if (tunneled != null) {
            tunneled.sender().close(cause, refusal);
        }
        List<PendingPing> lost = new ArrayList<>(pings.values());
        pings.clear();
        lost.forEach(ping -> ping.result.completeExceptionally(
                ErrorCode.DISCONNECTED.exception(this + ": closed while a ping was pending", cause)));
        closed.complete(null);
        owner.onLinkClosed(this);
    }

    private static void cancel(Scheduler.@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }

    @Override
    public void onPing(long number) {
        plain.respond(frames.pong(number));
    }

    @Override
    public void onPong(long number) {
        PendingPing ping = pings.remove(number);
        if (ping != null) {
            ping.result.complete(Duration.ofNanos(context.scheduler().nanoTime() - ping.startNanos));
        }
    }

    @Override
    public String toString() {
        return "link to peer " + peer.shortText() + " at " + connection.remoteAddress();
    }
}

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
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.frame.Opened;
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
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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
                PeerMessenger.Carrier,
                ConnectionLimiter.Holder,
                LinkDecoder.LinkContext {

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

    /** Added to the size of a message when it is charged to a window, for the objects of the message. */
    private static final int MESSAGE_OVERHEAD_BYTES = 256;

    /**
     * The maximum number of responses that wait to be written, besides one for each channel. A peer that requests more without
     * reading is dropped.
     */
    private static final int MAX_PENDING_RESPONSES = 8192;

    private static final int MAX_PINGS = 1024;

    /** The number of keep-alive intervals without received frames after which the remote peer is considered dead. */
    private static final int MAX_SILENT_INTERVALS = 3;

    private final Connection connection;
    private final Owner owner;
    private final EndpointContext context;
    private final PeerId peer;
    private final Hello remote;
    private final long connectionId;
    private final ChannelCodecFactory codecs;
    private final EndpointLimits limits;
    private final EndpointMetrics metrics;
    private final MemoryBudget memory;
    private final FrameWriter frames;
    private final LinkSender sender;
    private final LinkReceiver receiver;
    private final AckSender acks;
    private final PartialFrameCharge partialFrame;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private final Map<Long, PendingPing> pings = new HashMap<>();
    private long lastPing;
    private int pendingResponses;
    private boolean frameReceived;
    private boolean messageTransferred;
    private int silentIntervals;
    private volatile long idleNanos;
    private long sweptNanos;
    private boolean goodbyeSent;
    private boolean goodbyeReceived;
    private @Nullable PeerFaultException fault;
    private @Nullable ParleyException refusal;
    private Scheduler.@Nullable Timer keepAliveTimer;
    private Scheduler.@Nullable Timer closeTimer;

    private record PendingPing(long startNanos, CompletableFuture<Duration> result) {}

    Link(Connection connection, Owner owner, Hello remote, MessageCodec codec, EndpointContext context) {
        this.connection = connection;
        this.owner = owner;
        this.context = context;
        this.peer = remote.peer();
        this.remote = remote;
        this.connectionId = remote.connection();
        this.limits = context.limits();
        this.metrics = context.metrics();
        this.codecs =
                new ChannelCodecFactory(codec, context.codecs(), remote, limits.messages(), connection.allocator());
        this.frames = new FrameWriter(connection.allocator());
        this.sender = new LinkSender(this, connection, frames, limits.maxChannels());
        LinkDecoder decoder = new LinkDecoder(this, context.decoding(), connection.remoteAddress());
        this.receiver = new LinkReceiver(this, owner.inboundSequences(), context.services(), limits, decoder);
        this.acks = new AckSender(connection, context);
        this.memory = context.memory().newConnection(connection.remoteAddress(), peer, receiver::onShortage);
        this.partialFrame = new PartialFrameCharge(memory, this::tryReserve);
    }

    /** Returns the number of window bytes that a message uses. Part of the wire format, because both peers compute it. */
    static long windowCost(long size) {
        return size + MESSAGE_OVERHEAD_BYTES;
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

    AckSender acks() {
        return acks;
    }

    boolean isClosed() {
        return closed.isDone();
    }

    /** Called before messages are written and flushed. */
    void onMessagesFollow() {
        acks.onMessagesFollow();
    }

    long connectionId() {
        return connectionId;
    }

    ChannelCodecFactory codecs() {
        return codecs;
    }

    @Override
    public boolean hasInboundChannels() {
        return receiver.hasChannels();
    }

    @Override
    public boolean hasOutboundChannels() {
        return sender.hasChannels();
    }

    @Override
    public long idleNanos() {
        return idleNanos;
    }

    @Override
    public EndpointAddress remoteAddress() {
        return connection.remoteAddress();
    }

    MemoryBudget memory() {
        return memory;
    }

    /** Reserves memory for this peer. If memory is short, asks for that of idle channels, which comes later. */
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
    private void guard(Runnable task) {
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
        acks.onReadComplete();
    }

    /** Closes an inbound channel, whose sequence another link continues. */
    void detach(int handle) {
        receiver.detach(handle);
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
            sender.wake(messenger);
        } else if (messenger.tryScheduleWake()) {
            execute(() -> {
                messenger.onWake();
                sender.wake(messenger);
            });
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
                sender.retire();
                if (closeTimer == null) {
                    closeTimer = context.schedule(
                            limits.closeTimeout(), connection.executor(), () -> connection.abort(null));
                }
            }
        });
    }

    void onSenderRetired() {
        if (!goodbyeSent && !isDecodingLastMessages()) {
            goodbyeSent = true;
            acks.writeAll();
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
        return goodbyeReceived && receiver.isDecoding();
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
            sender.writeReady(); // continues the close
        }
    }

    /** Aborts the connection. Thread-safe. */
    void abort(@Nullable Throwable cause) {
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
        guard(receiver::onKeepAlive);
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
        if (idleNanos >= idleTimeout && !sender.hasChannels() && !receiver.hasChannels()) {
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
            FrameReader.read(frame, this);
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
        acks.writeAll();
        connection.write(frames.goodbye(WireStatus.of(reason)), null);
        sender.retire(); // messages sent from now on wait for the next link instead of being lost in this one
        connection.close();
    }

    @Override
    public void onReadComplete() {
        acks.onReadComplete();
        ParleyException shortage = partialFrame.set(connection.partialFrameBytes());
        if (shortage != null && !goodbyeSent) {
            metrics.increment(Counter.CONNECTIONS_REFUSED);
            giveWay(shortage); // reliable channels go on over the next connection
        }
    }

    @Override
    public void onWritable() {
        acks.onWritable();
        sender.writeReady();
    }

    @Override
    public void onClosed(@Nullable Throwable ended) {
        if (closed.isDone()) {
            return;
        }
        Throwable cause = fault != null ? fault : ended;
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
        acks.close();
        receiver.close();
        partialFrame.set(0);
        memory.close();
        sender.close(cause, refusal);
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
        respond(frames.pong(number));
    }

    @Override
    public void onPong(long number) {
        PendingPing ping = pings.remove(number);
        if (ping != null) {
            ping.result.complete(Duration.ofNanos(context.scheduler().nanoTime() - ping.startNanos));
        }
    }

    @Override
    public void onOpen(int handle, Open open) {
        receiver.onOpen(handle, open);
    }

    @Override
    public void onOpened(int handle, Opened opened) {
        sender.onOpened(handle, opened);
    }

    @Override
    public void onRefuse(int handle, WireStatus status, OptionalLong received) {
        sender.onRefuse(handle, status, received);
    }

    @Override
    public void onAck(int handle, long count, long credit) {
        sender.onAck(handle, count, credit);
    }

    @Override
    public void onEnd(int handle) {
        receiver.onEnd(handle);
    }

    @Override
    public void onMessage(int handle, ByteBuf encoded) {
        receiver.onMessage(handle, encoded);
    }

    @Override
    public void onFirst(int handle, long total, ByteBuf fragment) {
        receiver.onFirst(handle, total, fragment);
    }

    @Override
    public void onMore(int handle, ByteBuf fragment) {
        receiver.onMore(handle, fragment);
    }

    @Override
    public void onCredit(int handle, long bytes) {
        sender.onCredit(handle, bytes);
    }

    @Override
    public void onBlocked(int handle) {
        receiver.onBlocked(handle);
    }

    @Override
    public void onShrink(int handle, long bytes) {
        sender.onShrink(handle, bytes);
    }

    @Override
    public void onShrunk(int handle, long bytes) {
        receiver.onShrunk(handle, bytes);
    }

    void sendCredit(int handle, long credit) {
        guard(() -> respond(frames.credit(handle, credit)));
    }

    /** Sends an acknowledgement outside of a read, with credit. */
    void sendAck(int handle, long count, long credit) {
        guard(() -> respond(frames.ack(handle, count, credit)));
    }

    /** Writes an acknowledgement without a flush. */
    void writeAck(int handle, long count, long credit) {
        connection.write(frames.ack(handle, count, credit), null);
    }

    /** Writes a request for unused credit, without a flush. */
    void writeShrink(int handle, long bytes) {
        connection.write(frames.shrink(handle, bytes), null);
    }

    void flush() {
        connection.flush();
    }

    void respondShrunk(int handle, long bytes) {
        respond(frames.shrunk(handle, bytes));
    }

    /** Refuses further messages of an open channel. */
    void refuse(int handle, ErrorCode code, String text, OptionalLong received) {
        receiver.remove(handle, ChannelEnd.LOST);
        connection.write(frames.refuse(handle, WireStatus.of(code, text), received), null);
        connection.flush();
    }

    void respondRefuse(int handle, ErrorCode code, String text, OptionalLong received) {
        respond(frames.refuse(handle, WireStatus.of(code, text), received));
    }

    void respondOpened(int handle, Opened opened) {
        respond(frames.opened(handle, opened));
    }

    private void respond(ByteBuf frame) {
        pendingResponses++;
        connection.write(frame, failure -> pendingResponses--);
        connection.flush();
        int max = MAX_PENDING_RESPONSES + limits.maxChannels();
        if (pendingResponses > max) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("pending responses: " + pendingResponses + " frames (expected: <= "
                    + max + "); the peer does not read them");
        }
    }

    @Override
    public String toString() {
        return "link to peer " + peer.shortText() + " at " + connection.remoteAddress();
    }
}

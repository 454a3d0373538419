package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;
import io.parley.codec.MessageCodec;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.frame.FrameReader;
import io.parley.endpoint.internal.frame.FrameVisitor;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.frame.WireStatus;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.PeerFaultException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection on which both peers have agreed to talk. It watches that the other side is alive, ends in order, and
 * passes frames to its two halves. Belongs to its connection's executor but for the methods that say otherwise.
 */
final class Link implements ConnectionListener, FrameVisitor {

    private static final Logger log = LoggerFactory.getLogger(Link.class);

    /** Added to a message's size when it is counted against a window, for the objects that make it up. */
    private static final int MESSAGE_OVERHEAD_BYTES = 256;

    /** Answers that may wait to be sent; who asks for more without reading is refused. */
    private static final int MAX_PENDING_REPLIES = 8192;

    private static final int MAX_PINGS = 1024;

    /** Silent intervals after which the other side counts as dead. */
    private static final int MAX_SILENT_TICKS = 3;

    private final Connection connection;
    private final Association association;
    private final PeerId peer;
    private final Hello remote;
    private final long connectionId;
    private final ChannelCodecFactory codecs;
    private final EndpointLimits limits;
    private final EndpointMetrics metrics;
    private final PeerBudgets budgets;
    private final MemoryBudget memory;
    private final FrameWriter frames;
    private final LinkSender sender;
    private final LinkReceiver receiver;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private final Map<Long, PendingPing> pings = new HashMap<>();
    private long lastPing;
    private int pendingReplies;
    private boolean heard;
    private boolean used;
    private int silentTicks;
    private long idleNanos;
    private long sweptNanos;
    private boolean goodbyeSent;
    private boolean goodbyeReceived;
    private @Nullable PeerFaultException fault;
    private @Nullable ScheduledFuture<?> ticking;

    private record PendingPing(long startNanos, CompletableFuture<Duration> result) {}

    Link(Connection connection, Association association, Hello remote, MessageCodec codec, EndpointContext core) {
        this.connection = connection;
        this.association = association;
        this.peer = remote.peer();
        this.remote = remote;
        this.connectionId = remote.connection();
        this.limits = core.limits();
        this.metrics = core.metrics();
        this.budgets = core.memory();
        this.memory = budgets.open(peer);
        this.codecs = new ChannelCodecFactory(codec, core.codecs(), remote, limits.messages(), connection.allocator());
        this.frames = new FrameWriter(connection.allocator());
        this.sender = new LinkSender(this, connection, frames, limits.maxChannels());
        this.receiver = new LinkReceiver(this, core.services(), limits);
    }

    /** What a message of that size takes from a window. The same on both sides, so it is part of the wire format. */
    static long cost(long size) {
        return size + MESSAGE_OVERHEAD_BYTES;
    }

    /** Begins to watch the connection. */
    void start() {
        connection.completeHandshake(EndpointContext.MAX_FRAME_BYTES);
        metrics.increment(Counter.CONNECTIONS_OPENED);
        long interval = limits.keepAliveInterval().toNanos();
        // Spread out, or many links of one peer ping at the same moment.
        long first = (long) (interval * (0.8 + 0.4 * Math.random()));
        // Not at a fixed rate: after a pause of this process the ticks that were missed would find the other side
        // silent.
        ticking = connection.executor().scheduleWithFixedDelay(this::tick, first, interval, TimeUnit.NANOSECONDS);
        log.debug("{}: open, codec {}", this, codecs.agreed());
    }

    PeerId peer() {
        return peer;
    }

    Hello remote() {
        return remote;
    }

    long connectionId() {
        return connectionId;
    }

    ChannelCodecFactory codecs() {
        return codecs;
    }

    /** Whether the other peer has a channel open here. On the executor, or as a hint. */
    boolean hasInboundChannels() {
        return receiver.hasChannels();
    }

    MemoryBudget memory() {
        return memory;
    }

    EndpointMetrics metrics() {
        return metrics;
    }

    CompletableFuture<Void> whenClosed() {
        return closed;
    }

    /** Runs it on the executor: at once when called there, else as soon as possible. From any thread. */
    void run(Runnable task) {
        if (connection.executor().inEventLoop()) {
            task.run();
        } else {
            execute(task);
        }
    }

    private void execute(Runnable task) {
        try {
            connection.executor().execute(task);
        } catch (RejectedExecutionException e) {
            log.trace("{}: its executor has ended, and everything with it", this);
        }
    }

    void checkSize(long bytes) {
        long limit = Math.min(limits.messages().maxMessageBytes(), EndpointContext.MAX_ARRAY_BYTES);
        if (bytes > limit) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("message: " + bytes + " bytes (expected: <= " + limit + ")");
        }
    }

    void countSent(long bytes) {
        used = true;
        metrics.increment(Counter.MESSAGES_SENT);
        metrics.add(Counter.MESSAGE_BYTES_SENT, bytes);
    }

    void countReceived(long bytes) {
        used = true;
        metrics.increment(Counter.MESSAGES_RECEIVED);
        metrics.add(Counter.MESSAGE_BYTES_RECEIVED, bytes);
    }

    /** The messenger has something to do here. From any thread. */
    void wake(PeerMessenger messenger) {
        if (connection.executor().inEventLoop()) {
            sender.wake(messenger);
        } else if (messenger.claimWake()) {
            execute(() -> {
                messenger.wakeUp();
                sender.wake(messenger);
            });
        }
    }

    /** Measures a round trip. From any thread. */
    CompletableFuture<Duration> ping() {
        CompletableFuture<Duration> result = new CompletableFuture<>();
        long start = System.nanoTime();
        run(() -> {
            if (closed.isDone() || pings.size() >= MAX_PINGS) {
                result.completeExceptionally((closed.isDone() ? ErrorCode.DISCONNECTED : ErrorCode.BUSY)
                        .exception(this + " is closed or has too many pings out"));
                return;
            }
            pings.put(++lastPing, new PendingPing(start, result));
            connection.write(frames.ping(lastPing), null);
            connection.flush();
        });
        return result;
    }

    /**
     * Ends the link in order: messages that have been begun are finished, then both sides say goodbye. From any thread.
     */
    void retire() {
        run(() -> {
            if (!closed.isDone()) {
                sender.retire();
                connection
                        .executor()
                        .schedule(
                                () -> connection.abort(null),
                                limits.closeTimeout().toNanos(),
                                TimeUnit.NANOSECONDS);
            }
        });
    }

    void onSenderRetired() {
        if (!goodbyeSent) {
            goodbyeSent = true;
            connection.write(frames.goodbye(WireStatus.ok()), null);
            connection.flush();
            closeAfterGoodbyes();
        }
    }

    @Override
    public void onGoodbye(WireStatus reason) {
        goodbyeReceived = true;
        association.onLinkRetired(this);
        if (goodbyeSent) {
            closeAfterGoodbyes();
        } else {
            retire();
        }
    }

    private void closeAfterGoodbyes() {
        if (goodbyeReceived) {
            connection.close();
        }
    }

    /** Ends the link at once. From any thread. */
    void abort(@Nullable Throwable cause) {
        connection.abort(cause);
    }

    private void tick() {
        if (heard) {
            heard = false;
            silentTicks = 0;
        } else if (++silentTicks >= MAX_SILENT_TICKS) {
            connection.abort(ErrorCode.TIMEOUT.exception(
                    this + ": silent for " + limits.keepAliveInterval().multipliedBy(MAX_SILENT_TICKS)));
            return;
        } else {
            connection.write(frames.ping(0), null);
            connection.flush();
        }
        long interval = limits.keepAliveInterval().toNanos();
        long idleTimeout = limits.idleTimeout().toNanos();
        idleNanos = used ? 0 : idleNanos + interval;
        used = false;
        sweptNanos += interval;
        if (sweptNanos >= idleTimeout || idleNanos >= idleTimeout) {
            sweptNanos = 0;
            association.closeIdleMessengers();
        }
        if (idleNanos >= idleTimeout && !sender.hasChannels() && !receiver.hasChannels()) {
            association.onLinkRetired(this);
            retire();
        }
    }

    @Override
    public void onFrame(ByteBuf frame) {
        heard = true;
        if (fault != null) {
            return;
        }
        try {
            FrameReader.read(frame, this);
        } catch (PeerFaultException e) {
            drop(e);
        }
    }

    /** Tells the peer what it did wrong, and listens to it no more. */
    private void drop(PeerFaultException cause) {
        if (fault == null) {
            fault = cause;
            association.onLinkRetired(this);
            goodbyeSent = true;
            connection.write(frames.goodbye(WireStatus.of(cause)), null);
            sender.retire(); // what is sent from now on waits for the next link, instead of getting lost in this one
            connection.close();
        }
    }

    @Override
    public void onWritable() {
        sender.writeReady();
    }

    @Override
    public void onClosed(@Nullable Throwable ended) {
        if (closed.isDone()) {
            return;
        }
        Throwable cause = fault != null ? fault : ended;
        if (ticking != null) {
            ticking.cancel(false);
        }
        metrics.increment(Counter.CONNECTIONS_CLOSED);
        if (cause instanceof PeerFaultException) {
            metrics.increment(Counter.CONNECTIONS_DROPPED);
            log.warn("{}: dropped: {}", this, cause.getMessage());
        } else if (cause == null || cause instanceof ParleyException) {
            log.debug("{}: closed", this, cause);
        } else {
            log.warn("{}: lost", this, cause);
        }
        association.onLinkRetired(this);
        receiver.close();
        budgets.close(peer);
        sender.close(cause);
        List<PendingPing> lost = new ArrayList<>(pings.values());
        pings.clear();
        lost.forEach(ping ->
                ping.result.completeExceptionally(ErrorCode.DISCONNECTED.exception(this + " was lost during a ping", cause)));
        closed.complete(null);
        association.onLinkClosed(this);
    }

    @Override
    public void onPing(long number) {
        reply(frames.pong(number));
    }

    @Override
    public void onPong(long number) {
        PendingPing ping = pings.remove(number);
        if (ping != null) {
            ping.result.complete(Duration.ofNanos(System.nanoTime() - ping.startNanos));
        }
    }

    @Override
    public void onOpen(int handle, ServiceAddress service, String codec) {
        receiver.onOpen(handle, service, codec);
    }

    @Override
    public void onOpened(int handle, long window) {
        sender.onOpened(handle, window);
    }

    @Override
    public void onRefuse(int handle, WireStatus refusal) {
        sender.onRefuse(handle, refusal);
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
    public void onFirst(int handle, long total, ByteBuf piece) {
        receiver.onFirst(handle, total, piece);
    }

    @Override
    public void onMore(int handle, ByteBuf piece) {
        receiver.onMore(handle, piece);
    }

    @Override
    public void onCredit(int handle, long bytes) {
        sender.onCredit(handle, bytes);
    }

    void sendCredit(int handle, long credit) {
        try {
            reply(frames.credit(handle, credit));
        } catch (PeerFaultException e) {
            drop(e); // from here nobody else would
        }
    }

    /** Refuses a channel that was open. */
    void refuse(int handle, ErrorCode code, String text) {
        receiver.remove(handle);
        connection.write(frames.refuse(handle, WireStatus.of(code, text)), null);
        connection.flush();
    }

    void replyRefuse(int handle, ErrorCode code, String text) {
        reply(frames.refuse(handle, WireStatus.of(code, text)));
    }

    void replyOpened(int handle, int window) {
        reply(frames.opened(handle, window));
    }

    private void reply(ByteBuf frame) {
        pendingReplies++;
        connection.write(frame, failure -> pendingReplies--);
        connection.flush();
        if (pendingReplies > MAX_PENDING_REPLIES) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("the peer asks without reading the answers");
        }
    }

    @Override
    public String toString() {
        return "link to peer " + peer.shortText() + " at " + connection.remoteAddress();
    }
}

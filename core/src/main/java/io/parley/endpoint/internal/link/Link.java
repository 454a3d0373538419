package io.parley.endpoint.internal.link;

import io.netty.buffer.ByteBuf;
import io.parley.codec.MessageCodec;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.internal.context.ConnectionLimiter;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.FrameReader;
import io.parley.endpoint.internal.frame.FrameVisitor;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.inbound.InboundSequences;
import io.parley.endpoint.internal.inbound.LinkDecoder;
import io.parley.endpoint.internal.memory.MemoryBudget;
import io.parley.endpoint.internal.memory.PartialFrameCharge;
import io.parley.endpoint.internal.messenger.ChannelCodecFactory;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.PeerFaultException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection after a successful handshake, and its channels, whose frames are in the frames of the connection or inside a
 * TLS tunnel. {@link KeepAlive} checks that the remote peer is alive, and {@link LinkCloser} ends the link. Confined to the
 * event loop of the connection, except for the methods that are documented otherwise.
 */
public final class Link
        implements ConnectionListener,
                FrameVisitor,
                LinkChannels.Owner,
                ConnectionLimiter.Holder,
                LinkDecoder.Owner,
                KeepAlive.Owner,
                LinkCloser.Owner {

    /** The association of a link. The methods are called on the event loop of the link. */
    public interface Owner {

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

    /** For failures that no part of this peer expects, which a remote peer may be able to cause again and again. */
    private static final RateLimitedLogger unexpectedLog = new RateLimitedLogger(log);

    private final Connection connection;
    private final Owner owner;
    private final Hello local;

    /** Whether the transport has authenticated the remote peer. */
    private final boolean authenticated;

    private final EndpointContext endpoint;
    private final LinkContext context;
    private final FrameWriter frames;
    private final LinkDecoder decoder;
    private final LinkChannels plain;
    private final PartialFrameCharge partialFrame;
    private final LinkPings pings;
    private final KeepAlive keepAlive;
    private final LinkCloser closer;
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
    public Link(
            Connection connection,
            Owner owner,
            Hello local,
            Hello remote,
            MessageCodec codec,
            EndpointContext endpoint) {
        this.connection = connection;
        this.owner = owner;
        this.local = local;
        this.authenticated = connection.authenticatedPeer() != null;
        this.endpoint = endpoint;
        this.frames = new FrameWriter(connection.allocator());
        this.pings = new LinkPings(this, connection, frames, endpoint.scheduler());
        this.keepAlive = new KeepAlive(this, endpoint, connection.executor());
        this.closer = new LinkCloser(this, connection, frames, endpoint);
        ChannelCodecFactory codecs = new ChannelCodecFactory(
                codec, endpoint.codecs(), remote, endpoint.limits().messages(), connection.allocator());
        MemoryBudget memory =
                endpoint.memory().newConnection(connection.remoteAddress(), remote.peer(), this::onShortage);
        this.context = new LinkContext(endpoint, connection, remote, codecs, memory, keepAlive, closer);
        this.decoder = new LinkDecoder(this, endpoint.decoding(), connection.remoteAddress());
        this.plain = LinkChannels.onLink(this, this, context, connection, authenticated, decoder);
        this.partialFrame = new PartialFrameCharge(memory, context::tryReserve);
    }

    /** Completes the handshake of the connection and starts the keep-alive timer. */
    public void start() {
        connection.completeHandshake(EndpointContext.MAX_FRAME_BYTES);
        context.metrics().increment(Counter.CONNECTIONS_OPENED);
        endpoint.connections().add(this);
        keepAlive.start();
        log.debug("Opened {} with codec {}", this, context.codecs().agreed());
    }

    /** Returns what the parts of the link share. */
    public LinkContext context() {
        return context;
    }

    /** Returns the HELLO or ACCEPT that the remote peer has sent. Thread-safe. */
    public Hello remote() {
        return context.remote();
    }

    @Override
    public OptionalLong remoteInstance() {
        return OptionalLong.of(remote().instance());
    }

    /** Returns the number of the connection. Thread-safe. */
    public long connectionId() {
        return context.remote().connection();
    }

    @Override
    public InboundSequences inboundSequences() {
        return owner.inboundSequences();
    }

    @Override
    public boolean isClosed() {
        return closer.isClosed();
    }

    /** Thread-safe. */
    public CompletableFuture<Void> whenClosed() {
        return closer.whenClosed();
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

    @Override
    public int inboundChannels() {
        return plain.receiver().channelCount() + (tunneled == null ? 0 : tunneled.inboundChannels());
    }

    /** Asks for the memory of idle channels because memory is short. Thread-safe, also before the constructor has returned. */
    private void onShortage() {
        if (!shrinkScheduled.compareAndSet(false, true)) {
            return;
        }
        if (connection.executor().inEventLoop()) {
            shrinkIdle();
        } else {
            EndpointContext.execute(connection.executor(), this::shrinkIdle);
        }
    }

    private void shrinkIdle() {
        shrinkScheduled.set(false);
        plain.receiver().shrinkIdle();
        if (tunneled != null) {
            tunneled.shrinkIdle();
        }
    }

    @Override
    public long idleNanos() {
        return keepAlive.idleNanos();
    }

    /** Returns whether the bytes of this link pass through a relay. */
    public boolean isRelayed() {
        return remoteAddress().isRelayed();
    }

    @Override
    public EndpointAddress remoteAddress() {
        return connection.remoteAddress();
    }

    @Override
    public void execute(Runnable task, Runnable otherwise) {
        context.runLater(() -> continueRead(task), otherwise);
    }

    /** Runs a task that continues with received frames. If it fails, the connection ends as if it had failed in a read. */
    private void continueRead(Runnable task) {
        try {
            context.guard(task);
        } catch (RuntimeException | Error e) {
            connection.abort(e);
        }
        plain.acks().onReadComplete();
        if (tunneled != null) {
            tunneled.onTaskComplete();
        }
    }

    @Override
    public void wake(PeerMessenger messenger) {
        if (context.isInEventLoop()) {
            wakeNow(messenger);
        } else if (messenger.binding().tryScheduleWake()) {
            context.runLater(() -> {
                messenger.binding().onWake();
                wakeNow(messenger);
            });
        }
    }

    /** Lets the messenger send. If that fails, the connection ends: the channels behind that of the messenger would not be served. */
    private void wakeNow(PeerMessenger messenger) {
        boolean inside = messenger.isSecure()
                && !authenticated
                && context.remote().hasSecureChannels()
                && (tunneled != null || !plain.sender().isRetiring());
        try {
            if (inside) {
                tunneled().wake(messenger);
            } else {
                plain.sender().wake(messenger);
            }
        } catch (RuntimeException | Error e) {
            connection.abort(e);
        }
    }

    private TunneledChannels tunneled() {
        TunneledChannels present = tunneled;
        if (present == null) {
            present = new TunneledChannels(this, context, connection, local, decoder);
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

    /** Measures a round trip. Thread-safe. */
    public CompletableFuture<Duration> ping() {
        CompletableFuture<Duration> result = new CompletableFuture<>();
        long start = context.nanoTime();
        Runnable fail = () -> result.completeExceptionally(ErrorCode.DISCONNECTED.exception(this + " is closed"));
        context.run(
                () -> {
                    if (closer.isClosed()) {
                        fail.run();
                    } else {
                        pings.send(start, result);
                    }
                },
                fail);
        return result;
    }

    /**
     * Closes the link in order: messages whose first frame is written are completed, then both peers send GOODBYE. Aborts
     * the connection after the close timeout. Thread-safe.
     */
    public void retire() {
        context.run(closer::retire);
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

    @Override
    public void onGoodbye(WireStatus status) {
        closer.onGoodbye(status.number() == 0 ? null : status.toException("dropped by peer " + context.peer()));
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
        if (!closer.isClosed() && closer.isGoodbyeSent()) {
            closer.closeAfterGoodbyes();
        } else if (!closer.isClosed()) {
            plain.sender().writeReady(); // continues the close
        }
    }

    /** Aborts the connection. Thread-safe. */
    public void abort(@Nullable Throwable cause) {
        connection.abort(cause);
    }

    @Override
    public void sendProbe() {
        pings.sendProbe();
    }

    @Override
    public void onSilent(Duration time) {
        connection.abort(
                ErrorCode.TIMEOUT.exception(this + ": no frame received within " + DurationFormatter.format(time)));
    }

    @Override
    public void onKeepAlive() {
        context.guard(plain.receiver()::onKeepAlive);
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
        context.run(() -> closer.leave(reason));
    }

    @Override
    public void onReadComplete() {
        plain.acks().onReadComplete();
        if (tunneled != null) {
            tunneled.onReadComplete();
        }
        ParleyException shortage = partialFrame.set(connection.partialFrameBytes());
        if (shortage != null && !closer.isGoodbyeSent()) {
            context.metrics().increment(Counter.CONNECTIONS_REFUSED);
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
        if (closer.isClosed()) {
            return;
        }
        Throwable cause = closer.onClosed(ended);
        keepAlive.stop();
        context.metrics().increment(Counter.CONNECTIONS_CLOSED);
        endpoint.connections().remove(this);
        if (cause instanceof PeerFaultException) {
            context.metrics().increment(Counter.CONNECTIONS_DROPPED);
            endpoint.faultLog().warn("Dropped {}: {}", this, cause.getMessage());
        } else if (cause == null || cause instanceof ParleyException) {
            log.debug("Closed {}", this, cause);
        } else {
            unexpectedLog.warn("Lost {}", this, cause);
        }
        owner.onLinkRetired(this);
        plain.acks().close();
        plain.receiver().close();
        if (tunneled != null) {
            tunneled.closeReceiver();
        }
        partialFrame.set(0);
        context.memory().close();
        plain.sender().close(cause, closer.refusal());
        if (tunneled != null) {
            tunneled.closeSender(cause, closer.refusal());
        }
        pings.close(cause);
        closer.finish();
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
        return context.toString();
    }
}

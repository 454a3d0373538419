package io.parley.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.tcp.internal.relay.Relay;
import io.parley.transport.tcp.internal.relay.RelayRequestHandler;
import io.parley.transport.tls.TlsHandlerFactory;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Initializes one accepted channel: limits handshakes, opens the tunnel, authenticates the remote peer and passes the connection on. A channel that
 * this peer has connected to a relay, to accept a circuit, is initialized when it is joined.
 */
final class AcceptedChannelInitializer {

    private static final Logger log = LoggerFactory.getLogger(AcceptedChannelInitializer.class);

    private final TransportContext context;
    private final TcpTunnel tunnel;
    private final TlsHandlerFactory tls;
    private final HandshakeLimiter handshakes;
    private final Function<EventLoop, HostTurns> turns;
    private final @Nullable Relay relay;
    private final RateLimitedLogger rejectionLog;
    private final String scheme;
    private final InetSocketAddress remote;
    private final Consumer<Connection> onAccept;
    private final AtomicBoolean rejected = new AtomicBoolean();
    private HandshakeLimiter.@Nullable Handshake handshake;

    /**
     * @param turns        returns those of the event loop of the channel
     * @param relay        the relay of this peer; null if it is none
     * @param rejectionLog logs the rejected connections of all channels
     * @param scheme       that of the address of the server
     * @param remote       the address of the remote peer
     */
    AcceptedChannelInitializer(
            TransportContext context,
            TcpTunnel tunnel,
            TlsHandlerFactory tls,
            HandshakeLimiter handshakes,
            Function<EventLoop, HostTurns> turns,
            @Nullable Relay relay,
            RateLimitedLogger rejectionLog,
            String scheme,
            InetSocketAddress remote,
            Consumer<Connection> onAccept) {
        this.context = context;
        this.tunnel = tunnel;
        this.tls = tls;
        this.handshakes = handshakes;
        this.turns = turns;
        this.relay = relay;
        this.rejectionLog = rejectionLog;
        this.scheme = scheme;
        this.remote = remote;
        this.onAccept = onAccept;
    }

    /** Initializes a channel of a server, on its event loop. */
    void initialize(Channel channel) {
        if (!tryBegin(channel::close)) {
            channel.close();
            return;
        }
        channel.closeFuture().addListener(closed -> release());
        channel.pipeline().addLast(new HostTurnHandler(turns.apply(channel.eventLoop())));
        tunnel.addAcceptorHandlers(channel, () -> onOpen(channel), this::onRejected);
    }

    private void onOpen(Channel channel) {
        if (relay == null && context.security() == TransportSecurity.PLAINTEXT) {
            authenticate(channel, onAccept); // a request would be a frame that is too long
        } else {
            channel.pipeline()
                    .addLast(new RelayRequestHandler(context, relay, channel, remote, new RequestOwner(channel)));
        }
    }

    /** Initializes the channel of a circuit that is joined, on its event loop. {@link #tryBegin} comes before. */
    void initializeCircuit(Channel channel) {
        channel.closeFuture().addListener(closed -> release());
        channel.pipeline().addFirst(new HostTurnHandler(turns.apply(channel.eventLoop())));
        authenticate(channel, onAccept);
    }

    /**
     * Begins the handshake, unless there are too many.
     *
     * @param onEvicted called on any thread if the handshake gives way to another one
     */
    boolean tryBegin(Runnable onEvicted) {
        handshake = handshakes.tryAcquire(remote.getAddress(), () -> {
            onRejected(tooManyHandshakes());
            onEvicted.run();
        });
        if (handshake == null) {
            onRejected(tooManyHandshakes());
        }
        return handshake != null;
    }

    private void authenticate(Channel channel, Consumer<Connection> onAuthenticated) {
        try {
            if (context.security() == TransportSecurity.PLAINTEXT) {
                handOver(channel, null, onAuthenticated);
            } else {
                tls.addHandlers(channel, false, peer -> handOver(channel, peer, onAuthenticated), this::onRejected);
            }
        } catch (SSLException | RuntimeException | Error e) { // which the pipeline would only log
            onRejected(ErrorCode.CLOSED.exception("cannot continue after the connect: " + e.getMessage(), e));
            channel.close();
        }
    }

    private void handOver(Channel channel, @Nullable PeerId peer, Consumer<Connection> onAuthenticated) {
        EndpointAddress address =
                new EndpointAddress(scheme, remote.getAddress().getHostAddress(), remote.getPort());
        TcpConnection connection = new TcpConnection(context, channel, address, false, peer, this::release);
        connection.install();
        try {
            onAuthenticated.accept(connection);
        } catch (RuntimeException e) {
            connection.abort(e);
        }
    }

    private ParleyException tooManyHandshakes() {
        TransportLimits limits = context.limits();
        return ErrorCode.BUSY.exception("pending handshakes: too many in total or from this host (expected: <= "
                + limits.maxHandshakes() + " and <= " + limits.maxHandshakesPerHost() + ", <= "
                + limits.handshakesPerSecond() + " per second)");
    }

    /** Ends the handshake. */
    void release() {
        HandshakeLimiter.Handshake acquired = handshake;
        if (acquired != null) {
            handshakes.release(acquired);
        }
    }

    /** Thread-safe. The first reason counts: a handshake that gives way fails as its channel is closed. */
    private void onRejected(ParleyException reason) {
        if (!rejected.compareAndSet(false, true)) {
            return;
        }
        context.metrics().increment(Counter.HANDSHAKES_FAILED);
        String host = remote.getAddress().getHostAddress();
        if (reason.code() == ErrorCode.UNREACHABLE) {
            // The dialer closed the connection during the handshake. This is normal if two peers dial each other: the
            // one whose dial succeeds first drops the other connection.
            log.debug("Dialer at {}:{} dropped its connection: {}", host, remote.getPort(), reason.getMessage());
            return;
        }
        rejectionLog.warn("Rejected connection from {}:{}: {}", host, remote.getPort(), reason.getMessage());
    }

    /** Continues when it is known what the connection is for. */
    private final class RequestOwner implements RelayRequestHandler.Owner {

        private final Channel channel;

        private RequestOwner(Channel channel) {
            this.channel = channel;
        }

        @Override
        public void onDirect() {
            authenticate(channel, onAccept);
        }

        @Override
        public void onListen(PeerId peer) {
            Relay serving = Objects.requireNonNull(relay);
            authenticate(channel, connection -> serving.listen(connection, peer));
        }

        @Override
        public void onJoined() {
            release();
        }

        @Override
        public void onRejected(ParleyException reason) {
            AcceptedChannelInitializer.this.onRejected(reason);
        }
    }
}

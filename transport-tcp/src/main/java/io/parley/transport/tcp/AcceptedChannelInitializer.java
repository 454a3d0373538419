package io.parley.transport.tcp;

import io.netty.channel.Channel;
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
import io.parley.transport.tls.TlsHandlerFactory;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Initializes an accepted channel: limits handshakes, opens the tunnel, authenticates the remote peer and passes the connection on. */
final class AcceptedChannelInitializer {

    private static final Logger log = LoggerFactory.getLogger(AcceptedChannelInitializer.class);

    private final TransportContext context;
    private final TcpTunnel tunnel;
    private final TlsHandlerFactory tls;
    private final HandshakeLimiter handshakes;
    private final HostTurns turns;
    private final RateLimitedLogger rejectionLog;
    private final String scheme;
    private final Consumer<Connection> onAccept;
    private final AtomicBoolean rejected = new AtomicBoolean();
    private HandshakeLimiter.@Nullable Handshake handshake;

    /**
     * @param turns        those of the event loop of the channel
     * @param rejectionLog logs the rejected connections of all channels
     * @param scheme       that of the address of the server
     */
    AcceptedChannelInitializer(
            TransportContext context,
            TcpTunnel tunnel,
            TlsHandlerFactory tls,
            HandshakeLimiter handshakes,
            HostTurns turns,
            RateLimitedLogger rejectionLog,
            String scheme,
            Consumer<Connection> onAccept) {
        this.context = context;
        this.tunnel = tunnel;
        this.tls = tls;
        this.handshakes = handshakes;
        this.turns = turns;
        this.rejectionLog = rejectionLog;
        this.scheme = scheme;
        this.onAccept = onAccept;
    }

    void initialize(Channel channel) {
        InetSocketAddress remote = (InetSocketAddress) channel.remoteAddress();
        handshake = handshakes.tryAcquire(remote.getAddress(), () -> {
            onRejected(remote, tooManyHandshakes());
            channel.close();
        });
        if (handshake == null) {
            onRejected(remote, tooManyHandshakes());
            channel.close();
            return;
        }
        channel.closeFuture().addListener(closed -> release());
        channel.pipeline().addLast(new HostTurnHandler(turns));
        tunnel.addAcceptorHandlers(channel, () -> onOpen(channel, remote), reason -> onRejected(remote, reason));
    }

    private void onOpen(Channel channel, InetSocketAddress remote) {
        try {
            if (context.security() == TransportSecurity.PLAINTEXT) {
                handOver(channel, remote, null);
            } else {
                tls.addHandlers(
                        channel, false, peer -> handOver(channel, remote, peer), reason -> onRejected(remote, reason));
            }
        } catch (SSLException | RuntimeException | Error e) { // which the pipeline would only log
            onRejected(remote, ErrorCode.CLOSED.exception("cannot continue after the connect: " + e.getMessage(), e));
            channel.close();
        }
    }

    private void handOver(Channel channel, InetSocketAddress remote, @Nullable PeerId peer) {
        EndpointAddress address =
                new EndpointAddress(scheme, remote.getAddress().getHostAddress(), remote.getPort());
        TcpConnection connection = new TcpConnection(context, channel, address, false, peer, this::release);
        connection.install();
        try {
            onAccept.accept(connection);
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

    private void release() {
        HandshakeLimiter.Handshake acquired = handshake;
        if (acquired != null) {
            handshakes.release(acquired);
        }
    }

    /** Thread-safe. The first reason counts: a handshake that gives way fails as its channel is closed. */
    private void onRejected(InetSocketAddress remote, ParleyException reason) {
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
}

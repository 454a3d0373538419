package io.parley.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import io.parley.transport.tls.TlsHandlerFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way of an accepted channel to a connection: counted, proven to be some peer, handed over. */
final class AcceptedChannelInitializer {

    private static final Logger log = LoggerFactory.getLogger(AcceptedChannelInitializer.class);

    private final TransportContext context;
    private final TlsHandlerFactory tls;
    private final HandshakeLimiter handshakes;
    private final Consumer<Connection> onAccept;
    private boolean counted;

    AcceptedChannelInitializer(
            TransportContext context,
            TlsHandlerFactory tls,
            HandshakeLimiter handshakes,
            Consumer<Connection> onAccept) {
        this.context = context;
        this.tls = tls;
        this.handshakes = handshakes;
        this.onAccept = onAccept;
    }

    void begin(Channel channel) {
        InetSocketAddress remote = (InetSocketAddress) channel.remoteAddress();
        InetAddress host = remote.getAddress();
        if (!handshakes.tryBegin(host)) {
            refused(remote, ErrorCode.BUSY.exception("too many handshakes at a time, in all or from this host"));
            channel.close();
            return;
        }
        counted = true;
        channel.closeFuture().addListener(closed -> uncount(host));
        channel.pipeline().addLast(FlushHandlers.consolidated());
        if (context.security() == TransportSecurity.PLAINTEXT) {
            channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelActive(ChannelHandlerContext active) {
                    active.pipeline().remove(this);
                    handOver(channel, remote, null);
                }
            });
        } else {
            try {
                tls.addHandlers(
                        channel, false, peer -> handOver(channel, remote, peer), reason -> refused(remote, reason));
            } catch (SSLException e) {
                refused(remote, ErrorCode.CLOSED.exception("TLS can't be set up: " + e.getMessage(), e));
                channel.close();
            }
        }
    }

    private void handOver(Channel channel, InetSocketAddress remote, @Nullable PeerId peer) {
        EndpointAddress address =
                new EndpointAddress(TcpTransport.SCHEME, remote.getAddress().getHostAddress(), remote.getPort());
        TcpConnection connection = new TcpConnection(
                channel, address, false, peer, context.limits().closeTimeout(), () -> uncount(remote.getAddress()));
        connection.install();
        try {
            onAccept.accept(connection);
        } catch (RuntimeException e) {
            connection.abort(e);
        }
    }

    private void uncount(InetAddress host) {
        if (counted) {
            counted = false;
            handshakes.end(host);
        }
    }

    private void refused(InetSocketAddress remote, ParleyException reason) {
        context.metrics().increment(Counter.HANDSHAKES_FAILED);
        String host = remote.getAddress().getHostAddress();
        if (reason.code() == ErrorCode.UNREACHABLE) {
            // The dialer closed the connection during the handshake. This is normal if two peers dial each other: the
            // one whose dial succeeds first drops the other connection.
            log.debug("Dialer at {}:{} dropped its connection: {}", host, remote.getPort(), reason.getMessage());
            return;
        }
        log.warn("refused a connection from {}:{}: {}", host, remote.getPort(), reason.getMessage());
    }
}

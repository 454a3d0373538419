package io.parley.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import io.parley.transport.tls.TlsHandlerFactory;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Initializes a dialed channel: authenticates the expected peer and completes the dial with a connection. */
final class DialedChannelInitializer extends ChannelInitializer<Channel> {

    private final TransportContext context;
    private final TlsHandlerFactory tls;
    private final EndpointAddress address;
    private final @Nullable PeerId expected;
    private final CompletableFuture<Connection> dialed;

    DialedChannelInitializer(
            TransportContext context,
            TlsHandlerFactory tls,
            EndpointAddress address,
            @Nullable PeerId expected,
            CompletableFuture<Connection> dialed) {
        this.context = context;
        this.tls = tls;
        this.address = address;
        this.expected = expected;
        this.dialed = dialed;
    }

    @Override
    protected void initChannel(Channel channel) throws Exception {
        if (context.security() == TransportSecurity.PLAINTEXT) {
            channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelActive(ChannelHandlerContext active) {
                    active.pipeline().remove(this);
                    handOver(channel, null);
                }
            });
        } else {
            tls.addHandlers(channel, true, peer -> onAuthenticated(channel, peer), this::onRejected);
        }
    }

    private void onAuthenticated(Channel channel, PeerId peer) {
        if (expected != null && !expected.equals(peer)) {
            onRejected(ErrorCode.IDENTITY_REFUSED.exception(
                    "peer " + peer + " (expected: " + expected + "); the address may be out of date"));
            channel.close();
        } else {
            handOver(channel, peer);
        }
    }

    private void onRejected(ParleyException reason) {
        dialed.completeExceptionally(reason.code().exception(address + ": " + reason.getMessage(), reason));
    }

    private void handOver(Channel channel, @Nullable PeerId peer) {
        TcpConnection connection = new TcpConnection(context, channel, address, true, peer, () -> {});
        connection.install();
        if (!dialed.complete(connection)) {
            connection.abort(null);
        }
    }
}

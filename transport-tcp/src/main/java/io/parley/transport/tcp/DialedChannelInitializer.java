package io.parley.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import io.parley.transport.tcp.internal.relay.RelayRequest;
import io.parley.transport.tcp.internal.relay.RelayResponseHandler;
import io.parley.transport.tls.TlsHandlerFactory;
import java.time.Duration;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Initializes a dialed channel: opens the tunnel, requests a circuit if the address is relayed, authenticates the expected peer and completes the dial
 * with a connection.
 */
final class DialedChannelInitializer extends ChannelInitializer<Channel> {

    private final TransportContext context;
    private final TcpTunnel tunnel;
    private final TlsHandlerFactory tls;
    private final Dial dial;
    private final Consumer<Channel> onJoined;

    /** Initializes a channel whose remote peer authenticates as the server. */
    DialedChannelInitializer(TransportContext context, TcpTunnel tunnel, TlsHandlerFactory tls, Dial dial) {
        this.context = context;
        this.tunnel = tunnel;
        this.tls = tls;
        this.dial = dial;
        this.onJoined = this::authenticate;
    }

    /** @param onJoined continues when the relay serves the request, on the event loop */
    DialedChannelInitializer(
            TransportContext context, TcpTunnel tunnel, TlsHandlerFactory tls, Dial dial, Consumer<Channel> onJoined) {
        this.context = context;
        this.tunnel = tunnel;
        this.tls = tls;
        this.dial = dial;
        this.onJoined = onJoined;
    }

    @Override
    protected void initChannel(Channel channel) {
        tunnel.addDialerHandlers(channel, dial.server(), dial.proxy(), () -> onOpen(channel), this::onRejected);
    }

    private void onOpen(Channel channel) {
        RelayRequest request = dial.request();
        if (request == null) {
            authenticate(channel);
            return;
        }
        // A relay that does not find the peer at once waits for it.
        Duration timeout =
                context.limits().connectTimeout().plus(context.limits().handshakeTimeout());
        channel.pipeline()
                .addLast(new RelayResponseHandler(
                        request, context.scheduler(), timeout, () -> onJoined.accept(channel), this::onRejected));
    }

    private void authenticate(Channel channel) {
        if (context.security() == TransportSecurity.PLAINTEXT) {
            handOver(channel, null);
            return;
        }
        try {
            tls.addHandlers(channel, true, peer -> onAuthenticated(channel, peer), this::onRejected);
        } catch (SSLException | RuntimeException | Error e) { // which the pipeline would only log
            onRejected(ErrorCode.CLOSED.exception("TLS: cannot create a handler: " + e.getMessage(), e));
            channel.close();
        }
    }

    private void onAuthenticated(Channel channel, PeerId peer) {
        PeerId expected = dial.expected();
        if (expected != null && !expected.equals(peer)) {
            onRejected(ErrorCode.IDENTITY_REFUSED.exception(
                    "peer " + peer + " (expected: " + expected + "); the address may be out of date"));
            channel.close();
        } else {
            handOver(channel, peer);
        }
    }

    private void onRejected(ParleyException reason) {
        dial.dialed()
                .completeExceptionally(reason.code().exception(dial.address() + ": " + reason.getMessage(), reason));
    }

    private void handOver(Channel channel, @Nullable PeerId peer) {
        TcpConnection connection = new TcpConnection(context, channel, dial.address(), true, peer, () -> {});
        connection.install();
        if (!dial.dialed().complete(connection)) {
            connection.abort(null);
        }
    }
}

package io.parley.transport.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.proxy.HttpProxyHandler;
import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportContext;
import io.parley.transport.tcp.TcpTunnel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Carries each connection in a WebSocket (RFC 6455). Thread-safe. */
final class WebSocketTunnel implements TcpTunnel {

    static final String HTTP = "http";
    static final String HTTPS = "https";
    static final Set<String> SCHEMES = Set.of(HTTP, HTTPS);

    /** The path of the WebSocket of a peer. */
    static final String PATH = "/parley";

    /** The subprotocol (RFC 6455 section 1.9) whose messages are the bytes of a connection. */
    static final String SUBPROTOCOL = "parley";

    /** The largest WebSocket frame that is sent and accepted, in bytes: two TLS records. */
    static final int MAX_FRAME_BYTES = 32 * 1024;

    /** Frames have two bytes at least, six from a dialer, and each costs about a microsecond. */
    private static final int MAX_READ_BYTES = 32 * 1024;

    private static final int MAX_LINE_BYTES = 1024;
    private static final int MAX_HEADER_BYTES = 8 * 1024;

    private final TransportContext context;
    private final HttpProxies proxies;
    private final HostTls hostTls;

    WebSocketTunnel(TransportContext context, HttpProxies proxies, HostTls hostTls) {
        this.context = context;
        this.proxies = proxies;
        this.hostTls = hostTls;
    }

    @Override
    public Set<String> schemes() {
        return SCHEMES;
    }

    @Override
    public int maxReadBytes() {
        return MAX_READ_BYTES;
    }

    @Override
    public CompletableFuture<Optional<EndpointAddress>> proxy(EndpointAddress address) {
        return address.scheme().equals(HTTPS)
                ? hostTls.load().handle((loaded, failure) -> {
                    if (failure != null) {
                        ParleyException reason =
                                Throwables.toParleyException(Throwables.unwrap(failure), ErrorCode.UNREACHABLE);
                        throw reason.code().exception(address + ": " + reason.getMessage(), reason);
                    }
                    return proxies.proxy(address);
                })
                : CompletableFuture.completedFuture(proxies.proxy(address));
    }

    @Override
    public Optional<String> reasonNotToListen(EndpointAddress address) {
        return address.scheme().equals(HTTP)
                ? Optional.empty()
                : Optional.of("a peer has no certificate for a host name; listen on http://, and let a reverse proxy"
                        + " that has one pass the connections on");
    }

    @Override
    public void addDialerHandlers(
            Channel channel,
            EndpointAddress address,
            @Nullable InetSocketAddress proxy,
            Runnable onOpen,
            Consumer<ParleyException> onRejected) {
        TunnelHandshake handshake = new TunnelHandshake(channel, onOpen, onRejected);
        handshake.startTimer(context.scheduler(), dialTimeout());
        ChannelPipeline pipeline = channel.pipeline();
        if (proxy != null) {
            HttpProxyHandler connect = new HttpProxyHandler(proxy);
            connect.setConnectTimeoutMillis(0); // the timer of the handshake is enough
            pipeline.addLast(connect);
        }
        if (address.scheme().equals(HTTPS)) {
            pipeline.addLast(hostTls.newHandler(channel.alloc(), address));
        }
        pipeline.addLast(new HttpClientCodec(decoderConfig(), false, false))
                .addLast(new WebSocketDialer(address, proxy, handshake));
    }

    /** Returns the time for TCP, the proxy, the TLS of the host and the WebSocket. */
    private Duration dialTimeout() {
        return context.limits().connectTimeout().plus(context.limits().handshakeTimeout());
    }

    @Override
    public void addAcceptorHandlers(Channel channel, Runnable onOpen, Consumer<ParleyException> onRejected) {
        TunnelHandshake handshake = new TunnelHandshake(channel, onOpen, onRejected);
        handshake.startTimer(context.scheduler(), context.limits().handshakeTimeout());
        channel.pipeline().addLast(new HttpServerCodec(decoderConfig())).addLast(new WebSocketAcceptor(handshake));
    }

    private static HttpDecoderConfig decoderConfig() {
        return new HttpDecoderConfig().setMaxInitialLineLength(MAX_LINE_BYTES).setMaxHeaderSize(MAX_HEADER_BYTES);
    }
}

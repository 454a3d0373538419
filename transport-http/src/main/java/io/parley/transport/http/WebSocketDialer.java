package io.parley.transport.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakerFactory;
import io.netty.handler.codec.http.websocketx.WebSocketHandshakeException;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import io.netty.handler.proxy.ProxyConnectException;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import io.parley.common.internal.TextSanitizer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.EndpointAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Requests a WebSocket when the channel is active, and opens the tunnel when the response accepts it. */
final class WebSocketDialer extends ChannelInboundHandlerAdapter {

    private static final String ADVICE =
            "; check that a peer listens there with http://, and that proxies on the way pass WebSocket on";

    private static final String TLS_ADVICE = "; check that the host or its reverse proxy uses TLS at this port";

    private static final String CERTIFICATE_ADVICE =
            "; check the certificate of the host or its reverse proxy, and the trust store of this JVM";

    private static final String STATUS = "status: ";

    private final EndpointAddress address;
    private final @Nullable InetSocketAddress proxy;
    private final TunnelHandshake handshake;
    private @Nullable WebSocketClientHandshaker handshaker;

    /** @param proxy the HTTP proxy of the connection; null if there is none */
    WebSocketDialer(EndpointAddress address, @Nullable InetSocketAddress proxy, TunnelHandshake handshake) {
        this.address = address;
        this.proxy = proxy;
        this.handshake = handshake;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        // Not the whole address, because java.net.URI rejects hosts such as those with an underscore.
        URI path = URI.create((address.scheme().equals(WebSocketTunnel.HTTPS) ? "wss:" : "ws:") + WebSocketTunnel.PATH);
        HttpHeaders headers = new DefaultHttpHeaders().set(HttpHeaderNames.HOST, HttpAuthority.host(address));
        WebSocketClientHandshaker created = WebSocketClientHandshakerFactory.newHandshaker(
                path,
                WebSocketVersion.V13,
                WebSocketTunnel.SUBPROTOCOL,
                false,
                headers,
                WebSocketTunnel.MAX_FRAME_BYTES,
                true,
                false,
                0,
                false,
                false); // no header Origin, which marks the requests of web pages
        handshaker = created;
        created.handshake(context.channel()).addListener(sent -> {
            if (!sent.isSuccess()) {
                handshake.reject(failure(sent.cause()));
            }
        });
        context.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpResponse response && !handshake.isReported()) {
            receive(context, response);
        }
        ReferenceCountUtil.release(message); // the rest of a response, of which nothing is read
    }

    private void receive(ChannelHandlerContext context, HttpResponse response) {
        WebSocketClientHandshaker requested = handshaker;
        if (requested == null || response.decoderResult().isFailure()) {
            handshake.reject(ErrorCode.UNREACHABLE.exception("the response is not HTTP" + ADVICE));
            return;
        }
        HttpResponseStatus status = response.status();
        if (!status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
            handshake.reject(ErrorCode.UNREACHABLE.exception("the response to the request for a WebSocket is '"
                    + TextSanitizer.oneLine(status.toString()) + "'" + ADVICE));
            return;
        }
        FullHttpResponse whole = new DefaultFullHttpResponse(
                response.protocolVersion(),
                status,
                Unpooled.EMPTY_BUFFER,
                response.headers(),
                EmptyHttpHeaders.INSTANCE);
        try {
            requested.finishHandshake(context.channel(), whole);
        } catch (WebSocketHandshakeException e) {
            handshake.reject(ErrorCode.UNREACHABLE.exception(
                    "the response does not accept the WebSocket: "
                            + TextSanitizer.oneLine(String.valueOf(e.getMessage())) + ADVICE,
                    e));
            return;
        }
        context.pipeline().replace(this, null, new WebSocketStream());
        handshake.complete();
    }

    private ParleyException failure(Throwable cause) {
        Throwable refusal = find(ProxyConnectException.class, cause); // maybe as the cause of a failure of TLS
        if (refusal != null && proxy != null) {
            return ErrorCode.UNREACHABLE.exception(
                    "the HTTP proxy " + NetUtil.toSocketAddressString(proxy) + " does not connect: '"
                            + proxyResponse(String.valueOf(refusal.getMessage()))
                            + "'; check that the proxy permits CONNECT to this port",
                    cause);
        }
        Throwable tls = find(SSLException.class, cause);
        if (tls != null) {
            Throwable certificate = find(CertificateException.class, tls);
            return ErrorCode.UNREACHABLE.exception(
                    "TLS of the host: "
                            + TextSanitizer.oneLine(
                                    String.valueOf((certificate == null ? tls : certificate).getMessage()))
                            + (certificate == null ? TLS_ADVICE : CERTIFICATE_ADVICE),
                    cause);
        }
        return ErrorCode.UNREACHABLE.exception(
                cause instanceof ClosedChannelException
                        ? "the connection was closed before the response" + ADVICE
                        : "HTTP handshake: " + TextSanitizer.oneLine(String.valueOf(cause.getMessage())),
                cause);
    }

    private static @Nullable Throwable find(Class<? extends Throwable> type, Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (type.isInstance(each)) {
                return each;
            }
        }
        return null;
    }

    /** Returns the end of a message of Netty, which is {@code http, AUTHENTICATION, PROXY => ADDRESS, status: 403 Forbidden}. */
    private static String proxyResponse(String message) {
        int start = message.indexOf(", ", message.indexOf(" => "));
        String response = start < 0 ? message : message.substring(start + 2);
        return TextSanitizer.oneLine(response.startsWith(STATUS) ? response.substring(STATUS.length()) : response);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        handshake.report(failure(new ClosedChannelException()));
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        handshake.reject(failure(cause));
    }
}

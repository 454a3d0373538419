package io.parley.transport.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakerFactory;
import io.netty.handler.codec.http.websocketx.WebSocketHandshakeException;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import io.netty.handler.proxy.ProxyConnectException;
import io.netty.util.ReferenceCountUtil;
import io.parley.common.internal.TextSanitizer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.EndpointAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.channels.ClosedChannelException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Requests a WebSocket when the channel is active, and opens the tunnel when the response accepts it. */
final class WebSocketDialer extends ChannelInboundHandlerAdapter {

    private static final String ADVICE =
            "; check that a peer listens there with http://, and that proxies on the way pass WebSocket on";

    private final EndpointAddress address;
    private final TunnelHandshake handshake;
    private @Nullable WebSocketClientHandshaker handshaker;

    WebSocketDialer(EndpointAddress address, TunnelHandshake handshake) {
        this.address = address;
        this.handshake = handshake;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws URISyntaxException {
        String scheme = address.scheme().equals(WebSocketTunnel.HTTPS) ? "wss" : "ws";
        URI uri = new URI(scheme, null, address.host(), address.port(), WebSocketTunnel.PATH, null, null);
        WebSocketClientHandshaker created = WebSocketClientHandshakerFactory.newHandshaker(
                uri,
                WebSocketVersion.V13,
                WebSocketTunnel.SUBPROTOCOL,
                false,
                EmptyHttpHeaders.INSTANCE,
                WebSocketTunnel.MAX_FRAME_BYTES);
        handshaker = created;
        created.handshake(context.channel()).addListener(sent -> {
            if (!sent.isSuccess()) {
                reject(context, failure(sent.cause()));
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
            reject(context, ErrorCode.UNREACHABLE.exception("the response is not HTTP" + ADVICE));
            return;
        }
        HttpResponseStatus status = response.status();
        if (!status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
            reject(
                    context,
                    ErrorCode.UNREACHABLE.exception("the response to the request for a WebSocket is '"
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
            reject(
                    context,
                    ErrorCode.UNREACHABLE.exception(
                            "the response does not accept the WebSocket: "
                                    + TextSanitizer.oneLine(String.valueOf(e.getMessage())) + ADVICE,
                            e));
            return;
        }
        context.pipeline().replace(this, null, new WebSocketStream());
        handshake.complete();
    }

    private void reject(ChannelHandlerContext context, ParleyException reason) {
        handshake.reject(reason);
        context.close();
    }

    private static ParleyException failure(Throwable cause) {
        if (cause instanceof ProxyConnectException) {
            return ErrorCode.UNREACHABLE.exception(
                    "the HTTP proxy did not connect: " + TextSanitizer.oneLine(String.valueOf(cause.getMessage())),
                    cause);
        }
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof SSLException) {
                return ErrorCode.UNREACHABLE.exception(
                        "TLS of the host: " + TextSanitizer.oneLine(String.valueOf(each.getMessage())), cause);
            }
        }
        return ErrorCode.UNREACHABLE.exception(
                cause instanceof ClosedChannelException
                        ? "the connection was closed before the response" + ADVICE
                        : "HTTP handshake: " + TextSanitizer.oneLine(String.valueOf(cause.getMessage())),
                cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        handshake.reject(failure(new ClosedChannelException()));
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        reject(context, failure(cause));
    }
}

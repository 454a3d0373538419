package io.parley.transport.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.WebSocketHandshakeException;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshakerFactory;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import io.netty.util.ReferenceCountUtil;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.List;
import java.util.Objects;

/** Accepts the first request if it is one for the WebSocket of a peer. It responds to any other with an error and a sentence. */
final class WebSocketAcceptor extends ChannelInboundHandlerAdapter {

    private static final WebSocketServerHandshakerFactory HANDSHAKERS = new WebSocketServerHandshakerFactory(
            WebSocketTunnel.PATH, WebSocketTunnel.SUBPROTOCOL, false, WebSocketTunnel.MAX_FRAME_BYTES);

    private static final String VERSION = WebSocketVersion.V13.toHttpHeaderValue();

    private final TunnelHandshake handshake;
    private boolean requested;

    WebSocketAcceptor(TunnelHandshake handshake) {
        this.handshake = handshake;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest request && !requested) {
            requested = true;
            receive(context, request);
        } else if (message instanceof ByteBuf) { // what was behind the request when the codec was removed
            handshake.reject(ErrorCode.PROTOCOL_VIOLATION.exception("bytes before the WebSocket was accepted"));
        }
        ReferenceCountUtil.release(message); // the rest of a request, of which nothing is read
    }

    private void receive(ChannelHandlerContext context, HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            refuse(context, HttpResponseStatus.BAD_REQUEST, "not an HTTP request within the limits");
        } else if (!request.uri().equals(WebSocketTunnel.PATH)) {
            refuse(context, HttpResponseStatus.NOT_FOUND, "an HTTP request for another path");
        } else if (!isUpgrade(request)) {
            refuse(
                    context,
                    HttpResponseStatus.UPGRADE_REQUIRED,
                    "an HTTP request for something other than a WebSocket");
        } else {
            accept(context, request);
        }
    }

    private static boolean isUpgrade(HttpRequest request) {
        return request.method().equals(HttpMethod.GET)
                && request.headers().containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
                && request.headers().containsValue(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true)
                && !HttpUtil.isTransferEncodingChunked(request)
                && !request.headers().contains(HttpHeaderNames.CONTENT_LENGTH);
    }

    private void accept(ChannelHandlerContext context, HttpRequest request) {
        FullHttpRequest whole = new DefaultFullHttpRequest(
                request.protocolVersion(),
                request.method(),
                request.uri(),
                Unpooled.EMPTY_BUFFER,
                request.headers(),
                EmptyHttpHeaders.INSTANCE);
        if (!request.headers().getAll(HttpHeaderNames.SEC_WEBSOCKET_VERSION).equals(List.of(VERSION))) {
            refuse(context, HttpResponseStatus.UPGRADE_REQUIRED, "another version of WebSocket (expected: 13)");
            return;
        }
        if (request.headers().contains(HttpHeaderNames.ORIGIN)) { // a browser sends it, also to this machine
            refuse(context, HttpResponseStatus.FORBIDDEN, "a WebSocket of a web page");
            return;
        }
        if (!request.headers()
                .containsValue(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL, WebSocketTunnel.SUBPROTOCOL, false)) {
            refuse(context, HttpResponseStatus.BAD_REQUEST, "a WebSocket for something other than Parley");
            return;
        }
        whole.headers()
                .set(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL, WebSocketTunnel.SUBPROTOCOL); // the others do not matter
        WebSocketServerHandshaker handshaker = HANDSHAKERS.newHandshaker(whole);
        try {
            handshaker.handshake(context.channel(), whole).addListener(sent -> {
                if (!sent.isSuccess()) {
                    handshake.reject(failure(sent.cause()));
                } else if (!handshake.isReported()) {
                    context.pipeline().replace(this, null, new WebSocketStream());
                    handshake.complete();
                }
            });
        } catch (WebSocketHandshakeException e) {
            refuse(context, HttpResponseStatus.BAD_REQUEST, "an incomplete request for a WebSocket");
        }
    }

    /** Responds with an error, and closes. */
    private void refuse(ChannelHandlerContext context, HttpResponseStatus status, String request) {
        handshake.report(ErrorCode.PROTOCOL_VIOLATION.exception(request));
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                status,
                Unpooled.wrappedBuffer(("A Parley peer listens here for WebSockets at " + WebSocketTunnel.PATH
                                + ". Use its http:// address in a peer, not in a browser.\n")
                        .getBytes(US_ASCII)));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=us-ascii")
                .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes())
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        if (status.equals(HttpResponseStatus.UPGRADE_REQUIRED)) {
            response.headers()
                    .set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET)
                    .set(HttpHeaderNames.SEC_WEBSOCKET_VERSION, VERSION);
        }
        context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    private static ParleyException failure(Throwable cause) {
        return ErrorCode.UNREACHABLE.exception(
                "HTTP handshake: " + Objects.toString(cause.getMessage(), "lost"), cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        handshake.report(ErrorCode.UNREACHABLE.exception("HTTP handshake: the remote peer closed the connection"));
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        handshake.reject(failure(cause));
    }
}

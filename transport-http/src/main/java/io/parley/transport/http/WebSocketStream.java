package io.parley.transport.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.ssl.SslCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.parley.error.ErrorCode;

/**
 * Converts between the binary messages of an open WebSocket and a stream of bytes, in which the borders of the messages have no
 * meaning. Confined to the event loop.
 */
final class WebSocketStream extends ChannelDuplexHandler {

    private boolean closeSent;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof BinaryWebSocketFrame || message instanceof ContinuationWebSocketFrame) {
            readBytes(context, ((WebSocketFrame) message).content());
            return;
        }
        try {
            readOther(context, message);
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private static void readBytes(ChannelHandlerContext context, ByteBuf bytes) {
        if (bytes.isReadable()) {
            context.fireChannelRead(bytes);
        } else {
            bytes.release();
        }
    }

    private void readOther(ChannelHandlerContext context, Object message) {
        if (message instanceof PingWebSocketFrame ping) {
            if (context.channel().isWritable()) { // else a peer that reads nothing could fill the memory
                context.writeAndFlush(new PongWebSocketFrame(ping.content().retain()));
            }
        } else if (message instanceof CloseWebSocketFrame) {
            close(context, context.newPromise());
        } else if (message instanceof TextWebSocketFrame) {
            context.fireExceptionCaught(
                    ErrorCode.PROTOCOL_VIOLATION.exception("WebSocket: a text message (expected: binary)"));
        }
        // Pongs, and the end of the HTTP message before the WebSocket, have no effect.
    }

    /** Writes the bytes as messages of a limited size. */
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (!(message instanceof ByteBuf bytes) || !bytes.isReadable()) {
            context.write(message, promise);
            return;
        }
        while (bytes.readableBytes() > WebSocketTunnel.MAX_FRAME_BYTES) {
            context.write(new BinaryWebSocketFrame(bytes.readRetainedSlice(WebSocketTunnel.MAX_FRAME_BYTES)));
        }
        context.write(new BinaryWebSocketFrame(bytes), promise);
    }

    /** Sends the end of the WebSocket if it can be sent at once, then closes. */
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        if (!closeSent && context.channel().isActive()) {
            closeSent = true;
            context.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE.code(), ""));
        }
        context.close(promise);
    }

    /** The TLS of the host ends outside of this tunnel: its events do not concern the TLS of the peers. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (!(event instanceof SslCompletionEvent)) {
            context.fireUserEventTriggered(event);
        }
    }
}

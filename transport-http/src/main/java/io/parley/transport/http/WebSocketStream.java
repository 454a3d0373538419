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
import org.jspecify.annotations.Nullable;

/**
 * Converts between the binary messages of an open WebSocket and a stream of bytes, in which the borders of the messages have no
 * meaning. Confined to the event loop.
 */
final class WebSocketStream extends ChannelDuplexHandler {

    /** Contents below this size are gathered until the end of the read: TLS looks at all bytes of a record each time it gets some. */
    private static final int MIN_ALONE_BYTES = 4 * 1024;

    private static final int GATHERED_BYTES = 16 * 1024;

    /** Short contents of the present read. One alone is not copied. */
    private @Nullable ByteBuf gathered;

    private boolean lone;

    /** The last ping of the present read. Only it has a response (RFC 6455, section 5.5.3), because each costs a system call. */
    private @Nullable ByteBuf ping;

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

    private void readBytes(ChannelHandlerContext context, ByteBuf bytes) {
        if (!bytes.isReadable()) {
            bytes.release();
        } else if (bytes.readableBytes() >= MIN_ALONE_BYTES) {
            passOn(context);
            context.fireChannelRead(bytes);
        } else {
            gather(context, bytes);
        }
    }

    private void gather(ChannelHandlerContext context, ByteBuf bytes) {
        ByteBuf present = gathered;
        if (present == null) {
            gathered = bytes;
            lone = true;
            return;
        }
        if (lone) {
            ByteBuf first = present;
            present = context.alloc().ioBuffer(GATHERED_BYTES);
            present.writeBytes(first);
            first.release();
            gathered = present;
            lone = false;
        }
        present.writeBytes(bytes);
        bytes.release();
        if (present.readableBytes() > GATHERED_BYTES - MIN_ALONE_BYTES) {
            passOn(context);
        }
    }

    /** Passes on the gathered bytes. Called before everything else that is passed on. */
    private void passOn(ChannelHandlerContext context) {
        ByteBuf present = gathered;
        if (present != null) {
            gathered = null;
            context.fireChannelRead(present);
        }
    }

    private void readOther(ChannelHandlerContext context, Object message) {
        if (message instanceof PingWebSocketFrame frame) {
            ReferenceCountUtil.release(ping);
            ping = frame.content().retain();
        } else if (message instanceof CloseWebSocketFrame) {
            passOn(context);
            close(context, context.newPromise());
        } else if (message instanceof TextWebSocketFrame) {
            passOn(context);
            context.fireExceptionCaught(
                    ErrorCode.PROTOCOL_VIOLATION.exception("WebSocket: a text message (expected: binary)"));
        }
        // Pongs, and the end of the HTTP message before the WebSocket, have no effect.
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        passOn(context);
        ByteBuf content = ping;
        if (content != null) {
            ping = null;
            if (context.channel().isWritable()) { // else a peer that reads nothing could fill the memory
                context.writeAndFlush(new PongWebSocketFrame(content));
            } else {
                content.release();
            }
        }
        context.fireChannelReadComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        passOn(context);
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        passOn(context);
        context.fireExceptionCaught(cause);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        ReferenceCountUtil.release(gathered);
        ReferenceCountUtil.release(ping);
        gathered = null;
        ping = null;
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

package io.parley.transport.tcp.internal.relay;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateEvent;
import java.util.concurrent.RejectedExecutionException;

/**
 * Passes the bytes of one connection of a circuit to the other one. While the other one is not writable, this one is not read, so that the
 * relay keeps little and the back-pressure of the two peers reaches through it.
 */
final class CircuitHandler extends ChannelInboundHandlerAdapter {

    private final Channel other;

    /** @param other whose event loop may be another one */
    CircuitHandler(Channel other) {
        this.other = other;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        other.write(bytes);
        if (!other.isWritable()) {
            context.channel().config().setAutoRead(false);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        other.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            try {
                other.eventLoop().execute(() -> other.config().setAutoRead(true)); // after it has switched it off
            } catch (RejectedExecutionException e) {
                context.close(); // the event loop of the other one has ended
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (other.isActive()) { // otherwise its event loop may have ended
            other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent) {
            context.close();
        } else {
            context.fireUserEventTriggered(event);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close(); // such as a reset; the other one is closed with it
    }
}

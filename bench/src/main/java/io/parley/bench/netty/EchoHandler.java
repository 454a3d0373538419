package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageBytes;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.Signal;

/** Echoes or counts messages. Writes while it reads and flushes when a read is complete. */
public final class EchoHandler extends ChannelInboundHandlerAdapter {

    private final MessageCounter tally;

    /** Creates the handler of one channel. */
    public EchoHandler(MessageCounter tally) {
        this.tally = tally;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf frame = (ByteBuf) message;
        MessageBytes bytes = new ByteBufBytes(frame);
        if (Header.signal(bytes) == Signal.ECHO) {
            ctx.write(frame, ctx.voidPromise());
            return;
        }
        boolean isComplete = tally.count(bytes);
        frame.release();
        if (isComplete) {
            ctx.write(Unpooled.wrappedBuffer(NettyFrames.reply()), ctx.voidPromise());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close(); // the client has disconnected
    }
}

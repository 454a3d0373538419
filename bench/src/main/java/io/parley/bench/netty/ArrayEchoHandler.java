package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageBytes;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.Signal;

/** Echoes or counts messages after it has copied each of them into a new array, as an application would. */
final class ArrayEchoHandler extends ChannelInboundHandlerAdapter {

    private final MessageCounter tally;

    /** Creates the handler of one channel. */
    ArrayEchoHandler(MessageCounter tally) {
        this.tally = tally;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf frame = (ByteBuf) message;
        byte[] bytes = ByteBufUtil.getBytes(frame);
        frame.release();
        MessageBytes received = MessageBytes.of(bytes, LoopbackChannels.LENGTH_BYTES);
        if (Header.signal(received) == Signal.ECHO) {
            ctx.write(Unpooled.wrappedBuffer(bytes), ctx.voidPromise());
        } else if (tally.count(received)) {
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

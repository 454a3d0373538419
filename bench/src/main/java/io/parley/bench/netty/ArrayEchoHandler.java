package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.Signal;
import java.nio.ByteBuffer;

/** Echoes or counts, but as an application would: each message becomes an array of the application's own first. */
final class ArrayEchoHandler extends ChannelInboundHandlerAdapter {

    private final MessageCounter tally;

    /** One per channel. */
    ArrayEchoHandler(MessageCounter tally) {
        this.tally = tally;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf frame = (ByteBuf) message;
        byte[] bytes = ByteBufUtil.getBytes(frame);
        frame.release();
        Header header = Header.of(ByteBuffer.wrap(bytes).position(LoopbackChannels.LENGTH_BYTES));
        if (header.signal() == Signal.ECHO) {
            ctx.write(Unpooled.wrappedBuffer(bytes), ctx.voidPromise());
        } else if (tally.count(header)) {
            ctx.write(Unpooled.wrappedBuffer(NettyFrames.answer()), ctx.voidPromise());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close(); // the client has left
    }
}

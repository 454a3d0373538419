package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.Signal;

/** Echoes or counts. Writes as it reads, flushes when a read is complete. */
public final class EchoHandler extends ChannelInboundHandlerAdapter {

    private final MessageCounter tally;

    /** One per channel. */
    public EchoHandler(MessageCounter tally) {
        this.tally = tally;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf frame = (ByteBuf) message;
        int start = frame.readerIndex() + LoopbackChannels.LENGTH_BYTES;
        Header header = Header.of(frame.getByte(start), () -> frame.getLong(start + 1));
        if (header.signal() == Signal.ECHO) {
            ctx.write(frame, ctx.voidPromise());
            return;
        }
        frame.release();
        if (tally.count(header)) {
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

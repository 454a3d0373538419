package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.parley.bench.contender.ReplyDispatcher;

/**
 * The client's end of the pipeline: announces replies, and pumps a flood. That runs on the event loop, where it writes
 * until the channel is no longer writable, flushes, and goes on when it is told of room.
 */
final class NettyClientHandler extends ChannelInboundHandlerAdapter {

    private final ReplyDispatcher replies;
    private final MemoryMode memory;
    private ByteBuf sink = Unpooled.EMPTY_BUFFER;
    private ByteBuf last = Unpooled.EMPTY_BUFFER;
    private long sinksLeft;
    private boolean lastPending;
    private boolean pumping;

    NettyClientHandler(ReplyDispatcher replies, MemoryMode memory) {
        this.memory = memory;
        this.replies = replies;
    }

    /**
     * Call on the event loop.
     *
     * @param sink sent {@code sinks} times; borrowed until the flood is over
     * @param last sent after them; takes ownership
     */
    void flood(Channel channel, ByteBuf sink, long sinks, ByteBuf last) {
        this.sink = sink;
        this.last = last;
        sinksLeft = sinks;
        lastPending = true;
        pump(channel);
    }

    /** Flushing can make the channel writable again, which calls this again: then the outer call goes on. */
    private void pump(Channel channel) {
        if (pumping) {
            return;
        }
        pumping = true;
        while (lastPending && channel.isWritable()) {
            while (sinksLeft > 0 && channel.isWritable()) {
                channel.write(sink.retainedDuplicate(), channel.voidPromise());
                sinksLeft--;
            }
            if (sinksLeft == 0) {
                channel.write(last, channel.voidPromise());
                lastPending = false;
            }
            channel.flush();
        }
        pumping = false;
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        pump(ctx.channel());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        memory.received((ByteBuf) message);
        replies.arrived();
    }
}

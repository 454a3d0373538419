package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.parley.bench.contender.ReplyDispatcher;

/**
 * The handler of a client: announces replies and sends a flood. It runs on the event loop, where it writes
 * until the channel is no longer writable, flushes, and continues when the channel becomes writable.
 */
final class NettyClientHandler extends ChannelInboundHandlerAdapter {

    private final ReplyDispatcher replies;
    private final MemoryMode memory;
    private ByteBuf sink = Unpooled.EMPTY_BUFFER;
    private ByteBuf last = Unpooled.EMPTY_BUFFER;
    private long remainingSinks;
    private boolean isLastPending;
    private boolean isWriting;

    NettyClientHandler(ReplyDispatcher replies, MemoryMode memory) {
        this.memory = memory;
        this.replies = replies;
    }

    /**
     * Sends a flood. Must be called on the event loop.
     *
     * @param sink the message that is sent {@code sinks} times; borrowed until the flood ends
     * @param last the message that is sent after them. Takes ownership of {@code last}.
     */
    void flood(Channel channel, ByteBuf sink, long sinks, ByteBuf last) {
        this.sink = sink;
        this.last = last;
        remainingSinks = sinks;
        isLastPending = true;
        writeFlood(channel);
    }

    /** Writes while the channel is writable. A flush can call this method again; the outer call then continues. */
    private void writeFlood(Channel channel) {
        if (isWriting) {
            return;
        }
        isWriting = true;
        while (isLastPending && channel.isWritable()) {
            while (remainingSinks > 0 && channel.isWritable()) {
                channel.write(sink.retainedDuplicate(), channel.voidPromise());
                remainingSinks--;
            }
            if (remainingSinks == 0) {
                channel.write(last, channel.voidPromise());
                isLastPending = false;
            }
            channel.flush();
        }
        isWriting = false;
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        writeFlood(ctx.channel());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        memory.received((ByteBuf) message, replies);
    }
}

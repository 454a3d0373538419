package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.bench.contender.Signal;
import java.util.concurrent.TimeUnit;

/** A client that sends duplicates of one buffer. */
public final class NettyClient implements ContenderClient {

    private final EventLoopGroup loops;
    private final Channel channel;
    private final NettyClientHandler handler;
    private final MemoryMode memory;
    private int bytes = 1;
    private ByteBuf echo = Unpooled.EMPTY_BUFFER;
    private ByteBuf sink = Unpooled.EMPTY_BUFFER;

    private NettyClient(EventLoopGroup loops, Channel channel, NettyClientHandler handler, MemoryMode memory) {
        this.memory = memory;
        this.loops = loops;
        this.channel = channel;
        this.handler = handler;
    }

    /** Connects with a new event loop. */
    static NettyClient open(int port, ReplyDispatcher replies, NettyOptions options) throws Exception {
        NettyIo io = NettyIo.best();
        EventLoopGroup loops = io.loops(1, options.idle());
        MemoryMode memory = options.memory();
        NettyClientHandler handler = new NettyClientHandler(replies, memory);
        return new NettyClient(
                loops, LoopbackChannels.connect(io, loops, options.clientTls(), port, handler), handler, memory);
    }

    @Override
    public void prepare(int messageBytes) {
        bytes = messageBytes;
        echo.release();
        sink.release();
        echo = frame(Signal.ECHO, 0);
        sink = frame(Signal.SINK, 0);
    }

    private ByteBuf frame(Signal signal, long messages) {
        return memory.frame(NettyFrames.of(signal, messages, bytes));
    }

    @Override
    public void send() {
        channel.writeAndFlush(echo.retainedDuplicate(), channel.voidPromise());
    }

    @Override
    public void flood(long messages) {
        ByteBuf last = frame(Signal.LAST, messages);
        channel.eventLoop().execute(() -> handler.flood(channel, sink, messages - 1, last));
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        echo.release();
        sink.release();
    }
}

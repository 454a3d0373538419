package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.PacedContenderClient;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.bench.contender.Signal;

/** A client that sends duplicates of one buffer. All clients of the process share their event loops. */
public final class NettyClient implements PacedContenderClient {

    private final Channel channel;
    private final NettyClientHandler handler;
    private final MemoryMode memory;
    private int bytes = 1;
    private ByteBuf echo = Unpooled.EMPTY_BUFFER;
    private ByteBuf sink = Unpooled.EMPTY_BUFFER;
    private byte[] timed = new byte[0];

    private NettyClient(Channel channel, NettyClientHandler handler, MemoryMode memory) {
        this.memory = memory;
        this.channel = channel;
        this.handler = handler;
    }

    /** Connects. */
    static NettyClient open(int port, ReplyDispatcher replies, NettyOptions options) throws Exception {
        NettyIo io = NettyIo.best();
        EventLoopGroup loops = NettyIo.clientLoops(options.idle());
        MemoryMode memory = options.memory();
        NettyClientHandler handler = new NettyClientHandler(replies, memory);
        return new NettyClient(
                LoopbackChannels.connect(io, loops, options.clientTls(), options.layout(), port, handler),
                handler,
                memory);
    }

    @Override
    public void prepare(int messageBytes) {
        bytes = messageBytes;
        echo.release();
        sink.release();
        echo = frame(Signal.ECHO, 0);
        sink = frame(Signal.SINK, 0);
        timed = NettyFrames.of(Signal.TIMED, 0, bytes);
    }

    private ByteBuf frame(Signal signal, long messages) {
        return memory.frame(NettyFrames.of(signal, messages, bytes));
    }

    @Override
    public void send() {
        channel.writeAndFlush(echo.retainedDuplicate(), channel.voidPromise());
    }

    @Override
    public void flood(long messages, long expected) {
        ByteBuf last = frame(Signal.LAST, expected);
        channel.eventLoop().execute(() -> handler.flood(channel, sink, messages - 1, last));
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public void sendTimed(long sequence, long nanos) {
        byte[] frame = Header.timed(timed, LoopbackChannels.LENGTH_BYTES, sequence, nanos);
        channel.write(memory.newFrame(channel.alloc(), frame), channel.voidPromise());
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        echo.release();
        sink.release();
    }
}

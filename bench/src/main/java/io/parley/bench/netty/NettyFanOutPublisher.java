package io.parley.bench.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.parley.bench.contender.FanOutContender;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.Signal;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Publishes to all channels: each event loop has a queue of messages, and writes them to all of its channels. */
final class NettyFanOutPublisher implements FanOutContender.Publisher {

    private final EventLoopGroup loops;
    private final Map<EventLoop, LoopFanOut> fanOuts = new ConcurrentHashMap<>();
    private final Channel listener;
    private byte[] template = new byte[0];

    private NettyFanOutPublisher(NettyOptions options) throws Exception {
        NettyIo io = NettyIo.best();
        this.loops = io.loops(options.idle());
        this.listener = LoopbackChannels.listen(io, loops, options.serverTls(), options.layout(), ReceiverHandler::new);
    }

    static NettyFanOutPublisher open(NettyOptions options) throws Exception {
        return new NettyFanOutPublisher(options);
    }

    @Override
    public String address() {
        return Integer.toString(LoopbackChannels.port(listener));
    }

    @Override
    public int receivers() {
        return fanOuts.values().stream().mapToInt(LoopFanOut::channels).sum();
    }

    @Override
    public void prepare(int bytes) {
        template = NettyFrames.of(Signal.TIMED, 0, bytes);
    }

    @Override
    public void send(long sequence) throws InterruptedException {
        byte[] frame = Header.timed(template, LoopbackChannels.LENGTH_BYTES, sequence, 0);
        for (LoopFanOut fanOut : fanOuts.values()) {
            if (fanOut.channels() > 0) {
                fanOut.send(frame);
            }
        }
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** The handler of the channel of one receiver. */
    private final class ReceiverHandler extends ChannelInboundHandlerAdapter {

        private LoopFanOut fanOut(ChannelHandlerContext ctx) {
            return fanOuts.computeIfAbsent(ctx.channel().eventLoop(), LoopFanOut::new);
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            fanOut(ctx).add(ctx.channel());
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            fanOut(ctx).remove(ctx.channel());
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            fanOut(ctx).run();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close(); // the receiver has disconnected
        }
    }
}

package io.parley.bench.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamEnd;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The two sides of streams over raw Netty. */
final class NettyStreamChannels {

    private static final int BACKLOG = 1024;
    private static final int READ_MIN_BYTES = 2 << 10;
    private static final int READ_INITIAL_BYTES = 16 << 10;
    private static final int READ_MAX_BYTES = 1 << 20;
    private static final int LOW_MARK_BYTES = 256 << 10;
    private static final int HIGH_MARK_BYTES = 1 << 20;

    private NettyStreamChannels() {}

    /** Listens on a port that the kernel selects. */
    static StreamContender.Server listen(NettyIo io, boolean tls, String host) throws Exception {
        BlockingQueue<NettyStreamEnd> accepted = new LinkedBlockingQueue<>();
        EventLoopGroup loops = io.loops(IdleStrategy.SLEEP);
        Channel listener = new ServerBootstrap()
                .group(loops)
                .channel(io.serverChannel())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, receiveAllocator())
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMarks())
                .childHandler(pipeline(tls ? TlsContextFactory.server() : null, () -> {
                    NettyStreamEnd end = new NettyStreamEnd();
                    accepted.add(end);
                    return end;
                }))
                .bind(host, 0)
                .sync()
                .channel();
        String address = host + ":" + ((InetSocketAddress) listener.localAddress()).getPort();
        return new StreamContender.Server() {
            @Override
            public String address() {
                return address;
            }

            @Override
            public StreamEnd accept() throws InterruptedException {
                return accepted.take();
            }

            @Override
            public void close() {
                listener.close();
                loops.shutdownGracefully();
            }
        };
    }

    /** Returns a client for {@code address}. */
    static StreamContender.Client client(NettyIo io, boolean tls, InetSocketAddress address) throws Exception {
        EventLoopGroup loops = io.loops(IdleStrategy.SLEEP);
        SslContext context = tls ? TlsContextFactory.client() : null;
        return new StreamContender.Client() {
            @Override
            public StreamEnd open() throws InterruptedException {
                NettyStreamEnd end = new NettyStreamEnd();
                Channel channel = new Bootstrap()
                        .group(loops)
                        .channel(io.channel())
                        .option(ChannelOption.TCP_NODELAY, true)
                        .option(ChannelOption.RECVBUF_ALLOCATOR, receiveAllocator())
                        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMarks())
                        .handler(pipeline(context, () -> end))
                        .connect(address)
                        .sync()
                        .channel();
                SslHandler ssl = channel.pipeline().get(SslHandler.class);
                if (ssl != null) {
                    ssl.handshakeFuture().sync();
                }
                return end;
            }

            @Override
            public void close() {
                loops.shutdownGracefully();
            }
        };
    }

    private static ChannelInitializer<SocketChannel> pipeline(@Nullable SslContext tls, Supplier<NettyStreamEnd> end) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                if (tls != null) {
                    channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                }
                channel.pipeline().addLast(end.get());
            }
        };
    }

    private static AdaptiveRecvByteBufAllocator receiveAllocator() {
        return new AdaptiveRecvByteBufAllocator(READ_MIN_BYTES, READ_INITIAL_BYTES, READ_MAX_BYTES);
    }

    private static WriteBufferWaterMark waterMarks() {
        return new WriteBufferWaterMark(LOW_MARK_BYTES, HIGH_MARK_BYTES);
    }
}

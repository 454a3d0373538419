package io.parley.bench.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates channels on loopback with the frame layout of the contender. */
public final class LoopbackChannels {

    /**
     * The bytes of the length in front of each payload. Handlers get frames with it, so that an echo is the same
     * buffer.
     */
    static final int LENGTH_BYTES = Integer.BYTES;

    private static final int READ_MIN_BYTES = 2 << 10;
    private static final int READ_INITIAL_BYTES = 16 << 10;
    private static final int READ_MAX_BYTES = 1 << 20;
    private static final int LOW_MARK_BYTES = 256 << 10;
    private static final int HIGH_MARK_BYTES = 1 << 20;

    private LoopbackChannels() {}

    /** Listens on a port that the kernel selects. */
    public static Channel listen(
            NettyIo io,
            EventLoopGroup loops,
            @Nullable SslContext tls,
            FrameLayout layout,
            Supplier<ChannelHandler> handler)
            throws InterruptedException {
        return new ServerBootstrap()
                .group(loops)
                .channel(io.serverChannel())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, receiveAllocator())
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMarks())
                .childHandler(pipeline(tls, layout, false, handler))
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
    }

    /** Connects. With TLS, waits for the handshake too. */
    public static Channel connect(
            NettyIo io,
            EventLoopGroup loops,
            @Nullable SslContext tls,
            FrameLayout layout,
            int port,
            ChannelHandler handler)
            throws InterruptedException {
        Channel channel = new Bootstrap()
                .group(loops)
                .channel(io.channel())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, receiveAllocator())
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMarks())
                .handler(pipeline(tls, layout, true, () -> handler))
                .connect(InetAddress.getLoopbackAddress(), port)
                .sync()
                .channel();
        SslHandler ssl = channel.pipeline().get(SslHandler.class);
        if (ssl != null) {
            ssl.handshakeFuture().sync();
        }
        return channel;
    }

    /** Returns the port of a channel that {@link #listen} returned. */
    public static int port(Channel listener) {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    private static AdaptiveRecvByteBufAllocator receiveAllocator() {
        return new AdaptiveRecvByteBufAllocator(READ_MIN_BYTES, READ_INITIAL_BYTES, READ_MAX_BYTES);
    }

    private static WriteBufferWaterMark waterMarks() {
        return new WriteBufferWaterMark(LOW_MARK_BYTES, HIGH_MARK_BYTES);
    }

    private static ChannelInitializer<SocketChannel> pipeline(
            @Nullable SslContext tls, FrameLayout layout, boolean isClient, Supplier<ChannelHandler> handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                if (tls != null) {
                    channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                }
                layout.addHandlers(channel.pipeline(), isClient);
                channel.pipeline().addLast(handler.get());
            }
        };
    }
}

package io.parley.bench.netty;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/** Event loop and channel types that go together: epoll where it loads, else NIO, as Parley's TCP transport chooses. */
public enum NettyIo {
    /** Linux, native. */
    EPOLL(EpollSocketChannel.class, EpollServerSocketChannel.class),
    /** Everywhere. */
    NIO(NioSocketChannel.class, NioServerSocketChannel.class);

    private final Class<? extends SocketChannel> channel;
    private final Class<? extends ServerChannel> serverChannel;

    NettyIo(Class<? extends SocketChannel> channel, Class<? extends ServerChannel> serverChannel) {
        this.channel = channel;
        this.serverChannel = serverChannel;
    }

    /** The fastest that works here. */
    public static NettyIo best() {
        return Epoll.isAvailable() ? EPOLL : NIO;
    }

    /** A new group of so many threads. */
    public EventLoopGroup loops(int threads) {
        IoHandlerFactory factory = this == EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        return new MultiThreadIoEventLoopGroup(threads, factory);
    }

    /** What connects. */
    public Class<? extends SocketChannel> channel() {
        return channel;
    }

    /** What listens. */
    public Class<? extends ServerChannel> serverChannel() {
        return serverChannel;
    }

    /** The word used in results. */
    public String label() {
        return this == EPOLL ? "epoll" : "NIO";
    }
}

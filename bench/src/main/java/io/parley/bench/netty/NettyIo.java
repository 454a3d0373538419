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
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Matching types of event loops and channels: epoll if it is available, otherwise NIO, as in Parley's TCP transport.
 */
public enum NettyIo {
    /** Native transport of Linux. */
    EPOLL(EpollSocketChannel.class, EpollServerSocketChannel.class),
    /** NIO of the JDK, on all platforms. */
    NIO(NioSocketChannel.class, NioServerSocketChannel.class);

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    private static final Map<IdleStrategy, EventLoopGroup> CLIENT_LOOPS = new ConcurrentHashMap<>();

    private final Class<? extends SocketChannel> channel;
    private final Class<? extends ServerChannel> serverChannel;

    NettyIo(Class<? extends SocketChannel> channel, Class<? extends ServerChannel> serverChannel) {
        this.channel = channel;
        this.serverChannel = serverChannel;
    }

    /** Returns the fastest type that is available on this machine. */
    public static NettyIo best() {
        return Epoll.isAvailable() ? EPOLL : NIO;
    }

    /**
     * Creates event loops, one per processor, as Parley does. Each thread starts when it gets its first channel, so that one
     * connection has one thread.
     */
    EventLoopGroup loops(IdleStrategy idle) {
        IoHandlerFactory factory = this == EPOLL
                ? EpollIoHandler.newFactory(0, idle.factory())
                : NioIoHandler.newFactory(SelectorProvider.provider(), idle.factory());
        return new MultiThreadIoEventLoopGroup(PROCESSORS, new DefaultThreadFactory("bench-netty", true), factory);
    }

    /** Returns the event loops that all clients of this process share. They run until it ends. */
    static EventLoopGroup clientLoops(IdleStrategy idle) {
        return CLIENT_LOOPS.computeIfAbsent(idle, best()::loops);
    }

    /** Returns the type of the channels that connect. */
    public Class<? extends SocketChannel> channel() {
        return channel;
    }

    /** Returns the type of the channels that listen. */
    public Class<? extends ServerChannel> serverChannel() {
        return serverChannel;
    }

    /** Returns the name in results. */
    public String label() {
        return this == EPOLL ? "epoll" : "NIO";
    }
}

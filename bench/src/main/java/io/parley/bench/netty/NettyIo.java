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
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Matching types of event loops and channels. The best one is epoll if it is available, otherwise NIO, as in Parley's TCP transport.
 */
public enum NettyIo {
    /** Native transport of Linux. */
    EPOLL(EpollSocketChannel.class, EpollServerSocketChannel.class),
    /** Submission and completion rings of Linux. Its loops wait in their own way. */
    IO_URING(IoUringSocketChannel.class, IoUringServerSocketChannel.class),
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

    /** Returns the reason why this type cannot run here; empty if it can. */
    Optional<String> obstacle() {
        Throwable cause = switch (this) {
            case EPOLL -> Epoll.unavailabilityCause();
            case IO_URING -> IoUring.unavailabilityCause();
            case NIO -> null;
        };
        return cause == null ? Optional.empty() : Optional.of(label() + " is not available: " + cause.getMessage());
    }

    /**
     * Creates event loops, one per processor, as Parley does. Each thread starts when it gets its first channel, so that one
     * connection has one thread.
     */
    EventLoopGroup loops(IdleStrategy idle) {
        IoHandlerFactory factory = switch (this) {
            case EPOLL -> EpollIoHandler.newFactory(0, idle.factory());
            case IO_URING -> IoUringIoHandler.newFactory();
            case NIO -> NioIoHandler.newFactory(SelectorProvider.provider(), idle.factory());
        };
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
        return switch (this) {
            case EPOLL -> "epoll";
            case IO_URING -> "io_uring";
            case NIO -> "NIO";
        };
    }
}

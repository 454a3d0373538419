package io.parley.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.channels.spi.SelectorProvider;

/** Event loops and the channel classes that go with them, chosen together so that they cannot be mixed. */
enum NettyPlatform {
    EPOLL(EpollSocketChannel.class, EpollServerSocketChannel.class) {
        @Override
        IoHandlerFactory handlers() {
            return EpollIoHandler.newFactory(0, NettyPlatform::newStrategy);
        }
    },
    NIO(NioSocketChannel.class, NioServerSocketChannel.class) {
        @Override
        IoHandlerFactory handlers() {
            return NioIoHandler.newFactory(SelectorProvider.provider(), NettyPlatform::newStrategy);
        }
    };

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    private final Class<? extends Channel> channel;
    private final Class<? extends ServerChannel> serverChannel;

    NettyPlatform(Class<? extends Channel> channel, Class<? extends ServerChannel> serverChannel) {
        this.channel = channel;
        this.serverChannel = serverChannel;
    }

    /** The fastest that this machine has. */
    static NettyPlatform best() {
        return Epoll.isAvailable() ? EPOLL : NIO;
    }

    abstract IoHandlerFactory handlers();

    Class<? extends Channel> channel() {
        return channel;
    }

    Class<? extends ServerChannel> serverChannel() {
        return serverChannel;
    }

    /** With one processor there is nobody to answer while this one looks. */
    private static SelectStrategy newStrategy() {
        return PROCESSORS > 1
                ? new SpinThenWaitStrategy(System::nanoTime)
                : DefaultSelectStrategyFactory.INSTANCE.newSelectStrategy();
    }

    /** One loop per core; their threads start when they are first used. */
    EventLoopGroup newLoops() {
        return new MultiThreadIoEventLoopGroup(PROCESSORS, new DefaultThreadFactory("parley-tcp", true), handlers());
    }
}

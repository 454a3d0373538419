package io.parley.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.parley.common.Scheduler;
import io.parley.common.internal.SharedEventExecutors;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** An I/O mechanism of Netty: event loops and the matching channel classes, so that they cannot be mixed. */
enum NettyPlatform {
    EPOLL(EpollSocketChannel.class, EpollServerSocketChannel.class) {
        @Override
        IoHandlerFactory handlers(SelectStrategyFactory strategies) {
            return EpollIoHandler.newFactory(0, strategies);
        }
    },
    NIO(NioSocketChannel.class, NioServerSocketChannel.class) {
        @Override
        IoHandlerFactory handlers(SelectStrategyFactory strategies) {
            return NioIoHandler.newFactory(SelectorProvider.provider(), strategies);
        }
    };

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    private final Class<? extends Channel> channel;
    private final Class<? extends ServerChannel> serverChannel;

    /** By the time for which the event loops poll before they sleep. */
    private final Map<Duration, SharedEventExecutors<EventLoopGroup>> sharedLoops = new ConcurrentHashMap<>();

    NettyPlatform(Class<? extends Channel> channel, Class<? extends ServerChannel> serverChannel) {
        this.channel = channel;
        this.serverChannel = serverChannel;
    }

    /** Returns the fastest platform that is available. */
    static NettyPlatform best() {
        return Epoll.isAvailable() ? EPOLL : NIO;
    }

    abstract IoHandlerFactory handlers(SelectStrategyFactory strategies);

    Class<? extends Channel> channel() {
        return channel;
    }

    Class<? extends ServerChannel> serverChannel() {
        return serverChannel;
    }

    /** Returns the event loops of this JVM that poll for this time before they sleep. */
    SharedEventExecutors<EventLoopGroup> sharedLoops(Duration maxSpin) {
        return sharedLoops.computeIfAbsent(maxSpin, this::newSource);
    }

    /** Returns other event loops, with their own wait strategies. */
    SharedEventExecutors<EventLoopGroup> newSource(Duration maxSpin) {
        return new SharedEventExecutors<>(() -> newLoops(strategies(Scheduler.system(), maxSpin)));
    }

    /**
     * Returns the wait strategies of event loops. With one processor they never spin, because a loop that spins would keep the
     * other threads from running.
     *
     * @param scheduler the source of time; spinning takes real time, so it is the system's except in tests
     */
    static SelectStrategyFactory strategies(Scheduler scheduler, Duration maxSpin) {
        return PROCESSORS > 1 && !maxSpin.isZero()
                ? () -> new SpinThenWaitStrategy(scheduler::nanoTime, maxSpin.toNanos())
                : DefaultSelectStrategyFactory.INSTANCE;
    }

    /** Returns new event loops, one per processor. Each thread starts when its loop is first used. */
    EventLoopGroup newLoops(SelectStrategyFactory strategies) {
        return new MultiThreadIoEventLoopGroup(
                PROCESSORS, new DefaultThreadFactory("parley-tcp", true), handlers(strategies));
    }
}

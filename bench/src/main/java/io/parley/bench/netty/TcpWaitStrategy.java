package io.parley.bench.netty;

import io.netty.channel.SelectStrategyFactory;
import io.parley.common.Scheduler;
import io.parley.transport.TransportLimits;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;

/**
 * Access to the wait strategy of the event loops of Parley's TCP transport, which is not public. Other contenders wait with
 * the same code.
 */
final class TcpWaitStrategy {

    private static final String PLATFORM = "io.parley.transport.tcp.NettyPlatform";
    private static final String STRATEGIES = "strategies";

    private TcpWaitStrategy() {}

    /** Returns the strategies of the event loops of a peer that prefers latency. */
    static SelectStrategyFactory factory() {
        try {
            Class<?> platform = Class.forName(PLATFORM, false, TcpWaitStrategy.class.getClassLoader());
            return (SelectStrategyFactory) MethodHandles.privateLookupIn(platform, MethodHandles.lookup())
                    .findStatic(
                            platform,
                            STRATEGIES,
                            MethodType.methodType(SelectStrategyFactory.class, Scheduler.class, Duration.class))
                    .invoke(Scheduler.system(), TransportLimits.DEFAULTS.maxSpin());
        } catch (Throwable failed) {
            throw new IllegalStateException(PLATFORM + "." + STRATEGIES + ": cannot be called", failed);
        }
    }
}

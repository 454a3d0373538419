package io.parley.bench.netty;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.SelectStrategyFactory;
import io.parley.bench.contender.ClassPatcher;
import io.parley.common.Scheduler;
import io.parley.transport.tcp.TcpTransportProvider;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import net.bytebuddy.implementation.FieldAccessor;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Access to the wait strategy of the event loops of Parley's TCP transport, which is neither public nor configurable. Other
 * contenders wait with the same code, and one of Parley's waits without it.
 */
public final class TcpWaitStrategy {

    private static final String PLATFORM = "io.parley.transport.tcp.NettyPlatform";
    private static final String STRATEGIES = "strategies";

    private static boolean spinDisabled;

    private TcpWaitStrategy() {}

    /** Returns the strategies of Parley's event loops. */
    static SelectStrategyFactory factory() {
        try {
            Class<?> platform = Class.forName(PLATFORM, false, TcpWaitStrategy.class.getClassLoader());
            return (SelectStrategyFactory) MethodHandles.privateLookupIn(platform, MethodHandles.lookup())
                    .findStatic(
                            platform, STRATEGIES, MethodType.methodType(SelectStrategyFactory.class, Scheduler.class))
                    .invoke(Scheduler.system());
        } catch (Throwable failed) {
            throw new IllegalStateException(PLATFORM + "." + STRATEGIES + ": cannot be called", failed);
        }
    }

    /**
     * Makes Parley's event loops in this process sleep at once. Must be called before the first use of Parley's TCP
     * transport; further calls have no effect.
     */
    public static synchronized void disableSpin() throws IOException, ReflectiveOperationException {
        if (spinDisabled) {
            return;
        }
        spinDisabled = true;
        FieldAccessor.AssignerConfigurable sleep =
                FieldAccessor.of(DefaultSelectStrategyFactory.class.getField("INSTANCE"));
        ClassPatcher.patch(
                PLATFORM,
                TcpTransportProvider.class.getName(),
                type -> type.method(ElementMatchers.named(STRATEGIES)).intercept(sleep));
    }
}

package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;
import io.parley.common.Scheduler;
import io.parley.common.internal.SharedEventExecutors;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.testkit.ThreadWatch;
import io.parley.testkit.transport.ConnectionAcceptor;
import io.parley.testkit.transport.TestTransports;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import io.parley.transport.tls.TlsHandlerFactory;
import java.lang.reflect.Field;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The native code, the wait strategy and the threads of the event loops. */
class NettyPlatformTest {

    private static final Duration SPIN = TransportLimits.DEFAULTS.maxSpin();
    private static final EndpointAddress ANY = EndpointAddress.parse("tcp://127.0.0.1:0");

    /** A failure, not a skipped test: without native code every figure of the benchmarks is wrong. */
    @Test
    void linuxOnX86_usesEpollAndBoringSsl() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        assumeTrue(os.contains("linux") && System.getProperty("os.arch").equals("amd64"), "not Linux on x86_64");
        assertThat(Epoll.unavailabilityCause()).as("why epoll is not available").isNull();
        assertThat(NettyPlatform.best()).isEqualTo(NettyPlatform.EPOLL);
        assertThat(OpenSsl.unavailabilityCause())
                .as("why BoringSSL is not available")
                .isNull();
        assertThat(OpenSsl.versionString()).contains("BoringSSL");
        assertThat(TlsHandlerFactory.bestProvider()).isEqualTo(SslProvider.OPENSSL_REFCNT);
    }

    /** The time of the system; counts how often it is read. */
    private static final class CountingScheduler implements Scheduler {

        private final LongAdder reads = new LongAdder();

        @Override
        public Clock clock() {
            return Scheduler.system().clock();
        }

        @Override
        public long nanoTime() {
            reads.increment();
            return Scheduler.system().nanoTime();
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            return Scheduler.system().schedule(delay, task);
        }

        @Override
        public Random random() {
            return Scheduler.system().random();
        }
    }

    /** Only the strategy reads this time: at the start and the end of each wait, and with each poll. */
    @ParameterizedTest
    @EnumSource
    void eventLoops_spinBeforeTheySleep(NettyPlatform platform) {
        assumeTrue(platform != NettyPlatform.EPOLL || Epoll.isAvailable(), "epoll is not available");
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "one processor: the event loops do not spin");
        CountingScheduler scheduler = new CountingScheduler();
        EventLoopGroup loops = platform.newLoops(NettyPlatform.strategies(scheduler, SPIN));
        try {
            Eventually.run(loops.next(), () -> {});
            Eventually.until(() -> "reads: " + scheduler.reads, () -> scheduler.reads.sum() > 10);
        } finally {
            Eventually.get(loops.shutdownGracefully(0, 1, TimeUnit.SECONDS), "stopping the event loops");
        }
    }

    @ParameterizedTest
    @EnumSource
    void eventLoops_thatMayNotSpin_sleepAtOnce(NettyPlatform platform) {
        assumeTrue(platform != NettyPlatform.EPOLL || Epoll.isAvailable(), "epoll is not available");
        CountingScheduler scheduler = new CountingScheduler();
        EventLoopGroup loops = platform.newLoops(NettyPlatform.strategies(scheduler, Duration.ZERO));
        try {
            for (int i = 0; i < 100; i++) {
                Eventually.run(loops.next(), () -> {});
            }
        } finally {
            Eventually.get(loops.shutdownGracefully(0, 1, TimeUnit.SECONDS), "stopping the event loops");
        }
        assertThat(scheduler.reads.sum()).isZero();
    }

    @Test
    void transportsThatWaitDifferently_haveEventLoopsOfTheirOwn() {
        SharedEventExecutors<EventLoopGroup> spinning = NettyPlatform.NIO.sharedLoops(SPIN);
        SharedEventExecutors<EventLoopGroup> sleeping = NettyPlatform.NIO.sharedLoops(Duration.ZERO);
        assertThat(NettyPlatform.NIO.sharedLoops(SPIN)).isSameAs(spinning);
        EventLoopGroup spinningLoops = spinning.acquire();
        EventLoopGroup sleepingLoops = sleeping.acquire();
        assertThat(sleepingLoops).isNotSameAs(spinningLoops);
        assertThat(spinning.acquire()).isSameAs(spinningLoops);

        Eventually.get(sleeping.release(), "releasing the only use");
        assertThat(sleepingLoops.isShutdown()).isTrue();
        Eventually.get(spinning.release(), "releasing one of two uses");
        assertThat(spinningLoops.isShutdown()).isFalse();
        Eventually.get(spinning.release(), "releasing the last use");
        assertThat(spinningLoops.isShutdown()).isTrue();
    }

    @Test
    void transport_usesTheLoopsThatItsLimitsDetermine() {
        SharedEventExecutors<EventLoopGroup> shared = NettyPlatform.best().sharedLoops(Duration.ZERO);
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            EventLoopGroup sleeping = shared.acquire();
            Transport transport = transports.open(
                    Identity.generate(),
                    TransportLimits.DEFAULTS.toBuilder().maxSpin(Duration.ZERO).build());
            Eventually.get(shared.release(), "releasing the use of the test");
            assertThat(sleeping.isShuttingDown()).as("the transport uses them").isFalse();
            Eventually.get(transport.closeAsync(), "closing");
            assertThat(sleeping.isShutdown()).isTrue();
        }
    }

    /**
     * Netty has no method that returns the strategy of an event loop, and compiled code shows it on no stack, so the test reads the fields
     * of Netty.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void transport_waitsWithTheStrategyThatSpins(boolean ownEventLoops) throws ReflectiveOperationException {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "one processor: the event loops do not spin");
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            Transport transport = transports.open(new TransportContext(
                    Identity.generate(),
                    TransportSecurity.PLAINTEXT,
                    TestTransports.PATIENT_LIMITS,
                    new EndpointMetrics(),
                    Scheduler.system(),
                    ownEventLoops));
            ConnectionAcceptor acceptor = new ConnectionAcceptor();
            TransportServer server = transports.listen(transport, ANY, acceptor);
            Connection dialed =
                    transports.dial(transport, server.address(), null).connection();
            Object handler = field(dialed.executor(), SingleThreadIoEventLoop.class, "ioHandler");
            assertThat(field(handler, handler.getClass(), "selectStrategy")).isInstanceOf(SpinThenWaitStrategy.class);
        }
    }

    private static Object field(Object object, Class<?> type, String name) throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(object);
    }

    @Test
    void transportsOfOneJvm_shareTheirEventLoops_andTheLastOneStopsThem() {
        ThreadWatch threads = new ThreadWatch();
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            List<Transport> all = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Transport transport = transports.open(Identity.generate());
                TransportServer server = transports.listen(transport, ANY, new ConnectionAcceptor());
                if (i > 0) {
                    transports.dial(all.get(i - 1), server.address(), null);
                }
                all.add(transport);
            }
            assertThat(threads.started())
                    .as("threads of 20 transports")
                    .hasSizeLessThanOrEqualTo(Runtime.getRuntime().availableProcessors());
            all.subList(1, all.size()).forEach(transport -> Eventually.get(transport.closeAsync(), "closing"));
            assertThat(threads.started()).isNotEmpty();
            assertThat(transports.listen(all.get(0), ANY, new ConnectionAcceptor()))
                    .isNotNull();
            Eventually.get(all.get(0).closeAsync(), "closing the last transport");
            threads.untilGone();
        }
    }

    @Test
    void transportWithOwnEventLoops_usesNoSharedOnes_andStopsItsOwn() {
        ThreadWatch threads = new ThreadWatch();
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            Transport shared = transports.open(Identity.generate());
            Thread sharedThread = loopThread(transports, shared);
            Transport own = transports.open(new TransportContext(
                    Identity.generate(),
                    TransportSecurity.PLAINTEXT,
                    TestTransports.PATIENT_LIMITS,
                    new EndpointMetrics(),
                    Scheduler.system(),
                    true));
            Set<Thread> before = threads.started();
            Thread ownThread = loopThread(transports, own);
            assertThat(before).contains(sharedThread).doesNotContain(ownThread);

            Eventually.get(own.closeAsync(), "closing the transport with its own event loops");
            Eventually.until(() -> "running: " + ownThread, () -> !ownThread.isAlive());
            assertThat(sharedThread.isAlive()).isTrue();
        }
        threads.untilGone();
    }

    /** Returns the thread of an accepted connection. */
    private static Thread loopThread(TestTransports transports, Transport transport) {
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        TransportServer server = transports.listen(transport, ANY, acceptor);
        Connection dialed = transports.dial(transport, server.address(), null).connection();
        return Eventually.on(dialed.executor(), Thread::currentThread);
    }
}

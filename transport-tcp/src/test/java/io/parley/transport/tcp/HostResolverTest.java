package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.internal.SharedThreads;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The resolver in manual time, with name servers that the test controls. */
class HostResolverTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final EndpointAddress ADDRESS = EndpointAddress.parse("tcp://example.org:9701");
    private static final int MAX_NAMES = HostResolver.MAX_THREADS + HostResolver.MAX_QUEUED;

    private final ManualScheduler scheduler = new ManualScheduler();
    private final CountDownLatch response = new CountDownLatch(1);
    private final AtomicInteger lookups = new AtomicInteger();
    private final HostResolver resolver = new HostResolver(this::lookUp, scheduler, TIMEOUT);

    @AfterEach
    void close() {
        response.countDown();
        resolver.close();
    }

    private InetAddress lookUp(String host) throws UnknownHostException {
        lookups.incrementAndGet();
        Eventually.latch(response, "the response of the name server");
        if (host.equals("unknown.example.org")) {
            throw new UnknownHostException(host);
        }
        return InetAddress.getByAddress(host, new byte[] {(byte) 192, 0, 2, 1});
    }

    private static void assertFailsWith(ErrorCode code, CompletableFuture<?> future) {
        assertThat(Eventually.failure(future, "resolving"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void resolve_knownHost_completesWithItsAddress() {
        response.countDown();
        InetSocketAddress resolved = Eventually.get(resolver.resolve(ADDRESS), "resolving");
        assertThat(resolved.getAddress().getHostAddress()).isEqualTo("192.0.2.1");
        assertThat(resolved.getPort()).isEqualTo(9701);
        Eventually.until(() -> "the timeout is still scheduled", () -> scheduler.pending() == 0);
    }

    @Test
    void resolve_unknownHost_failsWithUnreachable() {
        response.countDown();
        assertFailsWith(ErrorCode.UNREACHABLE, resolver.resolve(ADDRESS.withHost("unknown.example.org")));
    }

    @Test
    void resolve_silentNameServer_timesOut() {
        CompletableFuture<InetSocketAddress> resolving = resolver.resolve(ADDRESS);
        scheduler.advance(TIMEOUT.minusNanos(1));
        assertThat(resolving).isNotDone();
        scheduler.advance(Duration.ofNanos(1));
        assertFailsWith(ErrorCode.TIMEOUT, resolving);
    }

    @Test
    void resolve_aboveTheLimit_failsWithBusy_untilOthersAreDone() {
        List<CompletableFuture<InetSocketAddress>> all = new ArrayList<>();
        for (int i = 0; i < MAX_NAMES; i++) {
            all.add(resolver.resolve(ADDRESS));
        }
        assertFailsWith(ErrorCode.BUSY, resolver.resolve(ADDRESS));
        response.countDown();
        all.forEach(each -> Eventually.get(each, "resolving"));
        Eventually.get(resolver.resolve(ADDRESS), "resolving one more");
    }

    @Test
    void resolve_withoutAThread_waitsForOne() {
        response.countDown();
        AtomicBoolean failed = new AtomicBoolean();
        SharedThreads threads = new SharedThreads(
                task -> {
                    if (failed.compareAndSet(false, true)) {
                        throw new InternalError("no thread");
                    }
                    task.run();
                },
                1,
                1,
                scheduler);
        try (HostResolver other = new HostResolver(this::lookUp, scheduler, TIMEOUT, threads)) {
            CompletableFuture<InetSocketAddress> resolved = other.resolve(ADDRESS);
            assertThat(resolved).as("resolving without a thread").isNotDone();
            scheduler.advance(TIMEOUT.dividedBy(2));
            Eventually.get(resolved, "resolving");
        }
    }

    @Test
    void close_failsPendingNamesAndNewOnes() {
        List<CompletableFuture<InetSocketAddress>> all = new ArrayList<>();
        for (int i = 0; i <= HostResolver.MAX_THREADS; i++) {
            all.add(resolver.resolve(ADDRESS));
        }
        resolver.close();
        all.forEach(each -> assertFailsWith(ErrorCode.CLOSED, each));
        assertFailsWith(ErrorCode.CLOSED, resolver.resolve(ADDRESS));
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void resolve_timedOutInTheQueue_isNotLookedUp() {
        List<CompletableFuture<InetSocketAddress>> all = new ArrayList<>();
        for (int i = 0; i < MAX_NAMES; i++) {
            all.add(resolver.resolve(ADDRESS));
        }
        scheduler.advance(TIMEOUT);
        all.forEach(each -> assertFailsWith(ErrorCode.TIMEOUT, each));
        response.countDown();
        Eventually.until(
                () -> "the queue is full", () -> !resolver.resolve(ADDRESS).isCompletedExceptionally());
        assertThat(lookups.get()).isLessThan(MAX_NAMES);
    }
}

package io.parley.transport.tcp;

import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.EndpointAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Resolves host names on threads of its own, because the system blocks the caller until name servers have responded or failed.
 * Remote peers choose names, so threads and queue are bounded. Idle threads end. Thread-safe.
 */
final class HostResolver implements AutoCloseable {

    /** Resolves a name by the system. */
    @FunctionalInterface
    interface Lookup {

        /** Returns the address of the host. Blocks. */
        InetAddress resolve(String host) throws UnknownHostException;
    }

    /** The number of names that are resolved at the same time. */
    static final int MAX_THREADS = 4;

    /** The number of names that wait for a thread. */
    static final int MAX_QUEUED = 256;

    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(5);

    private final Lookup lookup;
    private final Scheduler scheduler;
    private final Duration timeout;
    private final ThreadPoolExecutor threads;
    private final Map<Long, CompletableFuture<InetSocketAddress>> pending = new ConcurrentHashMap<>();
    private final AtomicLong lastNumber = new AtomicLong();

    /** @param timeout the time in which a name must be resolved */
    HostResolver(Lookup lookup, Scheduler scheduler, Duration timeout) {
        this.lookup = lookup;
        this.scheduler = scheduler;
        this.timeout = timeout;
        this.threads = new ThreadPoolExecutor(
                MAX_THREADS,
                MAX_THREADS,
                IDLE_TIMEOUT.toMillis(),
                TimeUnit.MILLISECONDS,
                new ArrayBlockingQueue<>(MAX_QUEUED),
                HostResolver::newThread);
        threads.allowCoreThreadTimeOut(true);
    }

    private static Thread newThread(Runnable task) {
        Thread thread = new Thread(task, "parley-tcp-names");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Resolves the host of an address.
     *
     * @return a future that fails with {@link ErrorCode#UNREACHABLE} if the host is unknown, {@link ErrorCode#TIMEOUT} if name
     *     servers do not respond within the timeout, {@link ErrorCode#BUSY} if too many names are being resolved,
     *     {@link ErrorCode#CLOSED} if this resolver is closed
     */
    CompletableFuture<InetSocketAddress> resolve(EndpointAddress address) {
        CompletableFuture<InetSocketAddress> resolved = new CompletableFuture<>();
        Scheduler.Timer timer = scheduler.schedule(
                timeout,
                () -> resolved.completeExceptionally(
                        ErrorCode.TIMEOUT.exception(address + ": host name not resolved within " + timeout)));
        long number = lastNumber.incrementAndGet();
        pending.put(number, resolved);
        resolved.whenComplete((found, failure) -> {
            timer.cancel();
            pending.remove(number);
        });
        try {
            threads.execute(() -> resolve(address, resolved));
        } catch (RejectedExecutionException e) {
            resolved.completeExceptionally(
                    threads.isShutdown()
                            ? closedException()
                            : ErrorCode.BUSY.exception(
                                    address + ": too many host names are being resolved (expected: <= "
                                            + (MAX_THREADS + MAX_QUEUED) + ")",
                                    e));
        }
        return resolved;
    }

    private void resolve(EndpointAddress address, CompletableFuture<InetSocketAddress> resolved) {
        if (resolved.isDone()) { // its timeout is over
            return;
        }
        try {
            resolved.complete(new InetSocketAddress(lookup.resolve(address.host()), address.port()));
        } catch (UnknownHostException e) {
            resolved.completeExceptionally(ErrorCode.UNREACHABLE.exception(address + ": unknown host", e));
        } catch (RuntimeException | Error e) {
            resolved.completeExceptionally(e);
        }
    }

    private static ParleyException closedException() {
        return ErrorCode.CLOSED.exception("the transport is closed");
    }

    /** Fails the pending futures. Calls of the system that are in progress end by themselves. */
    @Override
    public void close() {
        threads.shutdown(); // no new names
        pending.values().forEach(each -> each.completeExceptionally(closedException()));
        threads.shutdownNow();
    }
}

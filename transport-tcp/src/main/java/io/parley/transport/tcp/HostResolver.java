package io.parley.transport.tcp;

import io.parley.common.Scheduler;
import io.parley.common.internal.BoundedExecutor;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.SharedThreads;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.EndpointAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Resolves host names off the event loops, because the system blocks the caller until name servers have responded or failed. The
 * resolvers of this JVM share threads. Remote peers choose names, so the threads and the queue of each resolver are bounded.
 * Thread-safe.
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

    private static final SharedThreads THREADS =
            new SharedThreads("parley-tcp-names-", 2 * MAX_THREADS, Integer.MAX_VALUE);

    private final Lookup lookup;
    private final Scheduler scheduler;
    private final Duration timeout;
    private final BoundedExecutor executor;
    private final Map<Long, CompletableFuture<InetSocketAddress>> pending = new ConcurrentHashMap<>();
    private final AtomicLong lastNumber = new AtomicLong();
    private volatile boolean closed;

    /** @param timeout the time in which a name must be resolved */
    HostResolver(Lookup lookup, Scheduler scheduler, Duration timeout) {
        this(lookup, scheduler, timeout, THREADS);
    }

    HostResolver(Lookup lookup, Scheduler scheduler, Duration timeout, SharedThreads threads) {
        this.lookup = lookup;
        this.scheduler = scheduler;
        this.timeout = timeout;
        this.executor = new BoundedExecutor(threads, MAX_THREADS, MAX_QUEUED);
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
                () -> resolved.completeExceptionally(ErrorCode.TIMEOUT.exception(
                        address + ": host name not resolved within " + DurationFormatter.format(timeout))));
        long number = lastNumber.incrementAndGet();
        pending.put(number, resolved);
        resolved.whenComplete((found, failure) -> {
            timer.cancel();
            pending.remove(number);
        });
        try {
            executor.execute(() -> resolve(address, resolved));
        } catch (RejectedExecutionException e) {
            resolved.completeExceptionally(
                    closed
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
        closed = true;
        executor.shutdown(); // no new names
        pending.values().forEach(each -> each.completeExceptionally(closedException()));
    }
}

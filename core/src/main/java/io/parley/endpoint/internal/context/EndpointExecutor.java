package io.parley.endpoint.internal.context;

import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import io.parley.common.internal.SharedEventExecutors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The executor of one endpoint, on a thread that it shares with other endpoints of this JVM. It ends like an executor with a
 * thread of its own: after its last task, and further tasks are rejected. It has no timers. Thread-safe.
 */
public final class EndpointExecutor extends AbstractEventExecutor {

    public static final String THREAD_NAME = "parley-endpoint";

    private static final SharedEventExecutors<EventExecutorGroup> SHARED =
            new SharedEventExecutors<>(() -> new DefaultEventExecutorGroup(
                    Runtime.getRuntime().availableProcessors(), new DefaultThreadFactory(THREAD_NAME, true)));

    private final EventExecutor thread = SHARED.acquire().next();
    private final Promise<?> terminated = new DefaultPromise<Void>(GlobalEventExecutor.INSTANCE);
    private int pending;
    private boolean shuttingDown;

    @Override
    public void execute(Runnable task) {
        synchronized (this) {
            if (isTerminating()) {
                throw new RejectedExecutionException("the endpoint is closed");
            }
            pending++;
        }
        thread.execute(() -> run(task));
    }

    private void run(Runnable task) {
        try {
            safeExecute(task);
        } finally {
            boolean last;
            synchronized (this) {
                pending--;
                last = isTerminating();
            }
            if (last) {
                release();
            }
        }
    }

    /** Returns whether no task is left and none is accepted. The caller must hold the lock. */
    private boolean isTerminating() {
        return shuttingDown && pending == 0;
    }

    private void release() {
        SHARED.release().thenRun(() -> terminated.trySuccess(null));
    }

    @Override
    public boolean inEventLoop(Thread other) {
        return thread.inEventLoop(other);
    }

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        boolean now;
        synchronized (this) {
            now = !shuttingDown && pending == 0;
            shuttingDown = true;
        }
        if (now) {
            release();
        }
        return terminated;
    }

    @Override
    @Deprecated
    public void shutdown() {
        shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public Future<?> terminationFuture() {
        return terminated;
    }

    @Override
    public synchronized boolean isShuttingDown() {
        return shuttingDown;
    }

    @Override
    public synchronized boolean isShutdown() {
        return isTerminating();
    }

    @Override
    public boolean isTerminated() {
        return terminated.isDone();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return terminated.await(timeout, unit);
    }
}

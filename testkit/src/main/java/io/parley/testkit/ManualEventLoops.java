package io.parley.testkit;

import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.AbstractEventExecutorGroup;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Event loops without threads. Their tasks run on the thread of the test, in an order that the seed of the
 * {@link ManualScheduler} determines. They have no timers: components must use the scheduler. Example:
 *
 * <pre>{@code
 * ManualScheduler scheduler = new ManualScheduler(clock, new Random(seed));
 * InMemoryNetwork network = new InMemoryNetwork(new ManualEventLoops(scheduler, 4));
 * }</pre>
 */
public final class ManualEventLoops extends AbstractEventExecutorGroup {

    private final List<Loop> loops = new ArrayList<>();
    private final Promise<?> terminated = new DefaultPromise<Void>(ImmediateEventExecutor.INSTANCE);
    private int nextLoop;
    private boolean shutdown;

    /** @param count the number of event loops */
    public ManualEventLoops(ManualScheduler scheduler, int count) {
        for (int i = 0; i < count; i++) {
            loops.add(new Loop(scheduler.newExecutor()));
        }
    }

    @Override
    public synchronized EventExecutor next() {
        Loop next = loops.get(nextLoop);
        nextLoop = (nextLoop + 1) % loops.size();
        return next;
    }

    @Override
    public Iterator<EventExecutor> iterator() {
        return Collections.<EventExecutor>unmodifiableList(loops).iterator();
    }

    @Override
    public synchronized Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        shutdown = true;
        terminated.trySuccess(null);
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
        return shutdown;
    }

    @Override
    public boolean isShutdown() {
        return isShuttingDown();
    }

    @Override
    public boolean isTerminated() {
        return isShuttingDown();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }

    private final class Loop extends AbstractEventExecutor {

        private final Executor queue;
        private volatile @Nullable Thread running;

        private Loop(Executor queue) {
            super(ManualEventLoops.this);
            this.queue = queue;
        }

        @Override
        public void execute(Runnable task) {
            if (isShuttingDown()) {
                throw new RejectedExecutionException("the event loops have been shut down");
            }
            queue.execute(() -> run(task));
        }

        private void run(Runnable task) {
            running = Thread.currentThread();
            try {
                safeExecute(task);
            } finally {
                running = null;
            }
        }

        @Override
        public boolean inEventLoop(Thread thread) {
            return thread.equals(running);
        }

        @Override
        public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
            return ManualEventLoops.this.shutdownGracefully(quietPeriod, timeout, unit);
        }

        @Override
        @Deprecated
        public void shutdown() {
            shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
        }

        @Override
        public Future<?> terminationFuture() {
            return ManualEventLoops.this.terminationFuture();
        }

        @Override
        public boolean isShuttingDown() {
            return ManualEventLoops.this.isShuttingDown();
        }

        @Override
        public boolean isShutdown() {
            return isShuttingDown();
        }

        @Override
        public boolean isTerminated() {
            return isShuttingDown();
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return isTerminated();
        }
    }
}

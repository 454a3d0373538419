package io.parley.pipes.internal.work;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.common.Scheduler;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.Timers;
import io.parley.endpoint.SharedMessage;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.TaskSender;
import io.parley.pipes.internal.PipeResolver;
import io.parley.pipes.internal.RequestCounters.Counter;
import io.parley.pipes.internal.request.PipeRequests;
import io.parley.pipes.internal.request.RequestMetrics;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A sender that admits a bounded number of unfinished tasks and passes them to a {@link TaskDispatcher}. Thread-safe. */
public final class QueuedTaskSender implements TaskSender {

    /** The maximum number of open senders of a group. */
    static final int MAX_SENDERS = 64;

    private static final Duration RELEASE_TIME = Duration.ofSeconds(2);

    private final PeerGroup group;
    private final PipeRequests requests;
    private final String queue;
    private final PipeResolver.Target target;
    private final WorkQueueOptions options;
    private final RequestMetrics metrics;
    private final TaskDispatcher dispatcher;
    private final Runnable closeAction = this::abort;
    private final Set<QueuedTask> unfinished = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private int tasks;
    private long bytes;
    private @Nullable CompletableFuture<Void> writable;
    private @Nullable CompletableFuture<Void> idle;
    private boolean closing;
    private boolean terminating;
    private Scheduler.@Nullable Timer closeTimer;
    private volatile boolean aborted;

    private QueuedTaskSender(PeerGroup group, String queue, PipeResolver.Target target, WorkQueueOptions options) {
        this.group = group;
        this.queue = queue;
        this.requests = PipeRequests.of(group);
        this.target = target;
        this.options = options;
        this.metrics = requests.metrics();
        this.dispatcher = new TaskDispatcher(
                group, requests.client(target.options().security()), queue, target, options, metrics);
    }

    /**
     * Opens a sender. Throws as {@link io.parley.pipes.WorkQueue#openSender}.
     *
     * @param queue  the queue as messages name it
     * @param target the pipe of the workers
     */
    public static QueuedTaskSender open(
            PeerGroup group, String queue, PipeResolver.Target target, WorkQueueOptions options) {
        QueuedTaskSender sender = new QueuedTaskSender(group, queue, target, options);
        try {
            sender.requests.addCloseAction(sender.closeAction, MAX_SENDERS);
        } catch (RuntimeException e) {
            sender.abort();
            throw e;
        }
        return sender;
    }

    @Override
    public PipeId id() {
        return target.id();
    }

    @Override
    public CompletableFuture<Void> send(Message task) {
        try {
            CompletableFuture<Void> done = trySend(task);
            return done != null
                    ? done
                    : CompletableFuture.failedFuture(ErrorCode.QUEUE_FULL.exception(this + ": " + unfinishedTasks()
                            + " unfinished tasks (expected: <= " + options.maxTasks() + ", payloads < "
                            + options.maxBytes() + " bytes); wait for whenWritable()"));
        } catch (ParleyException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Returns {@code null} if there is no room. */
    private @Nullable CompletableFuture<Void> trySend(Message message) {
        long size = message.payloadBytes();
        QueuedTask task =
                new QueuedTask(SharedMessage.of(message).message(), size, this::onEnded); // copies borrowed payloads
        synchronized (this) {
            if (closing) {
                throw ErrorCode.CLOSED.exception(this + ": closed");
            }
            if (!hasRoom()) {
                return null;
            }
            tasks++;
            bytes += size;
        }
        metrics.increment(Counter.TASKS_STARTED);
        unfinished.add(task);
        if (aborted) {
            fail(task); // meanwhile
        } else {
            dispatcher.submit(task);
        }
        return task.result();
    }

    /** Returns whether a task of any size is accepted. The caller must hold the lock. */
    private boolean hasRoom() {
        return tasks < options.maxTasks() && bytes < options.maxBytes();
    }

    private Runnable onEnded(QueuedTask task, @Nullable Throwable failure) {
        unfinished.remove(task);
        metrics.increment(failure == null ? Counter.TASKS_COMPLETED : Counter.TASKS_FAILED);
        if (failure != null) {
            dispatcher.withdraw(task);
        }
        CompletableFuture<Void> room;
        CompletableFuture<Void> none;
        boolean last;
        synchronized (this) {
            tasks--;
            bytes -= task.bytes();
            room = hasRoom() ? writable : null; // otherwise the tasks that are left are large
            writable = hasRoom() ? null : writable;
            none = tasks == 0 ? idle : null;
            idle = tasks == 0 ? null : idle;
            last = claimTermination();
        }
        return () -> {
            if (room != null) {
                room.complete(null);
            }
            if (none != null) {
                none.complete(null);
            }
            if (last) {
                terminate();
            }
        };
    }

    @Override
    public CompletableFuture<Void> send(Message task, Duration timeout) throws InterruptedException {
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
            throw new IllegalStateException(
                    this + ": must not block on an event loop; use send(task) and whenWritable()");
        }
        long deadline = group.scheduler().nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
        CompletableFuture<Void> done = trySend(task);
        while (done == null) {
            try {
                whenWritable().get(deadline - group.scheduler().nanoTime(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                throw ErrorCode.CLOSED.exception(this + ": closed", e);
            } catch (TimeoutException e) {
                throw ErrorCode.TIMEOUT.exception(this + ": task not queued within " + DurationFormatter.format(timeout)
                        + ": " + unfinishedTasks() + " tasks are unfinished");
            }
            done = trySend(task);
        }
        return done;
    }

    @Override
    public synchronized boolean isWritable() {
        return !closing && hasRoom();
    }

    @Override
    public synchronized CompletableFuture<Void> whenWritable() {
        if (closing) {
            return CompletableFuture.failedFuture(ErrorCode.CLOSED.exception(this + ": closed"));
        }
        if (hasRoom()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> room = writable;
        if (room == null) {
            room = new CompletableFuture<>();
            writable = room;
        }
        return room.copy();
    }

    @Override
    public synchronized int unfinishedTasks() {
        return tasks;
    }

    @Override
    public synchronized CompletableFuture<Void> whenIdle() {
        if (tasks == 0) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> none = idle;
        if (none == null) {
            none = new CompletableFuture<>();
            idle = none;
        }
        return none.copy();
    }

    @Override
    public Set<PeerId> workers() {
        return dispatcher.workers();
    }

    /** Returns the number of tasks that wait for a worker, with those that were cancelled meanwhile. */
    int queuedTasks() {
        return dispatcher.queuedTasks();
    }

    private void fail(QueuedTask task) {
        task.fail(
                task.mayHaveBeenExecuted()
                        ? ErrorCode.LOST.exception(this + ": closed; the task may have been executed")
                        : ErrorCode.CLOSED.exception(this + ": closed; the task was not executed"));
    }

    /** Fails the unfinished tasks and closes. */
    private void abort() {
        aborted = true;
        closeAsync();
        List.copyOf(unfinished).forEach(this::fail);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        boolean last;
        CompletableFuture<Void> room;
        synchronized (this) {
            if (!closing) {
                closing = true;
                if (tasks > 0) {
                    closeTimer = Timers.schedule(
                            group.scheduler(),
                            group.endpoint().limits().closeTimeout(),
                            group.workExecutor(),
                            this::abort);
                }
            }
            last = claimTermination();
            room = writable;
            writable = null;
        }
        if (room != null) {
            room.completeExceptionally(ErrorCode.CLOSED.exception(this + ": closed"));
        }
        if (last) {
            terminate();
        }
        return closed.copy();
    }

    /** Returns true once, when this sender is closed and has no task. The caller must hold the lock. */
    private boolean claimTermination() {
        if (!closing || tasks > 0 || terminating) {
            return false;
        }
        terminating = true;
        return true;
    }

    private void terminate() {
        Scheduler.Timer timer;
        synchronized (this) {
            timer = closeTimer;
        }
        if (timer != null) {
            timer.cancel();
        }
        requests.removeCloseAction(closeAction);
        dispatcher.closeAsync().whenComplete((done, failure) -> closed.complete(null));
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public synchronized boolean isClosing() {
        return closing;
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, group.endpoint().limits().closeTimeout().plus(RELEASE_TIME));
    }

    @Override
    public String toString() {
        return "task sender of " + queue;
    }
}

package io.parley.pipes.internal.work;

import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.SerialExecutor;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.internal.ExpiryTimer;
import io.parley.pipes.internal.PipeFlow;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.PipeResolver;
import io.parley.pipes.internal.RequestCounters.Counter;
import io.parley.pipes.internal.SendRate;
import io.parley.pipes.internal.request.HolderChannel;
import io.parley.pipes.internal.request.PendingRequest;
import io.parley.pipes.internal.request.RequestClient;
import io.parley.pipes.internal.request.RequestMetrics;
import io.parley.transport.EndpointMetrics;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Sends the tasks of one sender to workers, each task until it is confirmed. All its work is done by one thread at a time, on the work
 * executor, so its state needs no lock. Thread-safe.
 *
 * <p>Each attempt is a request. Tasks wait here while all workers have as many as they may have, so that a task goes to the worker that
 * is free first.
 */
final class TaskDispatcher implements TaskAttempt.Listener {

    /** The multiple of the timeout for which a response is accepted after the timeout. */
    static final int LATE_FACTOR = 3;

    /** The number of tasks that are examined for a free worker which they do not avoid. */
    private static final int MAX_SKIPPED = 64;

    /** The number of attempts of a task that were not executed after which further ones are delayed. */
    private static final int MAX_FAST_REDIRECTS = 8;

    private final PeerGroup group;
    private final RequestClient client;
    private final String queue;
    private final WorkQueueOptions options;

    /** The rate of attempts; {@code null} if it is not limited. */
    private final @Nullable SendRate rate;

    private final RequestMetrics metrics;
    private final RateLimitedLogger log;
    private final WorkerPool workers;
    private final SerialExecutor serial;
    private final ExpiryTimer wakeUp;
    private final AtomicBoolean signalled = new AtomicBoolean();
    private final Queue<QueuedTask> submitted = new ConcurrentLinkedQueue<>();
    private final Set<TaskAttempt> attempts = ConcurrentHashMap.newKeySet();

    /** The tasks without an attempt in progress, those that were sent before first. */
    private final Deque<QueuedTask> ready = new ArrayDeque<>();

    private final Queue<QueuedTask> delayed =
            new PriorityQueue<>(Comparator.comparingLong(task -> task.dueNanos() - startNanos()));
    private final long startNanos;
    private volatile int queued;
    private volatile boolean closed;

    TaskDispatcher(
            PeerGroup group,
            RequestClient client,
            String queue,
            PipeResolver.Target target,
            WorkQueueOptions options,
            RequestMetrics metrics) {
        this.group = group;
        this.client = client;
        this.queue = queue;
        this.options = options;
        this.metrics = metrics;
        this.log = new RateLimitedLogger(LoggerFactory.getLogger(TaskDispatcher.class), group.scheduler());
        this.startNanos = group.scheduler().nanoTime();
        this.serial = new SerialExecutor(group.workExecutor());
        this.wakeUp = new ExpiryTimer(group.scheduler(), serial, this::dispatch);
        PipeOptions pipe = target.options();
        this.rate = SendRate.of(pipe.flow().limits(), group.scheduler());
        PipeResolver.Target unlimited = // because tasks wait here for the rate
                new PipeResolver.Target(target.id(), target.name(), pipe.withFlow(PipeFlow.DEFAULT));
        this.workers = new WorkerPool(group, queue, unlimited, options.prefetch(), this::signal, this::onLost);
    }

    private long startNanos() {
        return startNanos;
    }

    /** Adds a new task. */
    void submit(QueuedTask task) {
        submitted.add(task);
        signal();
    }

    /** Removes what was not sent of a task that has ended without a confirmation. */
    void withdraw(QueuedTask task) {
        serial.execute(() -> {
            withdrawAttempts(task);
            dispatch();
        });
    }

    /** Makes the dispatcher look for tasks and workers soon. */
    private void signal() {
        if (signalled.compareAndSet(false, true)) {
            serial.execute(() -> {
                signalled.set(false);
                dispatch();
            });
        }
    }

    /** Sends the tasks for which there are workers, and searches for workers if there are none for the others. */
    private void dispatch() {
        if (closed) {
            return;
        }
        long now = group.scheduler().nanoTime();
        collect(now);
        workers.update(now);
        Deque<QueuedTask> skipped = new ArrayDeque<>();
        boolean inTime = true;
        while (inTime && skipped.size() < MAX_SKIPPED && workers.hasFreeWorker()) {
            QueuedTask task = ready.poll();
            if (task == null) {
                break;
            }
            Message message = task.message();
            if (message != null) { // otherwise the task has ended
                WorkerState worker = workers.select(task);
                if (worker == null) {
                    skipped.push(task);
                } else if (!admit(task, now)) {
                    ready.addFirst(task);
                    inTime = false;
                } else {
                    send(task, message, worker);
                }
            }
        }
        skipped.forEach(ready::addFirst); // in their order, because the last one comes first here
        if (!ready.isEmpty() || !delayed.isEmpty() || !attempts.isEmpty()) {
            boolean lacking = inTime && !ready.isEmpty();
            workers.search(now, lacking);
            workers.scheduleNext(lacking, wakeUp::runAt);
        }
        queued = ready.size() + delayed.size();
        QueuedTask next = delayed.peek();
        if (next != null) {
            wakeUp.runAt(next.dueNanos());
        }
    }

    /** Counts an attempt of a task. Returns false if the rate is used up; then the dispatcher tries again later. */
    private boolean admit(QueuedTask task, long now) {
        long nanos = rate == null ? 0 : rate.tryAcquire(task.bytes());
        if (nanos > 0) {
            wakeUp.runAt(now + nanos);
            group.endpoint().metrics().increment(EndpointMetrics.Counter.RATE_WAITS); // when the wait has begun
        }
        return nanos == 0;
    }

    /** Moves new tasks, and those whose delay is over, to the tasks that are ready. */
    private void collect(long now) {
        for (QueuedTask task = submitted.poll(); task != null; task = submitted.poll()) {
            ready.add(task);
        }
        for (QueuedTask next = delayed.peek(); next != null && next.dueNanos() - now <= 0; next = delayed.peek()) {
            delayed.remove();
            ready.addFirst(next);
        }
        if (ready.size() + delayed.size() > 2 * options.maxTasks()) { // most of them were cancelled
            ready.removeIf(QueuedTask::isDone);
            delayed.removeIf(QueuedTask::isDone);
        }
    }

    private void send(QueuedTask task, Message message, WorkerState worker) {
        TaskAttempt attempt =
                new TaskAttempt(task, worker, options.taskTimeout().multipliedBy(LATE_FACTOR), this);
        workers.begin(worker);
        task.addAttempt(attempt);
        attempts.add(attempt);
        if (task.executions() > 0) {
            metrics.increment(Counter.TASKS_REPEATED);
        }
        PendingRequest request = client.start(attempt, message, options.taskTimeout());
        request.addPossibleExecutions(task.executions());
        attempt.setRequest(request);
        if (!request.isDone()) {
            client.send(request, worker.holder().messenger(), worker.holder());
        }
    }

    private void onLost(HolderChannel holder) {
        serial.execute(() -> {
            workers.remove(holder);
            dispatch();
        });
    }

    @Override
    public void onOverdue(TaskAttempt attempt) {
        serial.execute(() -> {
            if (!attempt.isEnded()) { // otherwise another call reports that
                endOverdue(attempt);
                dispatch();
            }
        });
    }

    private void endOverdue(TaskAttempt attempt) {
        WorkerState worker = attempt.worker();
        worker.stall();
        if (attempt.withdraw()) { // which ends the attempt
            return;
        }
        attempt.setOverdue();
        worker.end();
        metrics.increment(Counter.TASKS_TIMED_OUT);
        QueuedTask task = attempt.task();
        if (!task.isDone()) {
            task.addExecution();
            task.avoid(worker.peer());
            repeat(
                    task,
                    ErrorCode.TIMEOUT.exception(queue + ": worker "
                            + worker.peer().shortText() + " has not confirmed the task within "
                            + DurationFormatter.format(options.taskTimeout())
                            + "; it may have been executed"));
        }
    }

    @Override
    public void onEnded(TaskAttempt attempt) {
        serial.execute(() -> {
            end(attempt);
            dispatch();
        });
    }

    private void end(TaskAttempt attempt) {
        attempts.remove(attempt);
        QueuedTask task = attempt.task();
        task.removeAttempt(attempt);
        WorkerState worker = attempt.worker();
        if (!attempt.isOverdue()) {
            worker.end();
        }
        updateWorker(worker, attempt);
        if (task.isDone()) {
            withdrawAttempts(task);
        } else if (!attempt.isOverdue()) { // otherwise another attempt was begun or waits
            continueWith(task, attempt);
        }
    }

    private void updateWorker(WorkerState worker, TaskAttempt attempt) {
        switch (attempt.outcome()) {
            case CONFIRMED -> {
                worker.onResponse();
                worker.setConcurrency(attempt.concurrency());
            }
            case FAILED -> worker.onResponse();
            case WORKER_BUSY -> worker.pause(group.scheduler().nanoTime());
            case WORKER_GONE, LOST -> workers.remove(worker);
            case EXPIRED, WITHDRAWN, UNSENDABLE -> {}
        }
    }

    /** Continues with a task whose attempt has ended without a confirmation. */
    private void continueWith(QueuedTask task, TaskAttempt attempt) {
        switch (attempt.outcome()) {
            case FAILED, EXPIRED -> {
                task.addExecution();
                task.avoid(attempt.worker().peer());
                log.warn(
                        "A task of {} failed at worker {}: {}",
                        queue,
                        attempt.worker().peer(),
                        attempt.failure().getMessage());
                repeatLater(task, attempt.failure());
            }
            case LOST -> {
                task.addExecution();
                repeat(task, attempt.failure());
            }
            case WORKER_BUSY, WORKER_GONE, WITHDRAWN -> {
                if (task.addRedirect() <= MAX_FAST_REDIRECTS) {
                    ready.addFirst(task);
                } else {
                    delay(task);
                }
            }
            case CONFIRMED, UNSENDABLE -> task.fail(attempt.failure());
        }
    }

    private void repeat(QueuedTask task, ParleyException cause) {
        if (!failIfUsedUp(task, cause)) {
            ready.addFirst(task);
        }
    }

    private void repeatLater(QueuedTask task, ParleyException cause) {
        if (!failIfUsedUp(task, cause)) {
            delay(task);
        }
    }

    private boolean failIfUsedUp(QueuedTask task, ParleyException cause) {
        if (task.executions() < options.maxAttempts()) {
            return false;
        }
        task.fail(cause);
        return true;
    }

    private void delay(QueuedTask task) {
        task.delay(group.scheduler().nanoTime(), group.scheduler().random());
        delayed.add(task);
    }

    private static void withdrawAttempts(QueuedTask task) {
        List.copyOf(task.attempts()).forEach(TaskAttempt::withdraw);
    }

    /** Returns the number of tasks that wait for a worker, with those that were cancelled meanwhile. */
    int queuedTasks() {
        return queued;
    }

    /** Returns the workers that are connected. */
    Set<PeerId> workers() {
        return workers.connected();
    }

    /** Ends all attempts. The tasks must have ended. Returns a future that completes when the messengers are closed. */
    CompletableFuture<Void> closeAsync() {
        closed = true;
        wakeUp.stop();
        List.copyOf(attempts).forEach(TaskAttempt::cancel);
        return workers.closeAsync();
    }
}

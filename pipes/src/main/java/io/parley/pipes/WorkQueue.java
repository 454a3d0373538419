package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.error.ErrorCode;
import io.parley.group.PeerGroup;
import io.parley.id.PipeId;
import io.parley.pipes.internal.DeliveryMode;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.PipeResolver;
import io.parley.pipes.internal.work.QueueWorker;
import io.parley.pipes.internal.work.QueuedTaskSender;
import io.parley.pipes.internal.work.WorkQueueOptions;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * A work queue of a group: each task goes to one of the workers, which compete for the tasks. A task is executed at least once: its
 * sender keeps it until the handler of a worker has returned, and sends it to another worker if the worker is lost, too slow or
 * fails. Instances hold no resources. Thread-safe.
 *
 * <pre>{@code
 * WorkQueue queue = Pipes.of(group).workQueue("render");
 * AsyncCloseable worker = queue.work(task -> render(task.text("scene").orElseThrow()));
 *
 * TaskSender tasks = queue.openSender();
 * CompletableFuture<Void> done = tasks.send(Message.of("scene", "42"));
 * }</pre>
 *
 * <p>Senders and workers find each other in the group, whichever opens first. Any member of the group may work, and gets tasks then. The
 * {@code with} methods set options of senders, which need not be the same at all senders. Tasks of a {@linkplain Pipes#secure secure} queue
 * go to secure workers only, and those of others to none of them.
 */
public final class WorkQueue {

    private final PeerGroup group;
    private final String name;
    private final PipeOptions pipeOptions;
    private final WorkQueueOptions options;

    /** @param pipeOptions the codecs, the encoding, the security and the flow limits of the queue; the delivery does not apply */
    WorkQueue(PeerGroup group, String name, PipeOptions pipeOptions, WorkQueueOptions options) {
        this.group = group;
        this.name = name;
        this.pipeOptions = pipeOptions.withDelivery(DeliveryMode.RELIABLE);
        this.options = options;
    }

    private WorkQueue with(WorkQueueOptions changed) {
        return new WorkQueue(group, name, pipeOptions, changed);
    }

    /** Returns the name of the queue. */
    public String name() {
        return name;
    }

    /** Returns the id of the pipe that the workers hold. It is the same at every peer, and differs from that of the pipe with the name. */
    public PipeId id() {
        return PipeId.ofName(group.id(), "work-queue/" + name);
    }

    /**
     * Returns the same queue, whose senders send a task to another worker when its worker has not confirmed it within that time. The time
     * includes the wait at the worker, so it should be several times what the slowest task takes. A worker that confirms the task later,
     * within three times the timeout, completes it if no other worker has. Tasks of a worker that is gone do not wait for the timeout. The default
     * is 5 minutes.
     *
     * @throws IllegalArgumentException unless above zero and at most {@link io.parley.endpoint.EndpointLimits#MAX_TIMEOUT}
     */
    public WorkQueue withTaskTimeout(Duration value) {
        return with(new WorkQueueOptions(
                value, options.maxAttempts(), options.prefetch(), options.maxTasks(), options.maxBytes()));
    }

    /**
     * Returns the same queue, whose senders fail a task after that number of attempts which may have been executed: the handler failed,
     * the worker was lost, or the timeout has passed. The bound protects the workers from a task that ends their processes. Attempts that
     * were certainly not executed do not count. The default is 20.
     *
     * @throws IllegalArgumentException unless 1 to 1,000,000
     */
    public WorkQueue withMaxAttempts(int value) {
        return with(new WorkQueueOptions(
                options.taskTimeout(), value, options.prefetch(), options.maxTasks(), options.maxBytes()));
    }

    /**
     * Returns the same queue, whose senders let that number of tasks wait at each worker, beyond those that it executes. A small number
     * shares long tasks evenly, a large one keeps workers busy that execute tasks faster than the network carries them. The default is 3.
     *
     * @throws IllegalArgumentException unless 0 to 64
     */
    public WorkQueue withPrefetch(int value) {
        return with(new WorkQueueOptions(
                options.taskTimeout(), options.maxAttempts(), value, options.maxTasks(), options.maxBytes()));
    }

    /**
     * Returns the same queue, whose senders accept that many unfinished tasks. Further ones are refused or wait: see
     * {@link TaskSender#send}. The default is 10,000 tasks with 64 MiB.
     *
     * @param bytes the size of the payloads of unfinished tasks from which on further ones are refused; the last task may exceed it
     * @throws IllegalArgumentException unless 1 to 1,000,000 tasks, and at least 1 byte
     */
    public WorkQueue withCapacity(int tasks, long bytes) {
        return with(
                new WorkQueueOptions(options.taskTimeout(), options.maxAttempts(), options.prefetch(), tasks, bytes));
    }

    /**
     * Opens a sender. A group may have up to 64.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#LOCAL_LIMIT} if too many senders of the group are open;
     *     {@link ErrorCode#CLOSED} if the group is closed; {@link ErrorCode#NO_COMMON_CODEC} if this peer lacks one of the codecs of
     *     {@link Pipes#withCodecs}
     */
    public TaskSender openSender() {
        pipeOptions.requireCodecs(group.endpoint());
        return QueuedTaskSender.open(group, toString(), new PipeResolver.Target(id(), name, pipeOptions), options);
    }

    /** Starts to work, one task at a time, on the callback executor. See {@link #work(TaskHandler, Executor, int)}. */
    public AsyncCloseable work(TaskHandler handler) {
        return work(handler, 1);
    }

    /** Starts to work on the callback executor. See {@link #work(TaskHandler, Executor, int)}. */
    public AsyncCloseable work(TaskHandler handler, int concurrency) {
        return work(handler, group.callbackExecutor(), concurrency);
    }

    /**
     * Starts to work: tasks of all senders go to the handler until the result is closed. Publishes that in the group. A peer may have one
     * worker of a queue.
     *
     * <p>Closing the result gives back the tasks that wait, and lets running handlers end: {@link AsyncCloseable#whenClosed} completes
     * then, and {@link AsyncCloseable#close} waits for the close timeout of the limits at most. A peer that closes before gives its running
     * tasks back too, and they are executed again.
     *
     * @param executor    runs the handler. With a direct executor ({@code Runnable::run}) the handler runs on event loops, and must not
     *     block
     * @param concurrency the maximum number of tasks that are executed at a time, and not more than the executor has threads
     * @throws IllegalArgumentException unless the concurrency is 1 to 64
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} if this peer works for the queue already;
     *     {@link ErrorCode#CLOSED} if the group is closed
     */
    public AsyncCloseable work(TaskHandler handler, Executor executor, int concurrency) {
        return QueueWorker.open(group, pipeOptions, id(), name, handler, executor, concurrency);
    }

    @Override
    public String toString() {
        return "work queue \"" + name + "\"";
    }
}

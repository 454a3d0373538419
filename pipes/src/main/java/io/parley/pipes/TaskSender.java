package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The sending end of a {@link WorkQueue}. It keeps each task until a worker has executed it, in memory: the tasks of a process that ends
 * are lost, so a sender whose tasks must survive that sends them again from where it has them. Workers may come and go; tasks wait while
 * there is none. Closing waits for the unfinished tasks, for the close timeout of the limits at most. Thread-safe.
 */
public interface TaskSender extends AsyncCloseable {

    /** Returns the id of the pipe that the workers hold. */
    PipeId id();

    /**
     * Queues a task and returns immediately. Borrowed payloads are copied. Cancelling the future removes the task; a worker that has it
     * already may execute it.
     *
     * @return a future that completes when the handler of a worker has returned. It completes on an event loop, and its dependent stages
     *     must not block. It fails after {@link WorkQueue#withMaxAttempts the maximum number of attempts} with the failure of the last one:
     *     {@link io.parley.error.ApplicationException} or {@link io.parley.error.ErrorCode#SERVICE_FAILED} if the handler failed,
     *     {@link io.parley.error.ErrorCode#TIMEOUT} if it was too slow, {@link io.parley.error.ErrorCode#LOST} if the worker was lost. It
     *     fails immediately with {@link io.parley.error.ErrorCode#QUEUE_FULL} if too many tasks are unfinished, see
     *     {@link #whenWritable()}; with {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE} or
     *     {@link io.parley.error.ErrorCode#NOT_ENCODABLE} if the task cannot be sent; and when the sender is closed with
     *     {@link io.parley.error.ErrorCode#CLOSED} if the task was not executed, {@link io.parley.error.ErrorCode#LOST} if it may have been
     */
    CompletableFuture<Void> send(Message task);

    /**
     * Queues a task, and waits for room if too many tasks are unfinished. Returns when the task is queued: waits neither until it is
     * sent, which {@link OutputPipe#send(Message, Duration)} does, nor until it is executed, when the future completes. See
     * {@link #whenIdle()}.
     *
     * @param timeout maximum time to wait for room
     * @return a future as that of {@link #send(Message)}
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#TIMEOUT} if there was no room within the timeout; the task is
     *     not queued; {@link io.parley.error.ErrorCode#CLOSED} if the sender is closed
     * @throws InterruptedException if the thread is interrupted; the task is not queued
     * @throws IllegalStateException on an event loop, which must not block
     */
    CompletableFuture<Void> send(Message task, Duration timeout) throws InterruptedException;

    /** Returns whether {@link #send(Message)} accepts a task now. */
    boolean isWritable();

    /**
     * Waits for room.
     *
     * @return a future that completes when {@link #send(Message)} accepts a task. It may complete on an event loop, and must not block
     */
    CompletableFuture<Void> whenWritable();

    /** Returns the number of tasks that were sent, and whose futures are not complete. */
    int unfinishedTasks();

    /** Returns a future that completes when no task is unfinished. It may complete on an event loop, and must not block. */
    CompletableFuture<Void> whenIdle();

    /** Returns the workers that get tasks now. */
    Set<PeerId> workers();
}

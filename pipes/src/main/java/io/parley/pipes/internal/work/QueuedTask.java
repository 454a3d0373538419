package io.parley.pipes.internal.work;

import io.parley.common.internal.Backoff;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A task of a sender. Its dispatcher changes it, one call at a time; {@link #result}, {@link #complete} and {@link #fail} are thread-safe. */
final class QueuedTask {

    /** Is notified of the end of a task. */
    interface Listener {

        /**
         * Called once, before the future of the task is complete, or after its caller has completed it.
         *
         * @param failure {@code null} if the task was executed
         * @return the action that follows when the future is complete
         */
        Runnable onEnded(QueuedTask task, @Nullable Throwable failure);
    }

    /** The maximum number of workers that are avoided. */
    private static final int MAX_AVOIDED = 16;

    private static final Duration FIRST_DELAY = Duration.ofMillis(100);
    private static final Duration MAX_DELAY = Duration.ofSeconds(10);

    /** Null when the task has ended: its bytes count no more, but the dispatcher may keep the task until it looks for the next one. */
    private volatile @Nullable Message message;

    private final long bytes;
    private final Listener listener;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final CompletableFuture<Void> result = new CompletableFuture<>();
    private final List<TaskAttempt> attempts = new ArrayList<>();
    private final Set<PeerId> avoided = new LinkedHashSet<>();
    private @Nullable Backoff backoff;
    private int redirects;
    private long dueNanos;

    /** The number of attempts that may have been executed, and have ended or are overdue. */
    private volatile int executions;

    /** Whether an attempt was sent that may be executed. */
    private volatile boolean sent;

    /** @param bytes the size of the payloads */
    QueuedTask(Message message, long bytes, Listener listener) {
        this.message = message;
        this.bytes = bytes;
        this.listener = listener;
        result.whenComplete((done, failure) -> { // the caller may cancel it
            if (tryEnd()) {
                listener.onEnded(this, failure).run();
            }
        });
    }

    private boolean tryEnd() {
        boolean first = ended.compareAndSet(false, true);
        if (first) {
            message = null;
        }
        return first;
    }

    /** Returns the message; {@code null} if the task has ended. */
    @Nullable
    Message message() {
        return message;
    }

    long bytes() {
        return bytes;
    }

    /** Returns the future that the caller has. Its completion for any reason ends the task. */
    CompletableFuture<Void> result() {
        return result;
    }

    /** Ends the task, which was executed. */
    void complete() {
        if (tryEnd()) {
            Runnable next = listener.onEnded(this, null);
            result.complete(null);
            next.run();
        }
    }

    void fail(ParleyException cause) {
        if (tryEnd()) {
            Runnable next = listener.onEnded(this, cause);
            result.completeExceptionally(cause);
            next.run();
        }
    }

    boolean isDone() {
        return ended.get();
    }

    /** Returns the attempts without an outcome. */
    List<TaskAttempt> attempts() {
        return attempts;
    }

    void addAttempt(TaskAttempt attempt) {
        attempts.add(attempt);
        sent = true;
    }

    void removeAttempt(TaskAttempt attempt) {
        attempts.remove(attempt);
        sent = !attempts.isEmpty();
    }

    int executions() {
        return executions;
    }

    void addExecution() {
        int more = executions + 1;
        executions = more;
    }

    /** Returns whether a worker may have begun to execute the task. Thread-safe. */
    boolean mayHaveBeenExecuted() {
        return sent || executions > 0;
    }

    /** Counts an attempt that was not executed. Returns how many there were. */
    int addRedirect() {
        return ++redirects;
    }

    /** Prefers other workers from now on. */
    void avoid(PeerId worker) {
        if (avoided.size() < MAX_AVOIDED) {
            avoided.add(worker);
        }
    }

    boolean avoids(PeerId worker) {
        return avoided.contains(worker);
    }

    /** Makes the task wait before its next attempt, longer each time. */
    void delay(long nowNanos, RandomGenerator random) {
        Backoff delays = backoff;
        if (delays == null) {
            delays = new Backoff(random, FIRST_DELAY, MAX_DELAY);
            backoff = delays;
        }
        dueNanos = nowNanos + delays.nextNanos();
    }

    /** Returns the time of the next attempt of a task that waits. */
    long dueNanos() {
        return dueNanos;
    }
}

package io.parley.pipes.internal.work;

import io.parley.common.internal.Backoff;
import io.parley.id.PeerId;
import io.parley.pipes.internal.request.HolderChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/** One worker from the view of a dispatcher, which uses it for one call at a time. */
final class WorkerState {

    private final HolderChannel holder;
    private final PeerId peer;
    private final Backoff backoff;

    private final AtomicBoolean awaitingWritable = new AtomicBoolean();

    /** The number of tasks that were sent to the worker, and are neither ended nor overdue. */
    private int active;

    private int concurrency = 1;

    /** Whether a task has timed out, and the worker has responded to none since. */
    private boolean stalled;

    private boolean paused;
    private long pausedUntilNanos;

    /** The number of the last task that was sent. */
    private long lastUse;

    WorkerState(HolderChannel holder, RandomGenerator random) {
        this.holder = holder;
        this.peer = holder.peer();
        this.backoff = new Backoff(random);
    }

    HolderChannel holder() {
        return holder;
    }

    PeerId peer() {
        return peer;
    }

    /** Returns whether the worker is connected and responds. */
    boolean isHealthy() {
        return holder.isConnected() && !stalled;
    }

    /** Returns whether the worker may get another task: one at a time unless it is healthy. */
    boolean isFree(int prefetch) {
        return !paused
                && active < (isHealthy() ? concurrency + prefetch : 1)
                && holder.messenger().isWritable();
    }

    /** Returns whether a task goes to this worker rather than to another one, if both are free. */
    boolean isBetterThan(WorkerState other) {
        if (isHealthy() != other.isHealthy()) {
            return isHealthy();
        }
        // relative to the number of tasks that they execute at a time
        long load = (long) active * other.concurrency;
        long otherLoad = (long) other.active * concurrency;
        return load == otherLoad ? lastUse < other.lastUse : load < otherLoad;
    }

    /** Runs the action when the queue of the messenger has room again, unless it has room or that was requested before. */
    void awaitWritable(Runnable action) {
        if (holder.messenger().isWritable() || !awaitingWritable.compareAndSet(false, true)) {
            return;
        }
        holder.messenger().whenWritable().whenComplete((writable, failure) -> {
            if (failure == null) { // otherwise the messenger is closed
                awaitingWritable.set(false);
                action.run();
            }
        });
    }

    void begin(long use) {
        active++;
        lastUse = use;
    }

    /** Called when a task has ended or is overdue. */
    void end() {
        active--;
    }

    void stall() {
        stalled = true;
    }

    /** Called when the worker has responded. */
    void onResponse() {
        stalled = false;
        paused = false;
        backoff.reset();
    }

    void setConcurrency(int value) {
        concurrency = value;
    }

    /** Sends nothing for a while, which is longer each time until the worker responds. */
    void pause(long nowNanos) {
        if (!paused) {
            paused = true;
            pausedUntilNanos = nowNanos + backoff.nextNanos();
        }
    }

    boolean isPaused() {
        return paused;
    }

    long pausedUntilNanos() {
        return pausedUntilNanos;
    }

    /** Ends a pause whose time has come. */
    void resumeIfDue(long nowNanos) {
        if (paused && nowNanos - pausedUntilNanos >= 0) {
            paused = false;
        }
    }
}

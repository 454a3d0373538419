package io.parley.pipes.internal.work;

import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.internal.request.PendingRequest;
import io.parley.pipes.internal.request.RequestAttempt;
import io.parley.pipes.internal.request.RequestRoute;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One request that asks one worker to execute one task. Its outcome is reported to the dispatcher. Thread-safe. */
final class TaskAttempt implements RequestRoute {

    /** How an attempt has ended. */
    enum Outcome {
        /** The worker has executed the task. */
        CONFIRMED,
        /** The task failed at the worker, or the worker has rejected it. */
        FAILED,
        /** The worker has not responded, and its response is not accepted any more. */
        EXPIRED,
        /** The worker was lost, and may have executed the task. */
        LOST,
        /** The task was not executed, because the worker has too many tasks. */
        WORKER_BUSY,
        /** The task was not executed, because the worker is gone. */
        WORKER_GONE,
        /** The task was removed from the queue before it was sent. */
        WITHDRAWN,
        /** No worker can get the task, or this peer is closed. */
        UNSENDABLE
    }

    /** Is notified of attempts, on any thread. Must not block. */
    interface Listener {

        /** Called when an attempt has no response within the timeout. A response is accepted later too. */
        void onOverdue(TaskAttempt attempt);

        /** Called once, when an attempt has ended. */
        void onEnded(TaskAttempt attempt);
    }

    private static final Set<ErrorCode> BUSY = EnumSet.of(ErrorCode.BUSY, ErrorCode.QUEUE_FULL);

    private static final Set<ErrorCode> GONE = EnumSet.of(
            ErrorCode.UNREACHABLE,
            ErrorCode.NO_SUCH_SERVICE,
            ErrorCode.NO_COMMON_CODEC,
            ErrorCode.CLOSED,
            ErrorCode.DISCONNECTED,
            ErrorCode.TIMEOUT,
            ErrorCode.IDENTITY_REFUSED,
            ErrorCode.SECURITY_MISMATCH);

    private static final Set<ErrorCode> UNSENDABLE =
            EnumSet.of(ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.NOT_ENCODABLE, ErrorCode.LOCAL_LIMIT);

    private final QueuedTask task;
    private final WorkerState worker;
    private final Duration lateTimeout;
    private final Listener listener;
    private volatile @Nullable PendingRequest request;
    /** The outcome if the request fails. */
    private volatile @Nullable Outcome reason;

    private volatile @Nullable Outcome outcome;
    private volatile @Nullable ParleyException failure;
    private volatile int concurrency = 1;
    private volatile boolean timedOut;

    /** Set by the dispatcher. */
    private boolean overdue;

    /** @param lateTimeout the time after the timeout for which a response is accepted */
    TaskAttempt(QueuedTask task, WorkerState worker, Duration lateTimeout, Listener listener) {
        this.task = task;
        this.worker = worker;
        this.lateTimeout = lateTimeout;
        this.listener = listener;
    }

    QueuedTask task() {
        return task;
    }

    WorkerState worker() {
        return worker;
    }

    void setRequest(PendingRequest started) {
        request = started;
    }

    /** Returns the outcome. Only for an attempt that has ended. */
    Outcome outcome() {
        Outcome known = outcome;
        if (known == null) {
            throw new IllegalStateException("attempt that has not ended");
        }
        return known;
    }

    /** Returns the reason of an outcome other than {@link Outcome#CONFIRMED}. */
    ParleyException failure() {
        ParleyException known = failure;
        return known == null ? ErrorCode.LOST.exception("task: no outcome") : known;
    }

    /** Returns the concurrency that the worker has stated in its confirmation. */
    int concurrency() {
        return concurrency;
    }

    boolean isEnded() {
        return outcome != null;
    }

    boolean isOverdue() {
        return overdue;
    }

    void setOverdue() {
        overdue = true;
    }

    /** Ends the attempt if it was not sent. Returns false if it was. */
    boolean withdraw() {
        PendingRequest started = request;
        RequestAttempt transmission = started == null ? null : started.attempt();
        if (started == null || transmission == null || !transmission.withdraw()) {
            return false;
        }
        end(started, Outcome.WITHDRAWN, ErrorCode.CLOSED.exception("task: it was not sent"));
        return true;
    }

    /** Ends the attempt, so that its response is ignored. */
    void cancel() {
        PendingRequest started = request;
        if (started != null) {
            end(started, Outcome.UNSENDABLE, ErrorCode.CLOSED.exception("task: its sender is closed"));
        }
    }

    private boolean end(PendingRequest ended, Outcome failureOutcome, ParleyException cause) {
        reason = failureOutcome;
        return ended.fail(cause);
    }

    @Override
    public void onNotExecuted(PendingRequest failed, RequestAttempt transmission, ParleyException cause) {
        end(failed, outcomeOf(cause.code(), true), cause);
    }

    @Override
    public boolean onLost(PendingRequest failed, RequestAttempt transmission, ParleyException cause) {
        return end(failed, Outcome.LOST, cause);
    }

    @Override
    public Duration onTimeout(PendingRequest late) {
        if (timedOut) {
            reason = Outcome.EXPIRED;
            return Duration.ZERO;
        }
        timedOut = true;
        listener.onOverdue(this);
        return lateTimeout;
    }

    @Override
    public void onFinished(PendingRequest finished) {
        finished.result().whenComplete(this::onResult);
    }

    private void onResult(@Nullable PipeMessage confirmation, @Nullable Throwable cause) {
        if (confirmation != null) {
            concurrency = TaskConfirmation.concurrency(confirmation.message());
            outcome = Outcome.CONFIRMED;
            task.complete();
        } else {
            ParleyException failed = Throwables.toParleyException(
                    cause == null ? new IllegalStateException("no response") : cause, ErrorCode.LOST);
            failure = failed;
            Outcome known = reason;
            outcome = known == null ? outcomeOf(failed.code(), false) : known;
        }
        listener.onEnded(this);
    }

    /** @param reported whether the transmission failed, or the worker has refused the task; otherwise the request failed */
    private static Outcome outcomeOf(ErrorCode code, boolean reported) {
        if (BUSY.contains(code)) {
            return Outcome.WORKER_BUSY;
        }
        if (UNSENDABLE.contains(code) || (code == ErrorCode.CLOSED && !reported)) {
            return Outcome.UNSENDABLE;
        }
        return reported && GONE.contains(code) ? Outcome.WORKER_GONE : Outcome.FAILED;
    }

    @Override
    public ParleyException noHolder(Duration timeout) {
        return ErrorCode.TIMEOUT.exception("task: not sent within " + DurationFormatter.format(timeout));
    }
}

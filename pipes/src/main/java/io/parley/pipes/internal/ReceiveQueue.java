package io.parley.pipes.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.SerialExecutor;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The received messages of a pipe, which threads take with {@link #take} and {@link #takeAsync}. The windows of the senders bound it,
 * because credit is returned when a message is taken. A message is added without the lock unless a caller waits; everything else
 * happens with it, but for conversions, releases and code of the application. Thread-safe.
 *
 * @param <T> the form in which callers get a message
 */
public final class ReceiveQueue<T> {

    /** The number of {@link #takeAsync} calls that may wait. */
    static final int MAX_WAITING = 1024;

    private static final RateLimitedLogger log = new RateLimitedLogger(LoggerFactory.getLogger(ReceiveQueue.class));

    private record End<T>(@Nullable T value, @Nullable ParleyException failure) {}

    private final Object owner;
    private final Executor executor;
    private final Scheduler scheduler;
    private final Function<ReceivedMessage, @Nullable T> converter;
    private final Consumer<ReceivedMessage> onDiscarded;
    private final @Nullable SerialExecutor notifications;

    private final Queue<ReceivedMessage> queue = new ConcurrentLinkedQueue<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition available = lock.newCondition();

    /** Whether the next message must wake a thread or complete a call. Written with the lock. */
    private volatile boolean wakeNeeded;

    private volatile boolean discarding;

    // The following fields are guarded by the lock.

    private final Deque<ReceiveCall<T>> calls = new ArrayDeque<>();

    /** The number of threads that take a message. */
    private int threads;

    /** A message that was taken for a call that was cancelled meanwhile. It is the next one. */
    private @Nullable ReceivedMessage returned;

    /**
     * Whether a message is being converted for the first call. Meanwhile nothing else is taken, because the message is the next one
     * again if the call is cancelled.
     */
    private boolean converting;

    /** Whether a task completes the calls, or is about to. */
    private boolean completing;

    /** Whether a timer completes calls because the executor did not run the task. */
    private boolean retrying;

    /** Whether events wait for {@link SerialExecutor#schedule}, which may run code of the application and so follows the lock. */
    private boolean eventsWait;

    private @Nullable End<T> end;

    /**
     * Creates a queue.
     *
     * @param owner     the pipe, for texts
     * @param executor  completes the futures of {@link #takeAsync} that had to wait
     * @param scheduler passes calls again later that the executor does not complete
     * @param converter converts a message when it is taken; returns {@code null} for a message that is dropped
     * @param onDiscarded called with each message that is not taken. Takes ownership of it, and must release it
     * @param notifications runs the events that {@link #addEvent} adds, in order; {@code null} if there are none. It must not throw: a
     *     message that is taken with an event would be lost.
     */
    public ReceiveQueue(
            Object owner,
            Executor executor,
            Scheduler scheduler,
            Function<ReceivedMessage, @Nullable T> converter,
            Consumer<ReceivedMessage> onDiscarded,
            @Nullable SerialExecutor notifications) {
        this.owner = owner;
        this.executor = executor;
        this.scheduler = scheduler;
        this.converter = converter;
        this.onDiscarded = onDiscarded;
        this.notifications = notifications;
    }

    /** Adds a message, or releases it after {@link #discard}. */
    public void add(ReceivedMessage received) {
        queue.add(received);
        if (discarding) {
            releaseAll();
        } else if (wakeNeeded) {
            wake();
        }
    }

    /** Adds an event, which runs after the messages before it are taken. */
    public void addEvent(SenderEvent event) {
        queue.add(event);
        if (discarding) {
            releaseAll();
        } else {
            runEvents();
        }
    }

    /** Ends the queue with a value, which callers get after the last message. Only the first end counts. */
    public void end(T value) {
        end(new End<>(value, null));
    }

    /** Ends the queue with a failure, which callers get after the last message. Only the first end counts. */
    public void fail(ParleyException failure) {
        end(new End<>(null, failure));
    }

    private void end(End<T> reason) {
        lock.lock();
        try {
            if (end == null) {
                end = reason;
            }
        } finally {
            unlock();
        }
        wake();
    }

    /** Releases the messages and those that follow. Callers get the failure. */
    public void discard(ParleyException failure) {
        lock.lock();
        try {
            end = new End<>(null, failure);
        } finally {
            unlock();
        }
        discarding = true;
        releaseAll();
        wake();
    }

    private void releaseAll() {
        List<ReceivedMessage> discarded = new ArrayList<>();
        lock.lock();
        try {
            for (ReceivedMessage next = pollRaw(); next != null; next = pollRaw()) {
                discarded.add(next);
            }
        } finally {
            unlock();
        }
        for (ReceivedMessage next : discarded) {
            onDiscarded.accept(next);
        }
    }

    private void wake() {
        boolean starts;
        lock.lock();
        try {
            wakeNeeded = false;
            available.signal();
            starts = startsCompletion();
        } finally {
            unlock();
        }
        if (starts) {
            executeCompletion();
        }
    }

    private void unlock() {
        boolean schedule = eventsWait;
        eventsWait = false;
        lock.unlock();
        if (schedule && notifications != null) {
            notifications.schedule();
        }
    }

    private @Nullable ReceivedMessage pollRaw() {
        ReceivedMessage first = returned;
        returned = null;
        return first == null ? queue.poll() : first;
    }

    /** Returns the next message, after the events in front of it. */
    private @Nullable ReceivedMessage poll() {
        takeEvents();
        return pollRaw();
    }

    /** Passes the events on that are reached. */
    private void takeEvents() {
        while (notifications != null && !converting && returned == null && queue.peek() instanceof SenderEvent event) {
            queue.remove();
            eventsWait |= notifications.add(() -> {
                event.release(); // not before: events that the executor does not run wait, too
                event.run();
            });
        }
    }

    /** Runs the events that are reached, because no further call may follow. */
    private void runEvents() {
        if (notifications != null) {
            lock.lock();
            try {
                takeEvents();
            } finally {
                unlock();
            }
        }
    }

    private @Nullable T convert(ReceivedMessage next) {
        try {
            return converter.apply(next);
        } finally {
            next.release();
        }
    }

    /**
     * Returns the next message or the value of the end; {@code null} if there was none within the timeout.
     *
     * @throws ParleyException the failure of the end
     */
    @Nullable
    public T take(Duration timeout) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long nanos = TimeUnit.NANOSECONDS.convert(timeout);
        while (true) {
            ReceivedMessage next;
            End<T> reason;
            lock.lock();
            threads++;
            try {
                while (true) {
                    wakeNeeded = true; // before the poll, so that a message that is added after it wakes a thread
                    reason = end; // before the poll, because messages come before the end
                    next = converting ? null : poll();
                    if (next != null || (!converting && (reason != null || nanos <= 0))) {
                        break;
                    }
                    if (eventsWait) {
                        unlock();
                        lock.lock();
                    } else if (nanos > 0) {
                        nanos = available.awaitNanos(nanos);
                    } else {
                        available.await(); // for the end of the conversion
                    }
                }
            } finally {
                threads--;
                wakeNeeded = threads > 0 || !calls.isEmpty();
                if (threads > 0 && (end != null || !isEmpty())) {
                    available.signal();
                }
                unlock();
            }
            if (next == null) {
                return valueOf(reason);
            }
            T value = convert(next);
            if (value != null) {
                runEvents();
                return value;
            }
        }
    }

    private static <T> @Nullable T valueOf(@Nullable End<T> reason) {
        if (reason == null) {
            return null;
        }
        if (reason.failure != null) {
            throw reason.failure;
        }
        return reason.value;
    }

    private boolean isEmpty() {
        return returned == null && queue.isEmpty();
    }

    /**
     * Returns a future of the next message or the end. It is complete if there is one; otherwise it completes on the executor.
     * Cancelling it loses no message.
     *
     * @return a future that fails with the failure of the end, or with {@link ErrorCode#QUEUE_FULL} if {@value #MAX_WAITING} calls wait
     */
    public CompletableFuture<T> takeAsync() {
        ReceiveCall<T> call = new ReceiveCall<>();
        while (!tryTake(call)) {
            // the message was dropped
        }
        return call;
    }

    /** Completes the call, or lets it wait. Returns false if it has taken a message that was dropped. */
    private boolean tryTake(ReceiveCall<T> call) {
        ReceivedMessage next;
        End<T> reason;
        boolean waits;
        boolean starts;
        lock.lock();
        try {
            if (calls.size() >= MAX_WAITING) {
                call.completeExceptionally(ErrorCode.QUEUE_FULL.exception(
                        owner + ": " + MAX_WAITING + " calls wait for a message (expected: < " + MAX_WAITING + ")"));
                return true;
            }
            boolean isNext = calls.isEmpty() && !converting;
            reason = end; // before the poll, because messages come before the end
            next = isNext ? poll() : null;
            waits = next == null && (reason == null || !isNext);
            if (waits) {
                calls.add(call);
            }
            starts = startsCompletion(); // the end, or a message that was added meanwhile
        } finally {
            unlock();
        }
        if (next != null) {
            T value = convert(next);
            boolean completed = value != null && call.complete(value);
            runEvents();
            return completed;
        }
        if (waits) {
            call.whenComplete((value, failure) -> remove(call));
        } else {
            complete(call, reason);
        }
        if (starts) {
            executeCompletion();
        }
        return true;
    }

    /** Forgets a call that the caller has cancelled. */
    private void remove(ReceiveCall<T> call) {
        lock.lock();
        try {
            calls.remove(call);
        } finally {
            unlock();
        }
    }

    /** Returns whether a task must complete calls and none does. The caller must call {@link #executeCompletion} then. */
    private boolean startsCompletion() {
        if (completing || calls.isEmpty()) {
            return false;
        }
        wakeNeeded = true; // before the check, so that a message that is added after it completes a call
        takeEvents();
        completing = end != null || !isEmpty();
        return completing;
    }

    private void executeCompletion() {
        try {
            executor.execute(this::completeCalls);
        } catch (RuntimeException | Error e) {
            if (retries()) {
                log.warn("The callback executor does not complete calls of {}; trying again", owner, e);
            } else if (continues()) {
                completeCalls();
            }
        }
    }

    /** Tries again later. Returns false after the end: the executor may be shut down, and the calls must not wait for it. */
    private boolean retries() {
        boolean starts;
        lock.lock();
        try {
            if (end != null) {
                return false;
            }
            completing = false;
            starts = !retrying;
            retrying = true;
        } finally {
            unlock();
        }
        if (starts) {
            scheduler.schedule(SerialExecutor.RETRY_DELAY, this::retry);
        }
        return true;
    }

    private void retry() {
        lock.lock();
        try {
            retrying = false;
        } finally {
            unlock();
        }
        wake();
    }

    private void endCompletion() {
        lock.lock();
        try {
            completing = false;
        } finally {
            unlock();
        }
    }

    private void completeCalls() {
        boolean ended = false;
        try {
            do {
                while (completeNext()) {
                    // continues with the next call
                }
            } while (continues());
            ended = true;
        } finally {
            if (!ended) { // by an error: the next message continues
                endCompletion();
            }
        }
    }

    /** Ends the completion, unless a message was added after the last poll. */
    private boolean continues() {
        lock.lock();
        try {
            completing = false;
            return startsCompletion();
        } finally {
            unlock();
        }
    }

    private boolean completeNext() {
        ReceiveCall<T> call;
        ReceivedMessage next;
        End<T> reason;
        boolean waits;
        lock.lock();
        try {
            call = calls.peek();
            if (call == null) {
                return false;
            }
            wakeNeeded = true; // before the poll
            reason = end; // before the poll, because messages come before the end
            boolean claimed = call.isClaimed();
            next = claimed ? null : poll();
            converting = next != null;
            waits = next == null && reason == null && !claimed;
            if (next == null && !waits) {
                calls.remove();
            }
        } finally {
            unlock();
        }
        if (next != null) {
            convertFor(call, next);
            return true;
        }
        if (!waits) {
            complete(call, reason);
        }
        return !waits;
    }

    /** Completes the call with the message. The call waits for the next one if the message is dropped. */
    private void convertFor(ReceiveCall<T> call, ReceivedMessage next) {
        T value = null;
        boolean claimed = false;
        boolean isReturned = false;
        try {
            value = converter.apply(next);
            claimed = value != null && call.claim();
            isReturned = value != null && !claimed; // the call was cancelled meanwhile
        } finally {
            lock.lock();
            try {
                if (claimed) {
                    calls.remove(call);
                } else if (isReturned) {
                    returned = next;
                }
                converting = false;
                available.signalAll();
            } finally {
                unlock();
            }
            if (!isReturned) {
                next.release();
            } else if (discarding) {
                releaseAll();
            }
        }
        if (value != null && claimed) {
            call.deliver(value);
        }
        if (!isReturned) {
            runEvents();
        }
    }

    private static <T> void complete(ReceiveCall<T> call, @Nullable End<T> reason) {
        if (reason != null && reason.failure != null) {
            call.completeExceptionally(reason.failure);
        } else if (reason != null && reason.value != null) {
            call.complete(reason.value);
        }
    }
}

package io.parley.pipes;

import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The received messages of a pipe, which threads take with {@link #take} and {@link #takeAsync}. The windows of the senders bound it,
 * because credit is returned when a message is taken. The lock is used only if a caller waits. Thread-safe.
 *
 * @param <T> the form in which callers get a message
 */
final class ReceiveQueue<T> {

    /** The number of {@link #takeAsync} calls that may wait. */
    static final int MAX_WAITING = 1024;

    private record End<T>(@Nullable T value, @Nullable ParleyException failure) {}

    private final Object owner;
    private final Executor executor;
    private final Function<ReceivedMessage, @Nullable T> converter;
    private final Consumer<ReceivedMessage> onDiscarded;
    private final @Nullable Consumption events;

    private final Queue<ReceivedMessage> queue = new ConcurrentLinkedQueue<>();

    /** A message that was taken for a call that was cancelled meanwhile. It is the next one. */
    private final AtomicReference<@Nullable ReceivedMessage> returned = new AtomicReference<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition available = lock.newCondition();
    private final Deque<Call<T>> calls = new ArrayDeque<>();
    private int threads;

    /** Whether the next message must wake a thread or complete a call. Written with the lock. */
    private volatile boolean wakeNeeded;

    /**
     * Whether a message is being converted for the first call. Meanwhile nothing else is taken, because the message is the next one
     * again if the call is cancelled. Written with the lock.
     */
    private volatile boolean converting;

    private final AtomicBoolean completing = new AtomicBoolean();
    private volatile @Nullable End<T> end;
    private volatile boolean discarding;

    /** A call that waits. Whoever claims it first completes it: the queue, or the application, for example with a timeout. */
    private static final class Call<T> extends CompletableFuture<T> {

        private final AtomicBoolean claimed = new AtomicBoolean();

        boolean claim() {
            return claimed.compareAndSet(false, true);
        }

        boolean isClaimed() {
            return claimed.get();
        }

        /** Completes a call that the queue has claimed. */
        boolean deliver(T value) {
            return super.complete(value);
        }

        @Override
        public boolean complete(T value) {
            return claim() && super.complete(value);
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            return claim() && super.completeExceptionally(failure);
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return claim() ? super.cancel(mayInterruptIfRunning) : isCancelled();
        }
    }

    /** Runs the events of senders that are reached in the queue. */
    interface Consumption {

        void run(SenderEvent event);
    }

    /**
     * Creates a queue.
     *
     * @param owner     the pipe, for texts
     * @param executor  completes the futures of {@link #takeAsync} that had to wait
     * @param converter converts a message when it is taken; returns {@code null} for a message that is dropped
     * @param onDiscarded called with each message that is released without being taken, before its release
     * @param events    gets the events that {@link #addEvent} adds, in order; {@code null} if there are none
     */
    ReceiveQueue(
            Object owner,
            Executor executor,
            Function<ReceivedMessage, @Nullable T> converter,
            Consumer<ReceivedMessage> onDiscarded,
            @Nullable Consumption events) {
        this.owner = owner;
        this.executor = executor;
        this.converter = converter;
        this.onDiscarded = onDiscarded;
        this.events = events;
    }

    /** Adds a message, or releases it after {@link #discard}. */
    void add(ReceivedMessage received) {
        queue.add(received);
        if (discarding) {
            releaseAll();
        } else if (wakeNeeded) {
            wake();
        }
    }

    /** Adds an event, which runs after the messages before it are taken. */
    void addEvent(SenderEvent event) {
        queue.add(event);
        if (discarding) {
            releaseAll();
            return;
        }
        runEventsBehind();
    }

    /** Ends the queue with a value, which callers get after the last message. Only the first end counts. */
    void end(T value) {
        end(new End<>(value, null));
    }

    /** Ends the queue with a failure, which callers get after the last message. Only the first end counts. */
    void fail(ParleyException failure) {
        end(new End<>(null, failure));
    }

    private void end(End<T> reason) {
        lock.lock();
        try {
            if (end == null) {
                end = reason;
            }
        } finally {
            lock.unlock();
        }
        wake();
    }

    /** Releases the messages and those that follow. Callers get the failure. */
    void discard(ParleyException failure) {
        lock.lock();
        try {
            end = new End<>(null, failure);
        } finally {
            lock.unlock();
        }
        discarding = true;
        releaseAll();
        wake();
    }

    private void releaseAll() {
        for (ReceivedMessage next = pollRaw(); next != null; next = pollRaw()) {
            onDiscarded.accept(next);
            next.release();
        }
    }

    private void wake() {
        boolean complete;
        lock.lock();
        try {
            wakeNeeded = false;
            available.signal();
            complete = !calls.isEmpty();
        } finally {
            lock.unlock();
        }
        if (complete) {
            scheduleCompletion();
        }
    }

    private @Nullable ReceivedMessage pollRaw() {
        ReceivedMessage first = returned.get() == null ? null : returned.getAndSet(null);
        return first == null ? queue.poll() : first;
    }

    /** Returns the next message. Runs the events in front of it. */
    private @Nullable ReceivedMessage poll() {
        if (events == null) {
            return pollRaw();
        }
        synchronized (returned) { // so that events stay in order
            runEvents();
            return pollRaw();
        }
    }

    private void runEvents() {
        while (returned.get() == null && events != null && queue.peek() instanceof SenderEvent event) {
            queue.remove();
            event.release();
            events.run(event);
        }
    }

    /** Runs the events behind a message that a caller has got, because no further call may follow. */
    private void runEventsBehind() {
        if (events != null) {
            synchronized (returned) {
                if (!converting) {
                    runEvents();
                }
            }
        }
    }

    private @Nullable T convert(ReceivedMessage next) {
        T value = converter.apply(next);
        next.release();
        return value;
    }

    /**
     * Returns the next message or the value of the end; {@code null} if there was none within the timeout.
     *
     * @throws ParleyException the failure of the end
     */
    @Nullable
    T take(Duration timeout) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        RemainingTime remaining = new RemainingTime(TimeUnit.NANOSECONDS.convert(timeout));
        ReceivedMessage next = converting ? null : poll();
        if (next == null) {
            next = await(remaining);
        }
        while (next != null) {
            T value = convert(next);
            if (value != null) {
                runEventsBehind();
                return value;
            }
            next = await(remaining); // that one was dropped
        }
        End<T> reason = end;
        if (reason != null && reason.failure != null) {
            throw reason.failure;
        }
        return reason == null ? null : reason.value;
    }

    /** The rest of a timeout. */
    private static final class RemainingTime {

        private long nanos;

        RemainingTime(long nanos) {
            this.nanos = nanos;
        }
    }

    private @Nullable ReceivedMessage await(RemainingTime remaining) throws InterruptedException {
        lock.lock();
        threads++;
        try {
            while (true) {
                boolean ended = end != null; // before the poll, because messages come before the end
                wakeNeeded = true; // before the poll, so that a message that is added after it wakes a thread
                ReceivedMessage next = converting ? null : poll();
                if (next != null) {
                    return next;
                }
                if (!converting && (ended || remaining.nanos <= 0)) {
                    return null;
                }
                if (remaining.nanos > 0) {
                    remaining.nanos = available.awaitNanos(remaining.nanos);
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
            lock.unlock();
        }
    }

    private boolean isEmpty() {
        return returned.get() == null && queue.isEmpty();
    }

    /**
     * Returns a future of the next message or the end. It is complete if there is one; otherwise it completes on the executor.
     * Cancelling it loses no message.
     *
     * @return a future that fails with the failure of the end, or with {@link ErrorCode#QUEUE_FULL} if {@value #MAX_WAITING} calls wait
     */
    CompletableFuture<T> takeAsync() {
        Call<T> call = new Call<>();
        while (!tryTake(call)) {
            // the message was dropped
        }
        return call;
    }

    /** Completes the call, or lets it wait. Returns false if it has taken a message that was dropped. */
    private boolean tryTake(Call<T> call) {
        ReceivedMessage next = null;
        End<T> reason;
        boolean waits;
        lock.lock();
        try {
            if (calls.size() >= MAX_WAITING) {
                call.completeExceptionally(ErrorCode.QUEUE_FULL.exception(
                        owner + ": " + MAX_WAITING + " calls wait for a message (expected: < " + MAX_WAITING + ")"));
                return true;
            }
            wakeNeeded = true; // before the poll
            reason = end; // before the poll, because messages come before the end
            boolean isNext = calls.isEmpty() && !converting;
            if (isNext) {
                next = poll();
            }
            waits = next == null && (reason == null || !isNext);
            if (waits) {
                calls.add(call);
            }
            wakeNeeded = threads > 0 || !calls.isEmpty();
        } finally {
            lock.unlock();
        }
        if (next != null) {
            T value = convert(next);
            boolean completed = value != null && call.complete(value);
            runEventsBehind();
            return completed;
        } else if (waits) {
            call.whenComplete((value, failure) -> remove(call));
            if (hasWork()) {
                scheduleCompletion(); // the end, or a message that was added meanwhile
            }
        } else {
            complete(call, reason);
        }
        return true;
    }

    /** Forgets a call that the caller has cancelled. */
    private void remove(Call<T> call) {
        lock.lock();
        try {
            calls.remove(call);
        } finally {
            lock.unlock();
        }
    }

    private void scheduleCompletion() {
        if (!completing.compareAndSet(false, true)) {
            return;
        }
        try {
            executor.execute(this::completeCalls);
        } catch (RejectedExecutionException e) {
            completing.set(false);
            List<Call<T>> failed;
            lock.lock();
            try {
                failed = List.copyOf(calls);
                calls.clear();
            } finally {
                lock.unlock();
            }
            failed.forEach(call -> call.completeExceptionally(
                    ErrorCode.CLOSED.exception(owner + ": the callback executor is shut down", e)));
        }
    }

    private void completeCalls() {
        do {
            while (completeNext()) {
                // continues with the next call
            }
            completing.set(false);
        } while (hasWork() && completing.compareAndSet(false, true)); // a message was added after the last poll
    }

    private boolean completeNext() {
        Call<T> call;
        ReceivedMessage next = null;
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
            converting = true; // before the check of the claim: who cancels the call later takes nothing before the
            // conversion ends
            if (!call.isClaimed()) {
                next = poll();
            }
            converting = next != null;
            waits = next == null && reason == null && !call.isClaimed();
            if (next == null && !waits) {
                calls.remove();
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            convertFor(call, next);
            return true;
        }
        runEventsBehind(); // those that were added during the poll
        if (!waits) {
            complete(call, reason);
        }
        return !waits;
    }

    /** Completes the call with the message. The call waits for the next one if the message is dropped. */
    private void convertFor(Call<T> call, ReceivedMessage next) {
        T value = converter.apply(next);
        boolean claimed = value != null && call.claim();
        lock.lock();
        try {
            if (claimed) {
                calls.remove(call);
            } else if (value != null) {
                returned.set(next); // the call was cancelled meanwhile
            }
            converting = false;
            available.signalAll();
        } finally {
            lock.unlock();
        }
        if (value != null && claimed) {
            call.deliver(value);
        }
        if (claimed || value == null) {
            next.release();
            runEventsBehind();
        } else if (discarding) {
            releaseAll();
        }
    }

    private static <T> void complete(Call<T> call, @Nullable End<T> reason) {
        if (reason != null && reason.failure != null) {
            call.completeExceptionally(reason.failure);
        } else if (reason != null && reason.value != null) {
            call.complete(reason.value);
        }
    }

    private boolean hasWork() {
        lock.lock();
        try {
            return !calls.isEmpty() && (end != null || !isEmpty());
        } finally {
            lock.unlock();
        }
    }
}

package io.parley.pipes;

import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An input pipe that is read with {@link #receive}. The windows of the senders bound its queue, because credit is returned when
 * a message is received. The lock is used only if a thread waits. Thread-safe.
 */
final class QueuedInputPipe extends AbstractInputPipe {

    private final Queue<ReceivedMessage> queue = new ConcurrentLinkedQueue<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition available = lock.newCondition();
    private int waiting;

    /** Whether the next message must wake a thread. Written with the lock. */
    private volatile boolean wakeNeeded;

    private volatile boolean ended;

    private final Function<ReceivedMessage, PipeMessage> reader;

    QueuedInputPipe(PipeTicket ticket, Duration closeTimeout, Function<ReceivedMessage, PipeMessage> reader) {
        super(ticket, closeTimeout);
        this.reader = reader;
    }

    @Override
    public void accept(ReceivedMessage received) {
        queue.add(received);
        if (wakeNeeded) {
            wake();
        }
    }

    private void wake() {
        lock.lock();
        try {
            wakeNeeded = false;
            available.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<PipeMessage> receive(Duration timeout) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        ReceivedMessage next = queue.poll();
        if (next == null) {
            next = await(TimeUnit.NANOSECONDS.convert(timeout));
        }
        if (next != null) {
            next.release();
            return Optional.of(reader.apply(next));
        }
        if (ended) {
            throw ErrorCode.CLOSED.exception(this + ": closed");
        }
        return Optional.empty();
    }

    private @Nullable ReceivedMessage await(long timeoutNanos) throws InterruptedException {
        long remaining = timeoutNanos;
        lock.lock();
        waiting++;
        try {
            while (true) {
                wakeNeeded = true; // before the poll, so that a message that is added after it wakes a thread
                ReceivedMessage next = queue.poll();
                if (next != null || ended || remaining <= 0) {
                    return next;
                }
                remaining = available.awaitNanos(remaining);
            }
        } finally {
            waiting--;
            wakeNeeded = waiting > 0;
            if (wakeNeeded && (ended || !queue.isEmpty())) {
                available.signal();
            }
            lock.unlock();
        }
    }

    @Override
    void discard() {
        ended = true;
        for (ReceivedMessage next = queue.poll(); next != null; next = queue.poll()) {
            ResponseTarget.discard(reader, next);
            next.release();
        }
        wake();
    }
}

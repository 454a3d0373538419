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

    QueuedInputPipe(PipeTicket ticket, Duration closeTimeout) {
        super(ticket, closeTimeout);
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
        Remaining remaining = new Remaining(TimeUnit.NANOSECONDS.convert(timeout));
        ReceivedMessage next = queue.poll();
        if (next == null) {
            next = await(remaining);
        }
        while (next != null) {
            PipeMessage message = decode(next);
            next.release();
            if (message != null) {
                return Optional.of(message);
            }
            next = await(remaining); // that one was dropped
        }
        if (ended) {
            throw ErrorCode.CLOSED.exception(this + ": closed");
        }
        return Optional.empty();
    }

    /** The rest of a timeout. */
    private static final class Remaining {

        private long nanos;

        Remaining(long nanos) {
            this.nanos = nanos;
        }
    }

    private @Nullable ReceivedMessage await(Remaining remaining) throws InterruptedException {
        lock.lock();
        waiting++;
        try {
            while (true) {
                wakeNeeded = true; // before the poll, so that a message that is added after it wakes a thread
                ReceivedMessage next = queue.poll();
                if (next != null || ended || remaining.nanos <= 0) {
                    return next;
                }
                remaining.nanos = available.awaitNanos(remaining.nanos);
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
            next.release();
        }
        wake();
    }
}

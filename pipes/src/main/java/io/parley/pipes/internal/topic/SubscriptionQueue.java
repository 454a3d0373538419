package io.parley.pipes.internal.topic;

import io.parley.common.Scheduler;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.pipes.SubscriptionOptions;
import io.parley.pipes.SubscriptionOptions.Overflow;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The received messages of a subscription. Drops messages as its options state, and returns their credit to the publishers. With
 * {@link Overflow#BLOCK} the windows of the publishers bound it. Thread-safe.
 */
final class SubscriptionQueue {

    private record Entry(ReceivedMessage message, long arrivedNanos) {}

    private final Scheduler scheduler;
    private final int maxMessages;

    /** 0 for no limit. */
    private final long timeToLiveNanos;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition available = lock.newCondition();
    private final Deque<Entry> entries = new ArrayDeque<>();
    private int waiting;
    private boolean closed;

    /** The number of messages, so that a look at an empty queue needs no lock. Written with the lock. */
    private volatile int size;

    /** Written with the lock. */
    private volatile long dropped;

    SubscriptionQueue(SubscriptionOptions options, Scheduler scheduler) {
        this.scheduler = scheduler;
        this.maxMessages = options.overflow() == Overflow.BLOCK ? Integer.MAX_VALUE : options.maxMessages();
        this.timeToLiveNanos = options.timeToLive().equals(EndpointLimits.MAX_TIMEOUT)
                ? 0
                : options.timeToLive().toNanos();
    }

    /** Returns the number of messages that this queue has dropped. */
    long dropped() {
        return dropped;
    }

    /** Adds a message, or releases it if the queue is closed. */
    void add(ReceivedMessage message) {
        ReceivedMessage released = null;
        lock.lock();
        try {
            if (closed) {
                released = message;
            } else {
                if (entries.size() >= maxMessages) {
                    released = entries.remove().message();
                    countDropped();
                }
                entries.add(new Entry(message, timeToLiveNanos == 0 ? 0 : scheduler.nanoTime()));
                size = entries.size();
                if (waiting > 0) {
                    available.signal();
                }
            }
        } finally {
            lock.unlock();
        }
        if (released != null) {
            released.release();
        }
    }

    /** The caller must hold the lock. */
    private void countDropped() {
        long sum = dropped + 1;
        dropped = sum;
    }

    /** Removes the next message that is not too old, or returns null if there is none. The caller must release it. */
    @Nullable
    ReceivedMessage poll() {
        if (size == 0) {
            return null;
        }
        lock.lock();
        try {
            return removeNext();
        } finally {
            lock.unlock();
        }
    }

    /** The caller must hold the lock. */
    private @Nullable ReceivedMessage removeNext() {
        Entry next = entries.poll();
        while (next != null && isExpired(next)) {
            countDropped();
            next.message().release();
            next = entries.poll();
        }
        size = entries.size();
        return next == null ? null : next.message();
    }

    private boolean isExpired(Entry entry) {
        return timeToLiveNanos > 0 && scheduler.nanoTime() - entry.arrivedNanos() >= timeToLiveNanos;
    }

    /** Removes the next message. Waits until there is one, at most {@code timeoutNanos}, or the queue is closed. */
    @Nullable
    ReceivedMessage await(long timeoutNanos) throws InterruptedException {
        long remaining = timeoutNanos;
        lock.lockInterruptibly();
        waiting++;
        try {
            while (true) {
                ReceivedMessage next = removeNext();
                if (next != null || closed || remaining <= 0) {
                    return next;
                }
                remaining = available.awaitNanos(remaining);
            }
        } finally {
            waiting--;
            if (waiting > 0 && !entries.isEmpty()) {
                available.signal(); // this thread may have got the signal and been interrupted
            }
            lock.unlock();
        }
    }

    /** Drops all messages, because they cannot be delivered. */
    void drop() {
        Deque<Entry> released;
        lock.lock();
        try {
            released = removeAll();
            long sum = dropped + released.size();
            dropped = sum;
        } finally {
            lock.unlock();
        }
        released.forEach(entry -> entry.message().release());
    }

    /** The caller must hold the lock. */
    private Deque<Entry> removeAll() {
        Deque<Entry> all = new ArrayDeque<>(entries);
        entries.clear();
        size = 0;
        return all;
    }

    boolean isEmpty() {
        return size == 0;
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Releases all messages, and those that are added later. */
    void close() {
        Deque<Entry> released;
        lock.lock();
        try {
            closed = true;
            released = removeAll();
            available.signalAll();
        } finally {
            lock.unlock();
        }
        released.forEach(entry -> entry.message().release());
    }
}

package io.parley.endpoint.internal.messenger;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The callers that wait for room in the queue of one messenger: threads, and futures. They continue when half of the queue is sent, not
 * at each message, which would wake them too often. Except for {@link #completeIfWritable}, which is thread-safe, the methods must be
 * called with the lock of the messenger.
 */
final class RoomWaiters {

    private final OutboundQueue queue;

    /** The lock of the messenger. */
    private final ReentrantLock lock;

    private final Condition room;
    private final PendingFutures futures = new PendingFutures();

    /** Written with the lock. */
    private volatile boolean hasFutures;

    RoomWaiters(OutboundQueue queue, ReentrantLock lock) {
        this.queue = queue;
        this.lock = lock;
        this.room = lock.newCondition();
    }

    /** Returns the condition for which threads wait in a loop, until there is room or the messenger is closing. */
    Condition room() {
        return room;
    }

    /** Wakes the threads, which check whether there is room. */
    void wakeThreads() {
        room.signalAll();
    }

    void wakeThreadsIfWritable() {
        if (queue.isHalfEmpty()) {
            room.signalAll();
        }
    }

    void add(CompletableFuture<Void> future) {
        futures.add(future);
        hasFutures = true;
    }

    /** Completes the futures if there is room. Must be called without the lock, because the callbacks may do anything. */
    void completeIfWritable() {
        if (!hasFutures) {
            return;
        }
        List<CompletableFuture<Void>> writable;
        lock.lock();
        try {
            writable = removeIfWritable();
        } finally {
            lock.unlock();
        }
        writable.forEach(future -> future.complete(null));
    }

    /** Removes and returns the futures if there is room. */
    List<CompletableFuture<Void>> removeIfWritable() {
        return hasFutures && queue.isHalfEmpty() ? removeAll() : List.of();
    }

    /** Removes and returns the futures. */
    List<CompletableFuture<Void>> removeAll() {
        hasFutures = false;
        return futures.removeAll();
    }
}

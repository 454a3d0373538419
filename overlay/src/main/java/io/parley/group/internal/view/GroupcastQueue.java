package io.parley.group.internal.view;

import io.parley.error.ParleyException;
import io.parley.rendezvous.internal.SignedGroupMessage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The messages of this peer to all members that wait for the executor of the view. Thread-safe. */
final class GroupcastQueue {

    /** A message counts at least {@link GroupcastListeners#MIN_CHARGE}. The last one may exceed the limit. */
    static final int MAX_BYTES = 4 << 20;

    private final Executor serial;
    private final Consumer<SignedGroupMessage> sender;
    private final AtomicLong bytes = new AtomicLong();
    private CompletableFuture<Void> room = CompletableFuture.completedFuture(null);

    /** @param sender is called on the executor, in the order of the messages */
    GroupcastQueue(Executor serial, Consumer<SignedGroupMessage> sender) {
        this.serial = serial;
        this.sender = sender;
    }

    boolean isFull() {
        return bytes.get() >= MAX_BYTES;
    }

    void add(SignedGroupMessage message) {
        int charge = Math.max(message.bytes().length, GroupcastListeners.MIN_CHARGE);
        bytes.addAndGet(charge);
        try {
            serial.execute(() -> {
                release(charge);
                sender.accept(message);
            });
        } catch (RuntimeException | Error e) { // an error too: such as a thread that cannot be created
            release(charge);
            throw e;
        }
    }

    private void release(int charge) {
        if (bytes.addAndGet(-charge) < MAX_BYTES / 2) { // not at each message, which would wake the waiters too often
            CompletableFuture<Void> waiting;
            synchronized (this) {
                waiting = room;
            }
            waiting.complete(null);
        }
    }

    /** Returns a future that completes when the queue is not full: at once, or on the executor when half of it is sent. */
    synchronized CompletableFuture<Void> whenRoom() {
        if (room.isDone() && !room.isCompletedExceptionally() && isFull()) {
            room = new CompletableFuture<>();
        }
        return room.copy();
    }

    /** Fails the futures of {@link #whenRoom}, also later ones. */
    void close(ParleyException reason) {
        CompletableFuture<Void> waiting;
        synchronized (this) {
            waiting = room;
            room = CompletableFuture.failedFuture(reason);
        }
        waiting.completeExceptionally(reason);
    }
}

package io.parley.pipes;

import io.parley.message.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * The messages of a pipe that were not passed to a messenger yet, in the order of the calls, and the callers that wait for room.
 * Messages that a holder returned come before those that no holder was given. The caller must hold the lock of the pipe.
 */
final class PendingMessages {

    /**
     * A message and the future of its sender.
     *
     * @param order the position in the order of the calls; the failures of a messenger may arrive in another order
     */
    record PendingMessage(long order, Message message, CompletableFuture<Void> sent) {
        private long size() {
            return OVERHEAD_BYTES + message.payloadBytes();
        }
    }

    private static final int OVERHEAD_BYTES = 256;

    private final long capacity;
    private final Queue<PendingMessage> returned = new PriorityQueue<>(Comparator.comparingLong(PendingMessage::order));
    private final Deque<PendingMessage> fresh = new ArrayDeque<>();
    private final List<CompletableFuture<Void>> roomWaiters = new ArrayList<>();
    private long bytes;

    /** @param capacity in bytes; a queue that has reached it accepts no more messages */
    PendingMessages(long capacity) {
        this.capacity = capacity;
    }

    boolean isEmpty() {
        return returned.isEmpty() && fresh.isEmpty();
    }

    boolean hasRoom() {
        return bytes < capacity;
    }

    /** Adds a message that no holder was given, behind all others. */
    void add(PendingMessage message) {
        fresh.add(message);
        bytes += message.size();
    }

    /** Adds a message that a holder did not send. */
    void restore(PendingMessage message) {
        returned.add(message);
        bytes += message.size();
    }

    /** Removes the first message. The queue must not be empty. */
    PendingMessage remove() {
        PendingMessage first = returned.isEmpty() ? fresh.remove() : returned.remove();
        bytes -= first.size();
        return first;
    }

    /** Removes the message with that future. Returns whether it was queued. */
    boolean remove(CompletableFuture<Void> sent) {
        return removeFrom(fresh, sent) || removeFrom(returned, sent);
    }

    private boolean removeFrom(Queue<PendingMessage> queue, CompletableFuture<Void> sent) {
        return queue.removeIf(message -> {
            boolean removed = message.sent() == sent;
            bytes -= removed ? message.size() : 0;
            return removed;
        });
    }

    /** Removes all messages. */
    List<PendingMessage> removeAll() {
        List<PendingMessage> all = new ArrayList<>();
        while (!isEmpty()) {
            all.add(remove());
        }
        return all;
    }

    /** Returns a future that is complete if there is room. Otherwise a caller of {@link #removeRoomWaiters} must complete it. */
    CompletableFuture<Void> whenRoom() {
        CompletableFuture<Void> result = new CompletableFuture<>();
        if (hasRoom()) {
            result.complete(null);
        } else {
            roomWaiters.add(result);
        }
        return result;
    }

    /** Removes the futures of the callers that wait for room. They must be completed without the lock. */
    List<CompletableFuture<Void>> removeRoomWaiters() {
        List<CompletableFuture<Void>> waiters = List.copyOf(roomWaiters);
        roomWaiters.clear();
        return waiters;
    }

    @Override
    public String toString() {
        return bytes + " bytes are queued (expected: < " + capacity + ", the limit queueBytes)";
    }
}

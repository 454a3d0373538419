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
 * What a pipe has not handed to the network yet, in the order in which it was sent, and those who wait for room among it. What
 * a holder gives back comes before what waits for its first. Guarded by the lock of the pipe.
 */
final class PendingMessages {

    /**
     * A message and the future that its sender has.
     *
     * @param order by which it was sent; a messenger's failures may be heard in another one
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
    private final List<CompletableFuture<Void>> waitingForRoom = new ArrayList<>();
    private long bytes;

    /** @param capacity bytes that may wait before there is no room for more */
    PendingMessages(long capacity) {
        this.capacity = capacity;
    }

    boolean isEmpty() {
        return returned.isEmpty() && fresh.isEmpty();
    }

    boolean hasRoom() {
        return bytes < capacity;
    }

    /** One that nobody has been given yet, the last of all. */
    void add(PendingMessage message) {
        fresh.add(message);
        bytes += message.size();
    }

    /** One that a holder has not taken after all. */
    void giveBack(PendingMessage message) {
        returned.add(message);
        bytes += message.size();
    }

    /** Removes the first, which has to be there. */
    PendingMessage remove() {
        PendingMessage first = returned.isEmpty() ? fresh.remove() : returned.remove();
        bytes -= first.size();
        return first;
    }

    /** Removes all. */
    List<PendingMessage> removeAll() {
        List<PendingMessage> all = new ArrayList<>();
        while (!isEmpty()) {
            all.add(remove());
        }
        return all;
    }

    /** Completes, by whoever has taken it with {@link #takeWaitingForRoom}, when there is room. */
    CompletableFuture<Void> whenRoom() {
        CompletableFuture<Void> result = new CompletableFuture<>();
        if (hasRoom()) {
            result.complete(null);
        } else {
            waitingForRoom.add(result);
        }
        return result;
    }

    /** Those who wait for room, to be told without the lock. */
    List<CompletableFuture<Void>> takeWaitingForRoom() {
        List<CompletableFuture<Void>> taken = List.copyOf(waitingForRoom);
        waitingForRoom.clear();
        return taken;
    }

    @Override
    public String toString() {
        return bytes + " bytes wait for a holder (queueBytes: " + capacity + ")";
    }
}

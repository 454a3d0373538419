package io.parley.pipes.internal.request;

import io.parley.endpoint.Messenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The responses to one inbox of one requester. Responses that do not fit into the queue of the messenger wait, because their requests
 * have been executed: a bounded number of them, so that a requester that does not read makes this peer keep little. Thread-safe.
 */
public final class ResponseChannel {

    /** The maximum number of responses that wait for room in the queue of the messenger. */
    static final int MAX_WAITING = 64;

    private record WaitingResponse(Message message, CompletableFuture<Void> sent) {}

    private final Messenger messenger;
    private final String host;
    private final Queue<WaitingResponse> waiting = new ArrayDeque<>();

    /** Written with the lock. */
    private volatile boolean hasWaiting;

    /** Completes when no response waits any more; {@code null} if no caller waits for that. Guarded by the lock. */
    private @Nullable CompletableFuture<Void> drained;

    /** @param host the host whose share of the channels this one is */
    ResponseChannel(Messenger messenger, String host) {
        this.messenger = messenger;
        this.host = host;
    }

    String host() {
        return host;
    }

    /** Returns whether a response can be sent now without waiting. */
    public boolean isWritable() {
        return !hasWaiting && (messenger.isWritable() || messenger.isClosing());
    }

    /** Returns a future that completes, also with a failure, when the state of {@link #isWritable} may have changed. */
    public CompletableFuture<Void> whenWritable() {
        synchronized (waiting) {
            if (hasWaiting) { // though the messenger may have room, which those that wait get
                if (drained == null) {
                    drained = new CompletableFuture<>();
                }
                return drained.copy();
            }
        }
        return messenger.whenWritable();
    }

    CompletableFuture<Void> send(Message response) {
        if (!hasWaiting) {
            CompletableFuture<Void> sent = messenger.send(response);
            if (!isQueueFull(sent)) {
                return sent;
            }
        }
        return enqueue(response);
    }

    private CompletableFuture<Void> enqueue(Message response) {
        WaitingResponse added = new WaitingResponse(response, new CompletableFuture<>());
        boolean isFirst;
        synchronized (waiting) {
            if (waiting.size() >= MAX_WAITING) {
                return CompletableFuture.failedFuture(
                        ErrorCode.QUEUE_FULL.exception(messenger + ": responses: " + (waiting.size() + 1)
                                + " wait (expected: <= " + MAX_WAITING + "); the requester does not read them"));
            }
            isFirst = waiting.isEmpty();
            waiting.add(added);
            hasWaiting = true;
        }
        if (isFirst) {
            sendLater();
        }
        return added.sent();
    }

    private void sendLater() {
        messenger.whenWritable().whenComplete((writable, failure) -> {
            if (failure == null) {
                sendWaiting();
            } else {
                failWaiting(failure);
            }
        });
    }

    /** Only one thread is here at a time: the one that has added the first response, then the one that has room. */
    private void sendWaiting() {
        for (WaitingResponse next = peek(); next != null; next = peek()) {
            CompletableFuture<Void> sent = messenger.send(next.message());
            if (isQueueFull(sent)) {
                sendLater();
                return;
            }
            CompletableFuture<Void> result = next.sent();
            sent.whenComplete((done, failure) -> {
                if (failure == null) {
                    result.complete(null);
                } else {
                    result.completeExceptionally(failure);
                }
            });
            if (removeFirst()) {
                return; // the next response that waits starts again
            }
        }
    }

    private @Nullable WaitingResponse peek() {
        synchronized (waiting) {
            return waiting.peek();
        }
    }

    /** Returns whether that was the last one. */
    private boolean removeFirst() {
        CompletableFuture<Void> empty;
        synchronized (waiting) {
            waiting.poll();
            hasWaiting = !waiting.isEmpty();
            if (hasWaiting) {
                return false;
            }
            empty = takeDrained();
        }
        if (empty != null) {
            empty.complete(null);
        }
        return true;
    }

    /** The caller must hold the lock. */
    private @Nullable CompletableFuture<Void> takeDrained() {
        CompletableFuture<Void> taken = drained;
        drained = null;
        return taken;
    }

    private void failWaiting(Throwable failure) {
        List<WaitingResponse> failed;
        CompletableFuture<Void> empty;
        synchronized (waiting) {
            failed = new ArrayList<>(waiting);
            waiting.clear();
            hasWaiting = false;
            empty = takeDrained();
        }
        failed.forEach(response -> response.sent().completeExceptionally(failure));
        if (empty != null) {
            empty.completeExceptionally(failure);
        }
    }

    private static boolean isQueueFull(CompletableFuture<Void> sent) {
        return sent.isCompletedExceptionally()
                && sent.handle((done, failure) -> ParleyException.unwrap(failure))
                                .join()
                        instanceof ParleyException known
                && known.code() == ErrorCode.QUEUE_FULL;
    }

    boolean isClosing() {
        return messenger.isClosing();
    }

    CompletableFuture<Void> closeAsync() {
        return messenger.closeAsync();
    }

    void abort() {
        messenger.abort();
    }
}

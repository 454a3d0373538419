package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A query to one peer without a response yet. Thread-safe. */
final class PendingQuery {

    private final PeerId peer;
    private final String name;
    private final CompletableFuture<Message> response;
    private final Scheduler.Timer timer;
    private @Nullable CompletableFuture<Void> sending;
    private boolean disconnectedBeforeSend;

    PendingQuery(PeerId peer, String name, CompletableFuture<Message> response, Scheduler.Timer timer) {
        this.peer = peer;
        this.name = name;
        this.response = response;
        this.timer = timer;
    }

    PeerId peer() {
        return peer;
    }

    CompletableFuture<Message> response() {
        return response;
    }

    void cancelTimer() {
        timer.cancel();
    }

    /** Records the send operation, whose future completes when the remote endpoint has the message. */
    void onSending(CompletableFuture<Void> sent) {
        sent.whenComplete((done, failure) -> {
            if (failure != null) {
                response.completeExceptionally(Throwables.unwrap(failure));
            }
        });
        boolean lost;
        synchronized (this) {
            sending = sent;
            lost = disconnectedBeforeSend && sent.isDone();
        }
        if (lost) {
            failDisconnected();
        }
    }

    /** Fails the query if the peer has received it, because its process may have ended. Otherwise it is sent on the next connection. */
    void onDisconnected() {
        boolean lost;
        synchronized (this) {
            disconnectedBeforeSend |= sending == null;
            lost = sending != null && sending.isDone();
        }
        if (lost) {
            failDisconnected();
        }
    }

    private void failDisconnected() {
        response.completeExceptionally(ErrorCode.UNREACHABLE.exception(this + ": connection lost before the response"));
    }

    @Override
    public String toString() {
        return "query " + name + " to peer " + peer;
    }
}

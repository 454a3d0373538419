package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A question to one peer that waits for its answer. Thread-safe. */
final class PendingQuery {

    private final PeerId peer;
    private final String name;
    private final CompletableFuture<Message> answer;
    private final Scheduler.Timer timer;
    private @Nullable CompletableFuture<Void> sending;
    private boolean lostBefore;

    PendingQuery(PeerId peer, String name, CompletableFuture<Message> answer, Scheduler.Timer timer) {
        this.peer = peer;
        this.name = name;
        this.answer = answer;
        this.timer = timer;
    }

    PeerId peer() {
        return peer;
    }

    CompletableFuture<Message> answer() {
        return answer;
    }

    void cancelTimer() {
        timer.cancel();
    }

    /** It is on its way; the future is done when a connection has taken it. */
    void onSending(CompletableFuture<Void> taken) {
        taken.whenComplete((done, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(Throwables.unwrap(failure));
            }
        });
        boolean lost;
        synchronized (this) {
            sending = taken;
            lost = lostBefore && taken.isDone();
        }
        if (lost) {
            failAsLost();
        }
    }

    /** The connection to the peer is lost. What it had not taken yet goes over the next one. */
    void onDisconnected() {
        boolean lost;
        synchronized (this) {
            lostBefore |= sending == null;
            lost = sending != null && sending.isDone();
        }
        if (lost) {
            failAsLost();
        }
    }

    private void failAsLost() {
        answer.completeExceptionally(
                ErrorCode.UNREACHABLE.exception(this + ": the connection was lost before it had answered"));
    }

    @Override
    public String toString() {
        return "peer " + peer + " asked about " + name;
    }
}

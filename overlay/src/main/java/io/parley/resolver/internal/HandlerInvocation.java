package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** One question in the hands of its handler. */
final class HandlerInvocation {

    private final Query query;
    private final QueryHandler handler;
    private final CompletableFuture<Optional<Message>> outcome = new CompletableFuture<>();
    private final CompletableFuture<Void> returned = new CompletableFuture<>();

    HandlerInvocation(Query query, QueryHandler handler) {
        this.query = query;
        this.handler = handler;
    }

    /** The answer, or why there is none. */
    CompletableFuture<Optional<Message>> outcome() {
        return outcome;
    }

    /** Completes when the executor has no more to do with it; that may be long after a handler's time was up. */
    CompletableFuture<Void> returned() {
        return returned;
    }

    void start(Executor executor, Scheduler scheduler, Duration timeout) {
        Scheduler.Timer timer = scheduler.schedule(
                timeout,
                () -> outcome.completeExceptionally(
                        ErrorCode.TIMEOUT.exception("the handler had no answer within " + timeout)));
        outcome.whenComplete((answer, failure) -> timer.cancel());
        try {
            executor.execute(this::call);
        } catch (RejectedExecutionException e) {
            outcome.completeExceptionally(
                    ErrorCode.BUSY.exception("the executor of the handlers takes no more work", e));
            returned.complete(null);
        }
    }

    private void call() {
        try {
            if (!outcome.isDone()) {
                handler.onQuery(query).whenComplete(this::onAnswer);
            }
        } catch (RuntimeException e) {
            outcome.completeExceptionally(e);
        } finally {
            returned.complete(null);
        }
    }

    private void onAnswer(Optional<Message> answer, Throwable failure) {
        if (failure != null) {
            outcome.completeExceptionally(failure);
        } else if (Objects.isNull(answer)) { // a handler may be careless
            outcome.completeExceptionally(new NullPointerException("the handler's answer"));
        } else {
            outcome.complete(answer);
        }
    }

    /** Nobody wants the answer any more. */
    void abandon() {
        outcome.cancel(false);
    }
}

package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.DurationFormatter;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The execution of one query by its handler. */
final class HandlerInvocation {

    private final Query query;
    private final QueryHandler handler;
    private final CompletableFuture<Optional<Message>> outcome = new CompletableFuture<>();
    private final CompletableFuture<Void> returned = new CompletableFuture<>();

    HandlerInvocation(Query query, QueryHandler handler) {
        this.query = query;
        this.handler = handler;
    }

    /** Returns a future of the response; it fails if there is none. */
    CompletableFuture<Optional<Message>> outcome() {
        return outcome;
    }

    /** Returns a future that completes when the handler has returned, which may be long after its timeout. */
    CompletableFuture<Void> returned() {
        return returned;
    }

    void start(Executor executor, Scheduler scheduler, Duration timeout) {
        Scheduler.Timer timer = scheduler.schedule(
                timeout,
                () -> outcome.completeExceptionally(ErrorCode.TIMEOUT.exception(
                        "handler: no response within " + DurationFormatter.format(timeout))));
        outcome.whenComplete((response, failure) -> timer.cancel());
        try {
            executor.execute(this::call);
        } catch (RuntimeException | Error e) { // an error too, such as a thread that cannot be created
            outcome.completeExceptionally(ErrorCode.BUSY.exception("handler: its executor rejected the query", e));
            returned.complete(null);
        }
    }

    private void call() {
        try {
            if (!outcome.isDone()) {
                handler.onQuery(query).whenComplete(this::onResponse);
            }
        } catch (RuntimeException | Error e) { // an error too: the query would get no response
            outcome.completeExceptionally(e);
        } finally {
            returned.complete(null);
        }
    }

    private void onResponse(Optional<Message> response, Throwable failure) {
        if (failure != null) {
            outcome.completeExceptionally(failure);
        } else if (Objects.isNull(response)) { // defends against user-defined handlers
            outcome.completeExceptionally(new NullPointerException("response of the handler"));
        } else {
            outcome.complete(response);
        }
    }

    /** Discards the response. */
    void cancel() {
        outcome.cancel(false);
    }
}

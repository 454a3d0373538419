package io.parley.pipes;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;

/** Implements blocking calls by their asynchronous forms. */
final class BlockingCalls {

    private BlockingCalls() {}

    /**
     * Waits for the result of an asynchronous call, which has a timeout of its own. An interrupt cancels the call, and closes
     * the result if there is one already.
     *
     * @throws ParleyException the failure of the call
     * @throws IllegalStateException on an event loop, which must not block
     */
    static <T extends AsyncCloseable> T await(CompletableFuture<T> call, String operation) throws InterruptedException {
        requireNoEventLoop(operation);
        try {
            return call.get();
        } catch (ExecutionException e) {
            throw unchecked(e);
        } catch (InterruptedException e) {
            if (!call.cancel(false)) {
                call.thenAccept(AsyncCloseable::closeAsync);
            }
            throw e;
        }
    }

    /**
     * Implements {@link OutputPipe#send(Message, Duration)}.
     *
     * @param removal removes a queued message by its future; returns false if it may be sent already
     */
    static void send(
            OutputPipe pipe,
            Message message,
            Duration timeout,
            Scheduler scheduler,
            Predicate<CompletableFuture<Void>> removal)
            throws InterruptedException {
        requireNoEventLoop(pipe.toString());
        CompletableFuture<Void> expired = new CompletableFuture<>();
        Scheduler.Timer timer = scheduler.schedule(timeout, () -> expired.complete(null));
        try {
            CompletableFuture<Void> sent = pipe.send(message);
            while (isQueueFull(sent)) {
                CompletableFuture<Void> writable = pipe.whenWritable();
                awaitEither(writable, expired);
                if (!writable.isDone()) {
                    throw ErrorCode.TIMEOUT.exception(pipe + ": no room in the queue within " + timeout);
                }
                getNow(writable);
                sent = pipe.send(message);
            }
            awaitSent(pipe, sent, timeout, expired, removal);
        } finally {
            timer.cancel();
        }
    }

    private static void awaitSent(
            OutputPipe pipe,
            CompletableFuture<Void> sent,
            Duration timeout,
            CompletableFuture<Void> expired,
            Predicate<CompletableFuture<Void>> removal)
            throws InterruptedException {
        try {
            awaitEither(sent, expired);
        } catch (InterruptedException e) {
            if (removal.test(sent)) {
                sent.cancel(false);
            }
            throw e;
        }
        if (sent.isDone()) {
            getNow(sent);
        } else if (removal.test(sent)) {
            throw ErrorCode.TIMEOUT.exception(pipe + ": message not sent within " + timeout);
        } else {
            throw ErrorCode.LOST.exception(
                    pipe + ": message not confirmed as sent within " + timeout + "; it may still be sent");
        }
    }

    private static void requireNoEventLoop(String operation) {
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
            throw new IllegalStateException(operation + ": an event loop must not block; use the asynchronous form");
        }
    }

    private static void awaitEither(CompletableFuture<Void> call, CompletableFuture<Void> expired)
            throws InterruptedException {
        try {
            CompletableFuture.anyOf(call, expired).get();
        } catch (ExecutionException e) {
            // The caller reads the failure from the call.
        }
    }

    private static void getNow(CompletableFuture<Void> done) {
        try {
            done.getNow(null);
        } catch (CompletionException e) {
            throw unchecked(e);
        }
    }

    private static RuntimeException unchecked(Exception failure) {
        Throwable cause = Throwables.unwrap(failure);
        return cause instanceof ParleyException known ? known : new CompletionException(cause);
    }

    private static boolean isQueueFull(CompletableFuture<Void> sent) {
        if (!sent.isCompletedExceptionally()) {
            return false;
        }
        try {
            sent.getNow(null);
            return false;
        } catch (CompletionException e) {
            return e.getCause() instanceof ParleyException known && known.code() == ErrorCode.QUEUE_FULL;
        }
    }
}

package io.parley.pipes;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends through a pipe as soon as there is room for the message, for which the caller's thread waits. */
final class BlockingSender {

    private BlockingSender() {}

    /** As {@link OutputPipe#send(Message, Duration)}. */
    static CompletableFuture<Void> through(OutputPipe pipe, Message message, Duration timeout) {
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
            throw new IllegalStateException(pipe + ": a thread that serves connections must not wait for room; use"
                    + " send(message) and whenWritable()");
        }
        long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
        while (true) {
            CompletableFuture<Void> sent = pipe.send(message);
            if (!isQueueFull(sent)) {
                return sent;
            }
            try {
                pipe.whenWritable().get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                return CompletableFuture.failedFuture(
                        ErrorCode.TIMEOUT.exception(pipe + ": no room in its queue within " + timeout));
            } catch (ExecutionException e) {
                return CompletableFuture.failedFuture(Throwables.unwrap(e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return CompletableFuture.failedFuture(
                        ErrorCode.TIMEOUT.exception(pipe + ": interrupted while waiting for room", e));
            }
        }
    }

    private static boolean isQueueFull(CompletableFuture<Void> sent) {
        if (!sent.isCompletedExceptionally()) {
            return false;
        }
        try {
            sent.getNow(null);
            return false;
        } catch (CompletionException e) {
            return Throwables.unwrap(e) instanceof ParleyException known && known.code() == ErrorCode.QUEUE_FULL;
        }
    }
}

package io.parley.pipes;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.common.Scheduler;
import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends through a pipe and blocks the caller until the message is handed to the network. Thread-safe. */
final class BlockingSender {

    private BlockingSender() {}

    /** Implements {@link OutputPipe#send(Message, Duration)}. The timeout is in system time, because it blocks a thread. */
    static void send(OutputPipe pipe, Message message, Duration timeout) throws InterruptedException {
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
            throw new IllegalStateException(
                    pipe + ": must not block on an event loop; use send(message) and whenWritable()");
        }
        long deadline = nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
        while (true) {
            CompletableFuture<Void> sent = pipe.send(message);
            boolean queued = !isQueueFull(sent);
            try {
                (queued ? sent : pipe.whenWritable()).get(Math.max(0, deadline - nanoTime()), TimeUnit.NANOSECONDS);
                if (queued) {
                    return;
                }
            } catch (TimeoutException e) {
                throw queued
                        ? ErrorCode.LOST.exception(
                                pipe + ": message not sent within " + timeout + "; it may still be sent")
                        : ErrorCode.TIMEOUT.exception(pipe + ": no room in the queue within " + timeout);
            } catch (ExecutionException e) {
                throw Throwables.toParleyException(e, ErrorCode.LOST);
            }
        }
    }

    private static long nanoTime() {
        return Scheduler.system().nanoTime();
    }

    private static boolean isQueueFull(CompletableFuture<Void> sent) {
        if (!sent.isCompletedExceptionally()) {
            return false;
        }
        Throwable failure = sent.handle((done, cause) -> cause).join();
        return Throwables.unwrap(failure) instanceof ParleyException known && known.code() == ErrorCode.QUEUE_FULL;
    }
}

package io.parley.sockets;

import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.BorrowScope;
import io.parley.pipes.BidirectionalPipe;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The direction of a stream to the remote peer. Bytes become messages of the pipe, whose queue blocks a writer that is faster than the
 * network or the remote reader. Writers take turns. Thread-safe.
 */
final class StreamOutput {

    private static final CompletableFuture<Void> WRITABLE = CompletableFuture.completedFuture(null);

    /** The stream, for texts. */
    private final Object stream;

    private final Consumer<ParleyException> lossListener;

    /** Held by the writer, also while it waits. */
    private final ReentrantLock writing = new ReentrantLock();

    /** Completes when the queue of the pipe has room again. */
    private volatile CompletableFuture<Void> room = WRITABLE;

    private final SocketWait writable = new SocketWait(() -> room.isDone() || isOver());

    private volatile int maxMessageBytes = StreamFormat.MAX_SENT_BYTES;
    private volatile @Nullable ParleyException failure;
    private volatile boolean shutDown;
    private volatile boolean closed;

    /** @param lossListener called when bytes that were written are lost. Later ones must not arrive without them */
    StreamOutput(Object stream, Consumer<ParleyException> lossListener) {
        this.stream = stream;
        this.lossListener = lossListener;
    }

    void limitMessages(int maxBytes) {
        maxMessageBytes = maxBytes;
    }

    private boolean isOver() {
        return closed || shutDown || failure != null;
    }

    void fail(ParleyException reason) {
        failure = reason;
        writable.signal();
    }

    void shutDown() {
        shutDown = true;
        writable.signal();
    }

    void close() {
        closed = true;
        writable.signal();
    }

    private void checkOpen() throws SocketException {
        if (closed) {
            throw SocketFailures.closed();
        }
        if (shutDown) {
            throw new SocketException("Socket output is shutdown");
        }
        ParleyException reason = failure;
        if (reason != null) {
            throw SocketFailures.brokenPipe(stream, reason);
        }
    }

    /** Queues the remaining bytes of the buffer. Waits until there is room for the last of them. */
    void write(BidirectionalPipe pipe, ByteBuffer source) throws IOException {
        writing.lock();
        try {
            checkOpen();
            while (source.hasRemaining()) {
                int count = nextMessageBytes(source.remaining());
                send(pipe, source.slice(source.position(), count));
                source.position(source.position() + count);
            }
        } finally {
            writing.unlock();
        }
    }

    /**
     * Returns the size of the next message. The messages of a write have the same size, because a small one at the end costs the time
     * of a large one: without that, a write of 128 KiB and 3 bytes took 91 µs, and one of 128 KiB 57.
     */
    private int nextMessageBytes(int remaining) {
        int messages = (remaining - 1) / maxMessageBytes + 1;
        return (remaining - 1) / messages + 1;
    }

    /** Sends the bytes, which the endpoint encodes or copies before the call returns. */
    private void send(BidirectionalPipe pipe, ByteBuffer bytes) throws IOException {
        while (true) {
            awaitRoom(pipe);
            BorrowScope scope = new BorrowScope(() -> {});
            CompletableFuture<Void> sent;
            try {
                sent = pipe.send(StreamFormat.data(scope, bytes.duplicate()));
            } finally {
                scope.end();
            }
            if (!sent.isCompletedExceptionally()) {
                sent.whenComplete((done, cause) -> {
                    if (cause != null) {
                        onNotSent(reasonOf(sent));
                    }
                });
                return;
            }
            ParleyException reason = reasonOf(sent);
            if (reason.code() != ErrorCode.QUEUE_FULL) {
                onNotSent(reason);
                checkOpen();
                throw SocketFailures.brokenPipe(stream, reason);
            }
        }
    }

    private void onNotSent(ParleyException reason) {
        if (reason.code() != ErrorCode.CLOSED) { // when nothing follows that could hide the loss
            lossListener.accept(reason);
        }
    }

    private void awaitRoom(BidirectionalPipe pipe) throws IOException {
        while (!pipe.isWritable()) {
            checkOpen();
            CompletableFuture<Void> next = pipe.whenWritable();
            room = next;
            next.whenComplete((done, reason) -> writable.signal());
            writable.await(SocketDeadline.NONE);
            if (next.isCompletedExceptionally()) {
                checkOpen();
                throw SocketFailures.brokenPipe(stream, reasonOf(next));
            }
        }
    }

    private static ParleyException reasonOf(CompletableFuture<Void> failed) {
        try {
            failed.join();
            return ErrorCode.CLOSED.exception("the pipe is closed");
        } catch (CompletionException e) {
            return Throwables.toParleyException(e, ErrorCode.LOST);
        }
    }
}

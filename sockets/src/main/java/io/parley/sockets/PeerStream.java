package io.parley.sockets;

import io.parley.common.Scheduler;
import io.parley.common.internal.DurationFormatter;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.message.Payload;
import io.parley.pipes.BidirectionalPipe;
import io.parley.pipes.BidirectionalPipeListener;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A stream of bytes in both directions over one bidirectional pipe. The channels of the pipe number, acknowledge and resend messages, and
 * resume after a cut. This class turns bytes into messages and messages into bytes, and bounds the time of an interruption and of a
 * close. Thread-safe.
 */
final class PeerStream implements BidirectionalPipeListener {

    /** The value of the linger option without one. */
    static final int NO_LINGER = -1;

    private final PeerGroup group;
    private final String service;
    private final SocketLimits limits;
    private final StreamInput input = new StreamInput(this);
    private final StreamOutput output = new StreamOutput(this, this::reset);
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> whenClosing = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final CompletableFuture<Void> failed = new CompletableFuture<>();
    private volatile @Nullable BidirectionalPipe pipe;

    /** The first failure, which is the cause of further ones. */
    private final AtomicReference<@Nullable ParleyException> failure = new AtomicReference<>();

    /** Whether the remote peer has sent what is not of a stream. Nothing after that is of the stream, also if the pipe still brings it. */
    private volatile boolean faulted;

    private volatile Scheduler.@Nullable Timer resumeTimer;
    private final AtomicLong interruptions = new AtomicLong();

    /** @param service the name of the service, for texts */
    PeerStream(PeerGroup group, String service, SocketLimits limits) {
        this.group = group;
        this.service = service;
        this.limits = limits;
    }

    /** Limits the bytes in a message to the remote peer. Called before {@link #attach}, if at all. */
    void limitMessages(int maxBytes) {
        output.limitMessages(maxBytes);
    }

    /** Sets the pipe, whose listener is this stream. Called once. */
    void attach(BidirectionalPipe opened) {
        pipe = opened;
        opened.whenClosed().whenComplete((done, cause) -> closed.complete(null));
        ParleyException reason = failure.get();
        if (reason != null) { // meanwhile
            opened.fail(reason);
        } else if (closing.get()) {
            opened.abort();
        }
    }

    /** Called instead of {@link #attach} if there will be no pipe. */
    void discard() {
        closing.set(true);
        whenClosing.complete(null);
        closeStreams();
        closed.complete(null);
    }

    private void closeStreams() {
        output.close(); // first: a program that sees a read fail may write at once
        input.close();
    }

    private BidirectionalPipe pipe() {
        return Objects.requireNonNull(pipe);
    }

    PeerId remotePeer() {
        return pipe().remotePeer();
    }

    String service() {
        return service;
    }

    /** Returns a future that completes when both directions have failed or are closed. */
    CompletableFuture<Void> whenFailed() {
        return failed;
    }

    /** Returns whether this end has begun to close. */
    boolean isClosing() {
        return closing.get();
    }

    /** Returns a future that completes when this end begins to close. */
    CompletableFuture<Void> whenClosing() {
        return whenClosing;
    }

    /** Returns whether all bytes of the remote peer have arrived, and their end. */
    boolean hasEnded() {
        return input.hasEnded();
    }

    /** Returns a future that completes when this end has released its resources. */
    CompletableFuture<Void> whenClosed() {
        return closed;
    }

    // Called by the pipe.

    @Override
    public void onMessage(ReceivedMessage message) {
        if (faulted) {
            message.release();
            return;
        }
        Payload bytes = StreamFormat.data(message.message());
        if (bytes == null) {
            message.release();
            onFault(ErrorCode.PROTOCOL_VIOLATION.exception(
                    this + ": received a message that is not of a stream (expected: one element of 1 to "
                            + StreamFormat.MAX_RECEIVED_BYTES + " bytes)"));
            return;
        }
        input.add(message, bytes.size());
    }

    /** Ends the stream because of a fault of the remote peer. */
    private void onFault(ParleyException reason) {
        faulted = true;
        fail(reason);
        BidirectionalPipe opened = pipe;
        if (opened != null) {
            opened.fail(reason);
        }
    }

    @Override
    public void onEnd() {
        if (!faulted) {
            input.end();
        }
    }

    @Override
    public void onFailed(ParleyException reason) {
        cancelResumeTimer();
        fail(reason);
    }

    private void fail(ParleyException reason) {
        if (failure.compareAndSet(null, reason)) {
            output.fail(reason); // first: a program that sees a read fail may write at once
            input.fail(reason);
            failed.complete(null);
        }
    }

    @Override
    public void onInterrupted() {
        if (resumeTimer == null && failure.get() == null) {
            long number = interruptions.incrementAndGet();
            resumeTimer = group.scheduler().schedule(limits.resumeTimeout(), () -> execute(() -> onNotResumed(number)));
        }
    }

    @Override
    public void onResumed() {
        cancelResumeTimer();
    }

    private void cancelResumeTimer() {
        Scheduler.Timer timer = resumeTimer;
        resumeTimer = null;
        if (timer != null) {
            timer.cancel();
        }
    }

    private void onNotResumed(long interruption) {
        if (resumeTimer == null || interruption != interruptions.get()) { // resumed, perhaps interrupted again
            return;
        }
        reset(ErrorCode.LOST.exception("the connection was lost, and not resumed within "
                + DurationFormatter.format(limits.resumeTimeout()) + " (SocketLimits.resumeTimeout)"));
    }

    /** Ends the stream without the queued messages. */
    private void reset(ParleyException reason) {
        fail(reason);
        BidirectionalPipe opened = pipe;
        if (opened != null) {
            opened.abort();
        }
    }

    private void execute(Runnable task) {
        try {
            group.workExecutor().execute(task);
        } catch (RejectedExecutionException e) { // because the peer is closed
            task.run();
        }
    }

    // Called by the socket.

    int available() throws IOException {
        return input.available();
    }

    /** Reads as {@link StreamInput#read} does. */
    int read(ByteBuffer target, Duration timeout) throws IOException {
        return target.hasRemaining() ? input.read(target, timeout) : 0;
    }

    void write(ByteBuffer source) throws IOException {
        output.write(pipe(), source);
    }

    void shutDownInput() {
        input.shutDown();
    }

    /** Ends the direction to the remote peer after the bytes that were written. If the stream has failed, that peer gets no end. */
    void shutDownOutput() {
        output.shutDown();
        if (failure.get() == null) {
            pipe().closeOutput();
        }
    }

    /**
     * Closes both directions, and does not wait. Readers and writers fail. Written bytes are still sent, in the background.
     *
     * @param lingerSeconds zero resets the stream at once; another time is for {@link #linger}
     */
    void close(int lingerSeconds) {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        whenClosing.complete(null);
        closeStreams();
        BidirectionalPipe opened = pipe;
        if (opened == null) {
            return; // which attach or discard ends
        }
        if (lingerSeconds == 0) {
            opened.abort();
            return;
        }
        CompletableFuture<Void> sent = opened.closeOutput();
        Scheduler.Timer timer = group.scheduler().schedule(limits.closeTimeout(), () -> execute(opened::abort));
        sent.whenComplete((done, cause) -> {
            timer.cancel();
            opened.closeAsync();
        });
    }

    /** Closes as {@link #close(int)} does without a linger time. */
    void close() {
        close(NO_LINGER);
    }

    /**
     * Waits until the remote peer has all bytes of the closed stream, at most for the time; then resets it. An interrupt of a virtual thread
     * ends the wait only.
     */
    void linger(Duration timeout) {
        BidirectionalPipe opened = pipe();
        CompletableFuture<Void> sent = opened.closeOutput(); // as the close did
        SocketWait delivery = new SocketWait(sent::isDone);
        sent.whenComplete((done, cause) -> delivery.signal());
        try {
            if (!delivery.await(SocketDeadline.after(timeout))) {
                opened.abort();
            }
        } catch (InterruptedIOException e) {
            // the bytes are sent in the background
        }
    }

    /** Ends both directions at once. */
    void abort() {
        closing.set(true);
        whenClosing.complete(null);
        closeStreams();
        BidirectionalPipe opened = pipe;
        if (opened != null) {
            opened.abort();
        }
    }

    @Override
    public String toString() {
        BidirectionalPipe opened = pipe;
        return "socket service \"" + service + "\""
                + (opened == null ? "" : " of peer " + opened.remotePeer().shortText());
    }
}

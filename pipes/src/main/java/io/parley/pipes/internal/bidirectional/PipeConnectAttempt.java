package io.parley.pipes.internal.bidirectional;

import io.parley.common.Scheduler;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.Messenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.message.Message;
import io.parley.pipes.BidirectionalPipe;
import io.parley.pipes.BidirectionalPipeListener;
import io.parley.pipes.internal.PipeOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Connects a bidirectional pipe once: sends the request to an acceptor and waits for its decision. Thread-safe. */
public final class PipeConnectAttempt {

    private final PeerGroup group;
    private final PipeOptions options;
    private final @Nullable BidirectionalPipeListener listener;
    private final String target;
    private final CompletableFuture<BidirectionalPipe> result = new CompletableFuture<>();
    private final Duration timeout;
    private volatile @Nullable MessengerBidirectionalPipe pipe;
    private volatile boolean expired;

    /**
     * Creates an attempt, which fails after the timeout if {@link #start} was called. Otherwise the search for an acceptor has the same
     * timeout, and the caller must {@link #fail} the attempt with its reason.
     *
     * @param options the codecs and the security of the pipe
     * @param listener gets what arrives at the end of this peer; {@code null} for a queue
     * @param target  describes the pipe, for texts
     */
    public PipeConnectAttempt(
            PeerGroup group,
            PipeOptions options,
            @Nullable BidirectionalPipeListener listener,
            String target,
            Duration timeout) {
        this.group = group;
        this.options = options;
        this.listener = listener;
        this.target = target;
        this.timeout = timeout;
        Scheduler.Timer timer = group.scheduler().schedule(timeout, () -> execute(this::onTimeout));
        result.whenComplete((connected, failure) -> {
            timer.cancel();
            MessengerBidirectionalPipe opened = pipe;
            if (failure != null && opened != null) {
                opened.abort();
            }
        });
    }

    private void onTimeout() {
        expired = true;
        if (pipe != null) {
            failAfterTimeout();
        }
    }

    private void failAfterTimeout() {
        fail(ErrorCode.TIMEOUT.exception(
                target + ": the request was not accepted within " + DurationFormatter.format(timeout)));
    }

    public CompletableFuture<BidirectionalPipe> result() {
        return result;
    }

    public void fail(Throwable failure) {
        result.completeExceptionally(Throwables.toParleyException(failure, ErrorCode.UNREACHABLE));
    }

    /** Sends the request. Takes ownership of the messenger to the acceptor, which must be as secure as the pipe. */
    public void start(Messenger acceptor, Message hello) {
        MessengerBidirectionalPipe opened;
        try {
            opened = new MessengerBidirectionalPipe(group, acceptor.peer(), options, listener, this::onResponse);
        } catch (ParleyException e) {
            acceptor.abort();
            fail(e);
            return;
        }
        pipe = opened;
        opened.onTerminated(this::fail); // refused, or lost
        result.whenComplete((connected, failure) -> acceptor.abort());
        if (expired) { // before the pipe was set
            failAfterTimeout();
        }
        if (result.isDone()) {
            opened.abort();
            return;
        }
        acceptor.send(PipeProtocol.opening(PipeProtocol.CONNECT, opened.end(), hello))
                .whenComplete((sent, failure) -> {
                    if (failure != null) {
                        fail(failure);
                    }
                });
    }

    private void onResponse(MessengerBidirectionalPipe opened, Message response) {
        try {
            opened.connectTo(PipeProtocol.end(response, PipeProtocol.ACCEPT), PipeProtocol.hello(response));
        } catch (ParleyException e) {
            opened.terminate(e);
            return;
        }
        opened.open(); // so that the other end learns of a loss, also if nothing is sent
        if (!result.complete(opened)) {
            opened.abort();
        }
    }

    private void execute(Runnable task) {
        try {
            group.workExecutor().execute(task);
        } catch (RuntimeException | Error e) { // because the peer is closed, or the system has no more threads
            task.run();
        }
    }

    @Override
    public String toString() {
        return "connect to " + target;
    }
}

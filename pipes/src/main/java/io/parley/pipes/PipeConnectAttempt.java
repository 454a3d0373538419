package io.parley.pipes;

import io.parley.common.Scheduler;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.Messenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Connects a bidirectional pipe once: sends the request to an acceptor and waits for its decision. Thread-safe. */
final class PipeConnectAttempt {

    private final PeerGroup group;
    private final List<String> codecs;
    private final String target;
    private final CompletableFuture<BidirectionalPipe> result = new CompletableFuture<>();
    private volatile @Nullable MessengerBidirectionalPipe pipe;

    /**
     * Creates an attempt, which fails after the timeout also if {@link #start} was not called.
     *
     * @param target describes the pipe, for texts
     */
    PipeConnectAttempt(PeerGroup group, List<String> codecs, String target, Duration timeout) {
        this.group = group;
        this.codecs = codecs;
        this.target = target;
        Scheduler.Timer timer = group.scheduler()
                .schedule(
                        timeout,
                        () -> execute(() -> fail(ErrorCode.TIMEOUT.exception(
                                target + ": the request was not accepted within " + timeout))));
        result.whenComplete((connected, failure) -> {
            timer.cancel();
            MessengerBidirectionalPipe opened = pipe;
            if (failure != null && opened != null) {
                opened.abort();
            }
        });
    }

    CompletableFuture<BidirectionalPipe> result() {
        return result;
    }

    void fail(Throwable failure) {
        result.completeExceptionally(Throwables.toParleyException(failure, ErrorCode.UNREACHABLE));
    }

    /** Sends the request. Takes ownership of the messenger to the acceptor. */
    void start(Messenger acceptor, Message hello) {
        MessengerBidirectionalPipe opened;
        try {
            opened = new MessengerBidirectionalPipe(group, acceptor.peer(), this::onResponse);
        } catch (ParleyException e) {
            acceptor.abort();
            fail(e);
            return;
        }
        pipe = opened;
        opened.onTerminated(this::fail); // refused, or lost
        result.whenComplete((connected, failure) -> acceptor.abort());
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
            opened.connectTo(PipeProtocol.end(response, PipeProtocol.ACCEPT), codecs, PipeProtocol.hello(response));
        } catch (ParleyException e) {
            opened.terminate(e);
            return;
        }
        if (result.complete(opened)) {
            opened.resolve(); // opens the channel, so that the other end learns of a loss, also if nothing is sent
        } else {
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

    @Override
    public String toString() {
        return "connect to " + target;
    }
}

package io.parley.pipes.internal.request;

import io.parley.common.internal.DurationFormatter;
import io.parley.endpoint.Messenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Sends requests through an output pipe, whose messenger finds another holder itself. Thread-safe. */
public final class PipeRequestRoute implements RequestRoute {

    private final RequestClient client;
    private final Messenger messenger;
    private final boolean resending;

    /** @param resending see {@link io.parley.pipes.Pipes#withResending} */
    public PipeRequestRoute(RequestClient client, Messenger messenger, boolean resending) {
        this.client = client;
        this.messenger = messenger;
        this.resending = resending;
        messenger.whenClosed().thenRun(() -> client.failAll(this, messenger.toString()));
    }

    public CompletableFuture<PipeMessage> request(Message message, Duration timeout) {
        PendingRequest request = client.start(this, message, timeout);
        if (!request.isDone()) {
            client.send(request, messenger, null);
        }
        return request.result();
    }

    @Override
    public void onNotExecuted(PendingRequest request, RequestAttempt attempt, ParleyException cause) {
        request.fail(attempt, cause);
    }

    @Override
    public boolean onLost(PendingRequest request, RequestAttempt attempt, ParleyException cause) {
        if (resending && !messenger.isClosing() && request.endLostForRetry(attempt)) {
            client.send(request, messenger, null);
            return false;
        }
        return request.fail(attempt, cause);
    }

    @Override
    public void onFinished(PendingRequest request) {}

    @Override
    public ParleyException noHolder(Duration timeout) {
        return ErrorCode.TIMEOUT.exception(messenger + ": no response within " + DurationFormatter.format(timeout)
                + "; the request was not delivered, and will not be executed");
    }
}

package io.parley.pipes.internal.request;

import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A message whose sender waits for a response. Thread-safe. */
public final class ReceivedRequest extends PipeMessage {

    private final ResponseTarget target;

    ReceivedRequest(PeerId from, Message message, ResponseTarget target) {
        super(from, message);
        this.target = target;
    }

    /** Returns the target of the response to a message; {@code null} if the message expects none. */
    public static @Nullable ResponseTarget targetOf(PipeMessage message) {
        return message instanceof ReceivedRequest request ? request.target : null;
    }

    @Override
    public int attempt() {
        return target.attempt();
    }

    @Override
    public boolean expectsResponse() {
        return true;
    }

    @Override
    public CompletableFuture<Void> respond(Message response) {
        return claimTarget().respond(response);
    }

    @Override
    public CompletableFuture<Void> respondError(int code, String text) {
        return claimTarget().respondError(code, text);
    }

    private ResponseTarget claimTarget() {
        if (!target.claim()) {
            throw new IllegalStateException("request of peer " + from().shortText() + ": has a response already");
        }
        return target;
    }

    @Override
    public String toString() {
        return "Request from " + from().shortText() + ": " + message();
    }
}

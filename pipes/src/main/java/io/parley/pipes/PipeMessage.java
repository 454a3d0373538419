package io.parley.pipes;

import io.parley.id.PeerId;
import io.parley.message.Message;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A message that was received through a pipe: a request, a response to a request, or a message that needs no response. Thread-safe. */
public class PipeMessage {

    private final PeerId from;
    private final Message message;

    /** Creates a message that expects no response. For tests of listeners and handlers. */
    public PipeMessage(PeerId from, Message message) {
        this.from = Objects.requireNonNull(from, "from");
        this.message = Objects.requireNonNull(message, "message");
    }

    /** Returns the sender, authenticated by its connection. */
    public PeerId from() {
        return from;
    }

    /** Returns the message; its memory may be kept, unless the listener {@linkplain Pipes#listenZeroCopy borrows} it. */
    public Message message() {
        return message;
    }

    /** Returns the text of the first element of that name; empty if there is none. */
    public Optional<String> text(String name) {
        return message.text(name);
    }

    /**
     * Returns 1, or more if the same request or task was sent before and may have been executed: 1 and the number of such attempts, as
     * the sender has counted them. A request is sent again only with {@link Pipes#withResending()}, a task of a {@link WorkQueue}
     * always.
     */
    public int attempt() {
        return 1;
    }

    /** Returns whether this message is a request, so that the sender waits for one call of {@link #respond} or {@link #respondError}. */
    public boolean expectsResponse() {
        return false;
    }

    /**
     * Responds to this request, at any time and from any thread, also after the pipe is closed. Must be called once. A requester that
     * has stopped waiting ignores the response.
     *
     * @return a future that completes when the endpoint of the requester has received the response; it fails as
     *     {@link OutputPipe#send(Message)} does, with {@link io.parley.error.ErrorCode#QUEUE_FULL} if the requester does not read its
     *     responses. If the response cannot be encoded or is too large, the requester gets
     *     {@link io.parley.error.ErrorCode#SERVICE_FAILED}
     * @throws IllegalStateException if this message expects no response, or has one already
     */
    public CompletableFuture<Void> respond(Message response) {
        throw expectsNone();
    }

    /**
     * Responds to this request with an error of the application: the request fails with an
     * {@link io.parley.error.ApplicationException} that has this code and this text. See {@link #respond}.
     *
     * @param text a description, truncated to 2048 bytes of UTF-8
     * @throws IllegalStateException if this message expects no response, or has one already
     */
    public CompletableFuture<Void> respondError(int code, String text) {
        throw expectsNone();
    }

    private IllegalStateException expectsNone() {
        return new IllegalStateException("message from peer " + from.shortText() + ": expects no response");
    }

    @Override
    public String toString() {
        return "PipeMessage from " + from.shortText() + ": " + message;
    }
}

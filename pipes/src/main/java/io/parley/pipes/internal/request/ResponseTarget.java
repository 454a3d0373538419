package io.parley.pipes.internal.request;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.internal.request.RequestFormat.Kind;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** The requester that waits for the response to one request. Thread-safe. */
public final class ResponseTarget {

    /** The codes of responses that can never be sent. */
    private static final Set<ErrorCode> UNSENDABLE =
            EnumSet.of(ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.NOT_ENCODABLE, ErrorCode.NO_COMMON_CODEC);

    private final ResponseChannelRegistry channels;
    private final ResponseInbox inbox;
    private final long id;

    /** The time at which the requester stops waiting. */
    private final long deadlineNanos;

    private final int attempt;
    private final AtomicBoolean claimed = new AtomicBoolean();

    ResponseTarget(ResponseChannelRegistry channels, ResponseInbox inbox, long id, long deadlineNanos, int attempt) {
        this.channels = channels;
        this.inbox = inbox;
        this.id = id;
        this.deadlineNanos = deadlineNanos;
        this.attempt = attempt;
    }

    /** Returns 1 and the number of earlier attempts that may have been executed, as the requester has stated it. */
    int attempt() {
        return attempt;
    }

    /** Returns true once. The caller must respond then. */
    public boolean claim() {
        return claimed.compareAndSet(false, true);
    }

    /** Returns whether the requester does not wait any more at that time. */
    public boolean isExpired(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    /** Returns the channel to the requester. */
    public ResponseChannel channel() {
        return channels.channel(inbox);
    }

    /** The caller must have claimed the target. */
    public CompletableFuture<Void> respond(Message response) {
        CompletableFuture<Void> sent = send(RequestFormat.response(response, id));
        sent.exceptionally(failure -> {
            if (ParleyException.unwrap(failure) instanceof ParleyException known && UNSENDABLE.contains(known.code())) {
                respondFailure(ErrorCode.SERVICE_FAILED, "the response cannot be sent: " + known.code());
            }
            return null;
        });
        return sent;
    }

    /** The caller must have claimed the target. */
    public CompletableFuture<Void> respondError(int code, String text) {
        return send(RequestFormat.error(id, Kind.APPLICATION_ERROR, code, text));
    }

    /** Responds with a failure of the service. The caller must have claimed the target. */
    public CompletableFuture<Void> respondFailure(ErrorCode code, String text) {
        return send(RequestFormat.error(id, Kind.SERVICE_ERROR, code.toWire().number(), text));
    }

    /** Responds to a message, unless it expects no response or has one, that its listener or handler failed. Hides the text of the failure. */
    public static void fail(PipeMessage message, Throwable failure) {
        ResponseTarget target = ReceivedRequest.targetOf(message);
        if (target != null && target.claim()) {
            target.respondFailure(
                    ErrorCode.SERVICE_FAILED,
                    "the handler failed with " + failure.getClass().getName());
        }
    }

    /** Responds to a message, unless it expects no response, that the pipe was closed before it was delivered. */
    public static void discard(PipeMessage message) {
        ResponseTarget target = ReceivedRequest.targetOf(message);
        if (target != null && target.claim()) {
            target.respondFailure(ErrorCode.NO_SUCH_SERVICE, "the pipe was closed, and the request was not executed");
        }
    }

    private CompletableFuture<Void> send(Message response) {
        try {
            CompletableFuture<Void> sent = channel().send(response);
            return isClosed(sent) ? channel().send(response) : sent; // it may have given way to another host meanwhile
        } catch (ParleyException e) { // because the endpoint is closing, or there are too many requesters
            return CompletableFuture.failedFuture(e);
        }
    }

    private static boolean isClosed(CompletableFuture<Void> sent) {
        return sent.isCompletedExceptionally()
                && sent.handle((done, failure) -> ParleyException.unwrap(failure))
                                .join()
                        instanceof ParleyException known
                && known.code() == ErrorCode.CLOSED;
    }
}

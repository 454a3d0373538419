package io.parley.pipes;

import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ParleyException;

/**
 * Receives what arrives at one end of a bidirectional pipe, without a queue and without another thread in between. For layers that have
 * a queue of their own, such as a stream. See {@link BidirectionalPipes#withListener}.
 *
 * <p>{@link #onMessage} and {@link #onEnd} are called in order and one at a time, on the event loop of the connection or another thread of
 * the endpoint. The other methods are called on any thread, also at the same time, except that {@link #onInterrupted} and
 * {@link #onResumed} come one at a time. None may block. Exceptions are logged and counted, and do not end the pipe.
 */
public interface BidirectionalPipeListener {

    /**
     * Called with each message, also after {@link BidirectionalPipe#close()}. The listener must {@linkplain ReceivedMessage#release
     * release} it, on any thread: until then the message takes room in the window of the remote peer. Its payloads must be read before
     * that, because a large message is borrowed until then, see {@link io.parley.message.Payload#isBorrowed}.
     */
    void onMessage(ReceivedMessage message);

    /** Called when the remote peer has closed its direction, after its last message. */
    void onEnd();

    /** Called once, when both directions have failed or this end is closed. {@link #onMessage} may still be called. */
    void onFailed(ParleyException reason);

    /**
     * Called when the connection to the remote peer was lost. {@link #onResumed} or {@link #onFailed} follows, or another call of this
     * method if the next connection is lost before that. Not called after {@link #onEnd}.
     */
    default void onInterrupted() {}

    /**
     * Called when the remote peer is connected again and its end of the pipe still exists. After {@link BidirectionalPipe#closeOutput()}
     * only the connection is known: if the other end is gone, {@link #onFailed} follows.
     */
    default void onResumed() {}
}

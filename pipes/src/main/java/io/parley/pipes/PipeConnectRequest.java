package io.parley.pipes;

import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;

/**
 * The request of a remote peer to connect a bidirectional pipe. It must be accepted or refused, on any thread. After
 * {@link PipeLimits#acceptTimeout()} it is refused with {@link io.parley.error.ErrorCode#TIMEOUT}. Thread-safe.
 */
public interface PipeConnectRequest {

    /** Returns the remote peer, authenticated by its connection. */
    PeerId remotePeer();

    /** Returns the message that the remote peer gave to {@link BidirectionalPipes#withHello}; without elements if it gave none. */
    Message hello();

    /**
     * Accepts the request and returns this end of the pipe, which can be used immediately. The message of
     * {@link BidirectionalPipes#withHello} is sent to the remote peer.
     *
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#CLOSED} if the request was accepted or refused
     *     before, has expired, or the acceptor or the peer is closed
     */
    BidirectionalPipe accept();

    /**
     * Accepts the request as {@link #accept()} does. Arriving messages go to the listener, which may be called before this method returns;
     * {@link BidirectionalPipe#receive} must not be called.
     *
     * @throws io.parley.error.InvalidCallException as {@link #accept()}
     */
    BidirectionalPipe accept(BidirectionalPipeListener listener);

    /**
     * Refuses the request. The connect of the remote peer fails with the code of the reason, translated by
     * {@link io.parley.error.ErrorCode#ofWire}, and at most 500 characters of its text. Has no effect after another decision.
     */
    void refuse(ParleyException reason);
}

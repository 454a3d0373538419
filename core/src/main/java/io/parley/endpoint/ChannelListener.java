package io.parley.endpoint;

/**
 * Receives the messages of one channel, which is what one messenger of one remote peer sends to a service, and the end of that
 * channel. A {@link ChannelAcceptor} returns one for each channel.
 *
 * <p>The methods are called in order and one at a time: on the event loop of the connection, or on another thread of the endpoint
 * after the connection was lost. They must not block. Exceptions are counted and logged. The last call is {@link #onEnded} or
 * {@link #onLost}; there is none after the registration of the service was closed.
 */
@FunctionalInterface
public interface ChannelListener {

    /** Called with each message. See {@link ReceivedMessage} for its release. */
    void onMessage(ReceivedMessage message);

    /**
     * Returns whether this listener and those to whom it passes messages read them before their {@linkplain ReceivedMessage#release
     * release} only. Large messages may be borrowed then: they stay in the memory into which the network read them, without a copy, until
     * they are released; see {@link io.parley.message.Payload#isBorrowed}. Called once, when the channel opens.
     */
    default boolean isBorrowing() {
        return false;
    }

    /**
     * Called when the connection was lost. The sender may continue the channel on another connection: {@link #onMessage},
     * {@link #onEnded} or {@link #onLost} follows. Not called for best-effort channels.
     */
    default void onInterrupted() {}

    /** Called when the sender has closed its messenger, after its last message. */
    default void onEnded() {}

    /**
     * Called when the channel cannot continue, so messages may be missing: the process of the sender has ended or was not reachable for
     * {@link EndpointLimits#resumeTimeout()}, this endpoint had no memory for a message, or a best-effort channel has lost its
     * connection. A messenger that closes while it is not connected is lost too, because its end cannot be reported.
     */
    default void onLost() {}
}

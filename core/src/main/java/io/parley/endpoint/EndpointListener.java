package io.parley.endpoint;

/** Receives the messages for one service. */
@FunctionalInterface
public interface EndpointListener {

    /**
     * A message came. Called on the connection's executor: it must not block. Messages of one sender come in order, one
     * at a time; several senders may call at the same time. The sender's window is given back when
     * {@link ReceivedMessage#release()} is called, from any thread. When the listener throws, the message counts as
     * released and the connection lives on.
     */
    void onMessage(ReceivedMessage received);
}

package io.parley.endpoint.internal;

import io.parley.endpoint.ChannelListener;
import io.parley.endpoint.ReceivedMessage;
import io.parley.id.PeerId;
import io.parley.transport.EndpointMetrics.Counter;

/**
 * The listener of one inbound channel, which outlives the links of the channel. Calls are confined to the event loop of the channel
 * that holds the sequence, or come from the thread that has dropped a sequence without a holder.
 */
final class ChannelSubscription {

    private final ServiceRegistry.Binding binding;
    private final PeerId sender;
    private final ChannelListener listener;
    private final boolean borrowing;

    ChannelSubscription(ServiceRegistry.Binding binding, PeerId sender, ChannelListener listener) {
        this.binding = binding;
        this.sender = sender;
        this.listener = listener;
        this.borrowing = listener.isBorrowing();
    }

    /** Returns whether messages are read before their release only, so that they may be borrowed until then. */
    boolean isBorrowing() {
        return borrowing;
    }

    boolean isTo(ServiceRegistry.Binding service) {
        return binding == service;
    }

    void onMessage(ReceivedMessage message) {
        try {
            listener.onMessage(message);
        } catch (RuntimeException | Error e) { // an error too: it would end the link
            onFailure("a message", e);
            message.release();
        }
    }

    void onInterrupted() {
        notify("an interruption", listener::onInterrupted);
    }

    void onEnded() {
        notify("the end of a channel", listener::onEnded);
    }

    void onLost() {
        notify("the loss of a channel", listener::onLost);
    }

    private void notify(String event, Runnable call) {
        if (binding.isClosing()) {
            return;
        }
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            onFailure(event, e);
        }
    }

    private void onFailure(String event, Throwable failure) {
        binding.metrics().increment(Counter.LISTENER_FAILURES);
        binding.failureLog()
                .warn("Listener of service {} failed on {} from peer {}", binding.service(), event, sender, failure);
    }
}

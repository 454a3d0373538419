package io.parley.endpoint.internal.context;

import io.parley.endpoint.ChannelListener;
import io.parley.endpoint.ReceivedMessage;
import io.parley.id.PeerId;
import io.parley.transport.EndpointMetrics.Counter;

/**
 * The listener of one inbound channel, which outlives the links of the channel. Calls are confined to the event loop of the channel
 * that holds the sequence, or come from the thread that has dropped a sequence without a holder.
 */
public final class ChannelSubscription {

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
    public boolean isBorrowing() {
        return borrowing;
    }

    public boolean isTo(ServiceRegistry.Binding service) {
        return binding == service;
    }

    public void onMessage(ReceivedMessage message) {
        try {
            listener.onMessage(message);
        } catch (RuntimeException | Error e) { // an error too: it would end the link
            onFailure("a message", e);
            message.release();
        }
    }

    public void onInterrupted() {
        notify("an interruption", listener::onInterrupted);
    }

    public void onEnded() {
        notify("the end of a channel", listener::onEnded);
    }

    public void onLost() {
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

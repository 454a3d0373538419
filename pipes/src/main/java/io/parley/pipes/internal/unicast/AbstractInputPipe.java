package io.parley.pipes.internal.unicast;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.endpoint.ChannelAcceptor;
import io.parley.endpoint.ChannelListener;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.pipes.InputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.SenderListener;
import io.parley.pipes.internal.SenderEvent;
import io.parley.pipes.internal.SenderEvents;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The common part of all input pipes: the ticket, and the registrations that end when the pipe closes. Thread-safe. */
public abstract class AbstractInputPipe implements InputPipe, ChannelAcceptor {

    private final PipeTicket ticket;
    private final Duration closeTimeout;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final @Nullable SenderEvents senders;
    private final ChannelListener withoutEvents = this::onMessage;
    private volatile @Nullable AsyncCloseable binding;
    private volatile @Nullable AsyncCloseable publication;

    /** @param senders the listener for the begin and the end of senders; {@code null} if there is none */
    AbstractInputPipe(PipeTicket ticket, Duration closeTimeout, @Nullable SenderListener senders) {
        this.ticket = ticket;
        this.closeTimeout = closeTimeout;
        this.senders = senders == null ? null : new SenderEvents(senders);
    }

    @Override
    public final ChannelListener accept(PeerId sender) {
        return senders == null ? withoutEvents : senders.open(sender, this::onMessage, this::onSenderEvent);
    }

    /** Called with each message, on the event loop of its connection. */
    abstract void onMessage(ReceivedMessage received);

    /** Called with the events of a sender, in order with its messages. */
    abstract void onSenderEvent(SenderEvent event);

    /**
     * Decodes the elements of a message and reads it. The message must not be released before.
     *
     * @return null if its elements cannot be decoded, which the endpoint has counted and logged
     */
    static @Nullable PipeMessage read(Function<ReceivedMessage, PipeMessage> reader, ReceivedMessage received) {
        try {
            received.message();
        } catch (ParleyException e) {
            return null;
        }
        return reader.apply(received);
    }

    /** Discards the queued messages, which returns their credit to the senders. Called once, when the pipe closes. */
    abstract void discard();

    /** Returns the exception for a call that needs a pipe without a listener. */
    final IllegalStateException hasListener() {
        return new IllegalStateException(this + ": its messages go to a listener");
    }

    /** Sets the registration at the endpoint. Called once, before the pipe is passed to the user. */
    public final void bind(AsyncCloseable registration) {
        binding = registration;
        registration.whenClosed().thenRun(this::release); // also if the endpoint closes first
    }

    private void release() {
        discard();
        AsyncCloseable published = publication;
        if (published == null) {
            closed.complete(null);
        } else {
            published.closeAsync().whenComplete((withdrawn, failure) -> closed.complete(null));
        }
    }

    /** Sets the publication, which is withdrawn when the pipe closes. */
    public final void publish(AsyncCloseable published) {
        publication = published;
        if (isClosing()) {
            published.closeAsync();
        }
    }

    @Override
    public final PipeId id() {
        return ticket.pipe();
    }

    @Override
    public final PipeTicket ticket() {
        return ticket;
    }

    @Override
    public final CompletableFuture<Void> closeAsync() {
        AsyncCloseable bound = binding;
        if (bound != null) {
            bound.closeAsync();
        }
        return closed.copy();
    }

    @Override
    public final CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public final boolean isClosing() {
        AsyncCloseable bound = binding;
        return bound != null && bound.isClosing();
    }

    @Override
    public final void close() {
        Closeables.closeAndAwait(this, closeTimeout);
    }

    @Override
    public final String toString() {
        return "InputPipe " + id();
    }
}

package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ParleyException;
import io.parley.id.PipeId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The common part of all input pipes: the ticket, and the registrations that end when the pipe closes. Thread-safe. */
abstract class AbstractInputPipe implements InputPipe, Consumer<ReceivedMessage> {

    private final PipeTicket ticket;
    private final Duration closeTimeout;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile @Nullable AsyncCloseable binding;
    private volatile @Nullable AsyncCloseable publication;

    AbstractInputPipe(PipeTicket ticket, Duration closeTimeout) {
        this.ticket = ticket;
        this.closeTimeout = closeTimeout;
    }

    /**
     * Returns a received message with its elements decoded, or null if that has failed, which the endpoint has counted and logged. The
     * message must not be released before.
     */
    static @Nullable PipeMessage decode(ReceivedMessage received) {
        try {
            return new PipeMessage(received.from(), received.message());
        } catch (ParleyException e) {
            return null;
        }
    }

    /** Discards the queued messages, which returns their credit to the senders. Called once, when the pipe closes. */
    abstract void discard();

    /** Sets the registration at the endpoint. Called once, before the pipe is passed to the user. */
    final void bind(AsyncCloseable registration) {
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
    final void publish(AsyncCloseable published) {
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

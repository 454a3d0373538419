package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.endpoint.ReceivedMessage;
import io.parley.id.PipeId;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What both forms of input pipe share: the id, and the end of their binding to the endpoint. */
abstract class AbstractInputPipe implements InputPipe, Consumer<ReceivedMessage> {

    private final PipeTicket ticket;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile @Nullable AsyncCloseable binding;
    private volatile @Nullable AsyncCloseable publication;

    AbstractInputPipe(PipeTicket ticket) {
        this.ticket = ticket;
    }

    /** Drops what has been queued and gives the senders' windows back. Called once, when the pipe closes. */
    abstract void discard();

    final void bind(AsyncCloseable toEndpoint) {
        binding = toEndpoint;
        toEndpoint.whenClosed().thenRun(() -> {
            closed.complete(null);
            discard();
        });
    }

    /** Withdraws it when the pipe closes. */
    final void published(AsyncCloseable by) {
        publication = by;
        if (isClosing()) {
            by.closeAsync();
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
        AsyncCloseable said = publication;
        if (said != null) {
            said.closeAsync();
        }
        return closed;
    }

    @Override
    public final CompletableFuture<Void> whenClosed() {
        return closed;
    }

    @Override
    public final boolean isClosing() {
        AsyncCloseable bound = binding;
        return bound != null && bound.isClosing();
    }

    @Override
    public final void close() {
        closeAsync();
    }

    @Override
    public final String toString() {
        return "InputPipe " + id();
    }
}

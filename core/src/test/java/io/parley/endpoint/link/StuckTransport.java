package io.parley.endpoint.link;

import io.parley.endpoint.Connection;
import io.parley.endpoint.EndpointAddress;
import io.parley.endpoint.Transport;
import io.parley.endpoint.TransportServer;
import io.parley.id.PeerId;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A transport for {@code stuck://} addresses that connects as the test says, by default never. */
final class StuckTransport implements Transport {

    final AtomicInteger dials = new AtomicInteger();
    volatile Supplier<CompletableFuture<Connection>> onDial = CompletableFuture::new;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    @Override
    public Set<String> schemes() {
        return Set.of("stuck");
    }

    @Override
    public CompletableFuture<Connection> dial(EndpointAddress address, @Nullable PeerId expected) {
        dials.incrementAndGet();
        return onDial.get();
    }

    @Override
    public CompletableFuture<TransportServer> listen(EndpointAddress address, Consumer<Connection> onAccept) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        closed.complete(null);
        return closed;
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed;
    }

    @Override
    public boolean isClosed() {
        return closed.isDone();
    }

    @Override
    public void close() {
        closeAsync();
    }
}

package io.parley.testkit.transport;

import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportServer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A transport for {@code stuck://} addresses whose dials complete as the test determines, by default never. */
public final class StuckTransport implements Transport {

    private final AtomicInteger dials = new AtomicInteger();
    private volatile Function<EndpointAddress, CompletableFuture<Connection>> onDial =
            address -> new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Returns the number of dials so far. */
    public int dials() {
        return dials.get();
    }

    /** Sets the result of the dials that follow. */
    public void onDial(Supplier<CompletableFuture<Connection>> connector) {
        onDial = address -> connector.get();
    }

    /** Sets the results of the dials that follow, by address. */
    public void onDial(Function<EndpointAddress, CompletableFuture<Connection>> connector) {
        onDial = connector;
    }

    @Override
    public Set<String> schemes() {
        return Set.of("stuck");
    }

    @Override
    public CompletableFuture<Connection> dial(EndpointAddress address, @Nullable PeerId expected) {
        dials.incrementAndGet();
        return onDial.apply(address);
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
    public boolean isClosing() {
        return closed.isDone();
    }

    @Override
    public void close() {
        closeAsync();
    }
}

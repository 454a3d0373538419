package io.parley.testkit.transport;

import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportServer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Creates transports of another provider whose connections a test can break. */
public final class BreakableTransportProvider implements TransportProvider {

    private final TransportProvider provider;
    private final Set<Connection> dialed = ConcurrentHashMap.newKeySet();

    /** Wraps the transports of this provider. */
    public BreakableTransportProvider(TransportProvider provider) {
        this.provider = provider;
    }

    /** Aborts every open connection that was dialed. */
    public void breakAll() {
        dialed.forEach(connection -> connection.abort(null));
    }

    @Override
    public Set<String> schemes() {
        return provider.schemes();
    }

    @Override
    public Transport create(TransportContext context) {
        return new Breakable(provider.create(context));
    }

    private final class Breakable implements Transport {

        private final Transport transport;

        private Breakable(Transport transport) {
            this.transport = transport;
        }

        @Override
        public Set<String> schemes() {
            return transport.schemes();
        }

        @Override
        public CompletableFuture<Connection> dial(EndpointAddress address, @Nullable PeerId expected) {
            CompletableFuture<Connection> result = transport.dial(address, expected);
            result.thenAccept(connection -> {
                dialed.add(connection);
                connection.whenClosed().thenRun(() -> dialed.remove(connection));
            });
            return result;
        }

        @Override
        public CompletableFuture<TransportServer> listen(EndpointAddress address, Consumer<Connection> onAccept) {
            return transport.listen(address, onAccept);
        }

        @Override
        public CompletableFuture<Void> closeAsync() {
            return transport.closeAsync();
        }

        @Override
        public CompletableFuture<Void> whenClosed() {
            return transport.whenClosed();
        }

        @Override
        public boolean isClosing() {
            return transport.isClosing();
        }

        @Override
        public void close() {
            transport.close();
        }
    }
}

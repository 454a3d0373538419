package io.parley.testkit.transport;

import io.parley.id.PeerId;
import io.parley.testkit.CuttingProxy;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportServer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Creates transports over TCP whose servers announce the address of a proxy in front of them, so that all connections pass the proxy.
 *
 * @param tcp     creates the transports
 * @param proxies opens the proxy in front of a port
 */
public record ProxiedTransportProvider(TransportProvider tcp, IntFunction<CuttingProxy> proxies)
        implements TransportProvider {

    @Override
    public Set<String> schemes() {
        return tcp.schemes();
    }

    @Override
    public Transport create(TransportContext context) {
        return new ProxiedTransport(tcp.create(context), proxies);
    }

    private record ProxiedTransport(Transport transport, IntFunction<CuttingProxy> proxies) implements Transport {

        @Override
        public Set<String> schemes() {
            return transport.schemes();
        }

        @Override
        public CompletableFuture<Connection> dial(EndpointAddress address, @Nullable PeerId expected) {
            return transport.dial(address, expected);
        }

        @Override
        public CompletableFuture<TransportServer> listen(EndpointAddress address, Consumer<Connection> onAccept) {
            return transport
                    .listen(address, onAccept)
                    .thenApply(server -> new ProxiedServer(
                            server, proxies.apply(server.address().port())));
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

    private record ProxiedServer(TransportServer server, CuttingProxy proxy) implements TransportServer {

        @Override
        public EndpointAddress address() {
            return server.address().withPort(proxy.port());
        }

        @Override
        public CompletableFuture<Void> closeAsync() {
            return server.closeAsync();
        }

        @Override
        public CompletableFuture<Void> whenClosed() {
            return server.whenClosed();
        }

        @Override
        public boolean isClosing() {
            return server.isClosing();
        }

        @Override
        public void close() {
            server.close();
        }
    }
}

package io.parley.testkit.transport;

import io.parley.common.Scheduler;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.RelayLimits;
import io.parley.transport.RelayTransport;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Creates transports whose peers reach each other through relays, which listen until this is closed. A dial without an expected peer
 * expects the one that listened last at the relay, because a relay must know whom to reach.
 */
public final class RelayedTransportProvider implements TransportProvider, AutoCloseable {

    /** Those of {@link TestTransports}, for a relay at which the dialer and the acceptor of a circuit come from one host. */
    private static final TransportLimits TRANSPORT_LIMITS = TestTransports.PATIENT_LIMITS.toBuilder()
            .maxHandshakesPerHost(TestTransports.PATIENT_LIMITS.maxHandshakes())
            .build();

    /** Those for a relay on a loaded machine. It waits for a peer that does not listen there for a fifth of the time to accept. */
    private static final RelayLimits LIMITS = RelayLimits.DEFAULTS.toBuilder()
            .acceptTimeout(Eventually.DEADLINE.multipliedBy(2).dividedBy(3))
            .idleTimeout(Eventually.DEADLINE)
            .build();

    private final TransportProvider provider;
    private final TransportSecurity security;
    private final List<Transport> relays = new ArrayList<>();
    private final Map<EndpointAddress, PeerId> listening = new ConcurrentHashMap<>();

    /**
     * Starts no relay yet.
     *
     * @param provider creates transports that can serve a relay
     * @param security that of the relays
     */
    public RelayedTransportProvider(TransportProvider provider, TransportSecurity security) {
        this.provider = provider;
        this.security = security;
    }

    /**
     * Starts a relay, and returns the address of the peers that listen there.
     *
     * @param any the address on which the relay listens
     */
    public EndpointAddress newRelay(EndpointAddress any) {
        EndpointMetrics metrics = new EndpointMetrics();
        TransportContext context =
                new TransportContext(Identity.generate(), security, TRANSPORT_LIMITS, metrics, Scheduler.system());
        RelayTransport transport = (RelayTransport) provider.create(context);
        relays.add(transport);
        transport.serve(LIMITS);
        return Eventually.get(transport.listen(any, Connection::close), "listening on " + any)
                .address()
                .relayed();
    }

    @Override
    public Set<String> schemes() {
        return provider.schemes();
    }

    @Override
    public Transport create(TransportContext context) {
        return new RelayedTransport(provider.create(context), context.identity().peerId(), listening);
    }

    @Override
    public void close() {
        relays.forEach(Transport::close);
    }

    private record RelayedTransport(Transport transport, PeerId self, Map<EndpointAddress, PeerId> listening)
            implements Transport {

        @Override
        public Set<String> schemes() {
            return transport.schemes();
        }

        @Override
        public CompletableFuture<Connection> dial(EndpointAddress address, @Nullable PeerId expected) {
            return transport.dial(address, expected != null ? expected : listening.get(address));
        }

        @Override
        public CompletableFuture<TransportServer> listen(EndpointAddress address, Consumer<Connection> onAccept) {
            listening.put(address, self);
            return transport
                    .listen(address, onAccept)
                    .thenCompose(server -> server.whenReachable().thenApply(reachable -> server));
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

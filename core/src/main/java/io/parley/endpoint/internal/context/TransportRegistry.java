package io.parley.endpoint.internal.context;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportServer;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The transports of an endpoint, by address scheme, and the servers on which it listens. Thread-safe. */
public final class TransportRegistry {

    private final Map<String, Transport> byScheme = new LinkedHashMap<>();
    private final List<EndpointAddress> publicAddresses = new CopyOnWriteArrayList<>();
    private final List<TransportServer> servers = new CopyOnWriteArrayList<>();

    /** Takes ownership of the transports. The first transport of a scheme is used. */
    public TransportRegistry(List<Transport> transports) {
        for (Transport transport : transports) {
            transport.schemes().forEach(scheme -> byScheme.putIfAbsent(scheme, transport));
        }
    }

    /** Returns the schemes of all transports. */
    public Set<String> schemes() {
        return Set.copyOf(byScheme.keySet());
    }

    /**
     * Dials an address.
     *
     * @param expected the peer that must be at the address, or null for any peer
     * @return a future that fails immediately with {@link ErrorCode#NO_TRANSPORT} if no transport serves the scheme
     */
    public CompletableFuture<Connection> dial(EndpointAddress address, @Nullable PeerId expected) {
        Transport transport = byScheme.get(address.scheme());
        if (transport == null) {
            return CompletableFuture.failedFuture(noTransport(address));
        }
        try {
            return transport.dial(address, expected);
        } catch (RuntimeException | Error e) { // an error too, such as of a thread that cannot be created
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Listens on an address. The future fails with {@link ErrorCode#NO_TRANSPORT} or {@link ErrorCode#CANNOT_LISTEN}. */
    public CompletableFuture<Void> listen(EndpointAddress address, Consumer<Connection> onAccept) {
        Transport transport = byScheme.get(address.scheme());
        return transport == null
                ? CompletableFuture.failedFuture(noTransport(address))
                : transport.listen(address, onAccept).thenAccept(servers::add);
    }

    private ParleyException noTransport(EndpointAddress address) {
        return ErrorCode.NO_TRANSPORT.exception("address " + address + ": no transport serves " + address.scheme()
                + " (found: " + String.join(", ", byScheme.keySet())
                + "); add the artifact io.parley:parley-transport-"
                + address.scheme().replaceFirst("^relay\\+", "").replaceFirst("^https$", "http")
                + " to the class path");
    }

    /** Adds an address at which something else passes connections on to this peer. */
    public void addPublicAddress(EndpointAddress address) {
        publicAddresses.add(address);
    }

    /** Returns the addresses on which this peer is reachable, the public ones first, the relayed ones last. */
    public List<EndpointAddress> localAddresses() {
        Stream<EndpointAddress> listening =
                servers.stream().flatMap(server -> LocalAddressResolver.resolve(server.address()).stream());
        return Stream.concat(publicAddresses.stream(), listening)
                .distinct()
                .sorted(Comparator.comparing(EndpointAddress::isRelayed))
                .limit(PeerAddress.MAX_ADDRESSES)
                .toList();
    }

    /** Accepts no more connections. */
    public void closeServers() {
        servers.forEach(TransportServer::closeAsync);
    }

    /** Closes the transports and their connections. */
    public CompletableFuture<Void> closeAsync() {
        return CompletableFuture.allOf(
                byScheme.values().stream().distinct().map(Transport::closeAsync).toArray(CompletableFuture<?>[]::new));
    }
}

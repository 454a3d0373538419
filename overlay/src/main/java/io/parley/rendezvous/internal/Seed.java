package io.parley.rendezvous.internal;

import io.parley.endpoint.Endpoint;
import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The address of a rendezvous, with or without its peer id. Its text is that of the address. */
sealed interface Seed {

    /** Returns a future that completes with the peer id, after the endpoint has the address or even a connection. */
    CompletableFuture<PeerId> resolve(Endpoint endpoint);

    /** Returns the peer id, if it is part of the address. */
    Optional<PeerId> peer();

    /** Returns the addresses at which the peer may be reached. */
    List<EndpointAddress> addresses();

    /** A seed whose peer id is known. */
    record PeerSeed(PeerAddress address) implements Seed {

        @Override
        public CompletableFuture<PeerId> resolve(Endpoint endpoint) {
            endpoint.addPeerAddress(address);
            return CompletableFuture.completedFuture(address.peer());
        }

        @Override
        public Optional<PeerId> peer() {
            return Optional.of(address.peer());
        }

        @Override
        public List<EndpointAddress> addresses() {
            return address.addresses();
        }

        @Override
        public String toString() {
            return address.toString();
        }
    }

    /** A seed of which only an address is known. The peer that authenticates itself there is taken. */
    record AddressSeed(EndpointAddress address) implements Seed {

        @Override
        public CompletableFuture<PeerId> resolve(Endpoint endpoint) {
            return endpoint.connect(address);
        }

        @Override
        public Optional<PeerId> peer() {
            return Optional.empty();
        }

        @Override
        public List<EndpointAddress> addresses() {
            return List.of(address);
        }

        @Override
        public String toString() {
            return address.toString();
        }
    }
}

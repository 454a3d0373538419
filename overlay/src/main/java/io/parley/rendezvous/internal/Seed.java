package io.parley.rendezvous.internal;

import io.parley.endpoint.Endpoint;
import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Where a rendezvous is said to be. */
sealed interface Seed {

    /** Completes with who that is, when its address is known or even connected. */
    CompletableFuture<PeerId> resolve(Endpoint endpoint);

    /** Who that is, if that is known beforehand. */
    Optional<PeerId> peer();

    /** A peer that is known by its id. */
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
    }

    /** Whoever answers at an address. */
    record AddressSeed(EndpointAddress address) implements Seed {

        @Override
        public CompletableFuture<PeerId> resolve(Endpoint endpoint) {
            return endpoint.connect(address);
        }

        @Override
        public Optional<PeerId> peer() {
            return Optional.empty();
        }
    }
}

package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.endpoint.EndpointLimits;
import io.parley.pipes.internal.RequestCounters.Counter;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** An in-memory network with peers that find each other through a rendezvous or on the local network. Closes all peers. */
final class PipePeers implements AutoCloseable {

    final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();

    PeerBuilder builder(String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .reconnectTimeout(Duration.ofSeconds(15))
                        .closeTimeout(Duration.ofSeconds(2))
                        .build())
                .listen("mem://" + name);
    }

    /** Returns the count of requests, responses or tasks of all groups of a peer. */
    static long count(Peer peer, Counter counter) {
        String name = "parley." + counter.name().toLowerCase(Locale.ROOT).replace('_', '.');
        Long count = peer.metrics().get(name);
        assertThat(count).as(name).isNotNull();
        return count;
    }

    Peer start(PeerBuilder builder) {
        Peer peer = builder.start();
        peers.add(peer);
        return peer;
    }

    /** Starts the rendezvous at {@code mem://rendezvous}. */
    Peer rendezvous() {
        return start(builder("rendezvous").multicast(false).actAsRendezvous());
    }

    /** Starts a client of the rendezvous. */
    Peer edge(String name) {
        return start(builder(name).multicast(false).rendezvous("mem://rendezvous"));
    }

    /** Starts a peer on the local network. */
    Peer near(String name) {
        return start(builder(name).propagationTransport(network.propagationProvider()));
    }

    @Override
    public void close() {
        for (int i = peers.size() - 1; i >= 0; i--) {
            peers.get(i).close();
        }
    }
}

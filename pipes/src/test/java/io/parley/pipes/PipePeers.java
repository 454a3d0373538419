package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.endpoint.EndpointLimits;
import io.parley.pipes.internal.RequestCounters.Counter;
import io.parley.testkit.Eventually;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** An in-memory network with peers that find each other through a rendezvous or on the local network. Closes all peers. */
public final class PipePeers implements AutoCloseable {

    /** The interval of an {@linkplain #impatient impatient} peer, which notices a silent peer after three of them. */
    static final Duration KEEP_ALIVE = Duration.ofMillis(200);

    /** The time for which a search waits for the local network. Pipes repeat a search that was too slow. */
    private static final Duration COLLECT_TIMEOUT = Duration.ofMillis(250);

    /** The time for which an impatient peer dials one that is isolated. */
    private static final Duration DIAL_TIMEOUT = Duration.ofMillis(500);

    public final InMemoryNetwork network = new InMemoryNetwork(2);
    private final Duration closeTimeout;
    private final List<Peer> peers = new ArrayList<>();

    public PipePeers() {
        this(Duration.ofSeconds(2));
    }

    /** @param closeTimeout the time for which a peer that closes waits for one that does not read or respond */
    public PipePeers(Duration closeTimeout) {
        this.closeTimeout = closeTimeout;
    }

    public PeerBuilder builder(String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .reconnectTimeout(Duration.ofSeconds(15))
                        .closeTimeout(closeTimeout)
                        .build())
                .discoveryLimits(limits ->
                        limits.toBuilder().collectTimeout(COLLECT_TIMEOUT).build())
                .listen("mem://" + name);
    }

    /** Returns a peer that notices soon that another one is silent, and does not dial it for long. */
    public PeerBuilder impatient(String name) {
        return builder(name)
                .limits(limits -> limits.toBuilder()
                        .keepAliveInterval(KEEP_ALIVE)
                        .connectTimeout(DIAL_TIMEOUT)
                        .handshakeTimeout(DIAL_TIMEOUT)
                        .build());
    }

    /** Returns the count of requests, responses or tasks of all groups of a peer. */
    public static long count(Peer peer, Counter counter) {
        String name = "parley." + counter.name().toLowerCase(Locale.ROOT).replace('_', '.');
        Long count = peer.metrics().get(name);
        assertThat(count).as(name).isNotNull();
        return count;
    }

    public Peer start(PeerBuilder builder) {
        Peer peer = builder.start();
        peers.add(peer);
        return peer;
    }

    /** Starts the rendezvous at {@code mem://rendezvous}. */
    public Peer rendezvous() {
        return start(builder("rendezvous").multicast(false).actAsRendezvous());
    }

    /** Starts a client of the rendezvous. */
    public Peer edge(String name) {
        return start(builder(name).multicast(false).rendezvous("mem://rendezvous"));
    }

    /** Starts a peer on the local network. */
    public Peer near(String name) {
        return start(builder(name).propagationTransport(network.propagationProvider()));
    }

    /** Closes the first peer, which may be the rendezvous, after the others. */
    @Override
    public void close() {
        List<Peer> others = peers.subList(Math.min(1, peers.size()), peers.size());
        others.forEach(Peer::closeAsync);
        others.forEach(peer -> Eventually.get(peer.whenClosed(), "the close of " + peer));
        peers.forEach(Peer::close);
    }
}

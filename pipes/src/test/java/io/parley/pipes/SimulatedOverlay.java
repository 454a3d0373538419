package io.parley.pipes;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.discovery.internal.IndexPage;
import io.parley.endpoint.EndpointLimits;
import io.parley.group.PeerGroup;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousMetrics;
import io.parley.rendezvous.internal.RendezvousRole;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Many peers of one JVM: rendezvous with one or two other rendezvous as seeds, and clients ("edges"), each with one pipe and one
 * or two rendezvous as seeds.
 */
final class SimulatedOverlay {

    /** Short enough that a test can wait for two leases. */
    static final Duration LEASE = Duration.ofSeconds(60);

    /** Long enough for a busy machine. */
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(10);

    private final EndpointLimits limits;
    private final RendezvousLimits rendezvousLimits;
    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> rendezvous = new ArrayList<>();
    private final List<Peer> edges = new ArrayList<>();
    private final List<Peer> isolated = new ArrayList<>();

    /**
     * Creates an overlay without peers.
     *
     * @param requestTimeout the timeout of a request to a rendezvous, and the interval at which leases are renewed. The intervals of the
     *     rendezvous follow from it
     * @param closeTimeout   the time for which an isolated peer waits for the others when it closes
     */
    SimulatedOverlay(Duration requestTimeout, Duration closeTimeout) {
        Duration hopTimeout = requestTimeout.multipliedBy(2).dividedBy(5);
        rendezvousLimits = RendezvousLimits.DEFAULTS.toBuilder()
                .lease(new RendezvousLimits.LeaseLimits(
                        LEASE, requestTimeout, Duration.ofMillis(250), Duration.ofSeconds(4), 2000, 16))
                .peerView(new RendezvousLimits.PeerViewLimits(hopTimeout, hopTimeout.multipliedBy(6), 3, 255))
                .requestTimeout(requestTimeout)
                .hopTimeout(hopTimeout)
                .build();
        limits = EndpointLimits.DEFAULTS.toBuilder()
                .connectTimeout(Duration.ofSeconds(2))
                .reconnectTimeout(Duration.ofSeconds(5))
                .closeTimeout(closeTimeout)
                .build();
    }

    private PeerBuilder builder(String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .multicast(false)
                .limits(limits)
                .rendezvousLimits(rendezvousLimits)
                .listen("mem://" + name);
    }

    /** Starts rendezvous whose seeds form a chain. Gossip must turn the chain into a peer view of all. */
    void startRendezvous(int count) {
        for (int i = 0; i < count; i++) {
            PeerBuilder builder = builder("rdv-" + i).actAsRendezvous();
            if (i > 0) {
                builder.rendezvous("mem://rdv-" + (i - 1));
            }
            if (i > 1 && i % 3 == 0) {
                builder.rendezvous("mem://rdv-" + i / 2);
            }
            rendezvous.add(builder.start());
        }
    }

    /** Starts clients. Each has its pipe open when this method returns; the index may not have it yet. */
    void startEdges(int count) {
        int seeds = rendezvous.size();
        for (int i = 0; i < count; i++) {
            PeerBuilder builder = builder("edge-" + i).rendezvous("mem://rdv-" + i % seeds);
            if (i % 2 == 1) {
                builder.rendezvous("mem://rdv-" + (7 * i + 3) % seeds);
            }
            Peer edge = builder.start();
            edges.add(edge);
            Pipes.of(edge).open(pipeName(i));
        }
    }

    private static String pipeName(int edge) {
        return "pipe of edge " + edge;
    }

    static DiscoveryQuery queryForPipeOf(int edge) {
        return DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME).with("Name", pipeName(edge));
    }

    /** Disconnects the first rendezvous without a message to other peers. */
    void isolate(int count) {
        for (Peer peer : rendezvous.subList(0, count)) {
            network.isolate(peer.id());
            isolated.add(peer);
        }
    }

    List<Peer> edges() {
        return edges;
    }

    List<Peer> rendezvous() {
        return rendezvous;
    }

    /** Returns the rendezvous that were not isolated. */
    List<Peer> aliveRendezvous() {
        return rendezvous.stream().filter(peer -> !isolated.contains(peer)).toList();
    }

    /** Returns the number of requests that all rendezvous have sent to others on behalf of searches. */
    long forwarded() {
        return rendezvous.stream()
                .mapToLong(peer -> ((RendezvousRole) peer.rendezvous())
                        .metrics()
                        .get(RendezvousMetrics.Counter.SEARCHES_FORWARDED))
                .sum();
    }

    /** Queries the index for the pipe of another client. */
    CompletableFuture<IndexPage> lookUp(int client, int holder) {
        Peer edge = edges.get(client);
        PeerGroup group = edge.netGroup();
        return ((RendezvousRole) edge.rendezvous())
                .index()
                .find(group.id(), queryForPipeOf(holder), 0, 10, RESPONSE_TIMEOUT);
    }

    /** Searches as an application does: verified, and ended by the first result. */
    CompletableFuture<List<SignedAdvertisement>> find(int client, int holder) {
        return edges.get(client)
                .netGroup()
                .discovery()
                .find(queryForPipeOf(holder), SearchOptions.of(RESPONSE_TIMEOUT, 1));
    }

    /** Closes all peers. */
    CompletableFuture<Void> closeAsync() {
        return CompletableFuture.allOf(edges.stream().map(Peer::closeAsync).toArray(CompletableFuture<?>[]::new))
                .thenCompose(left -> CompletableFuture.allOf(
                        rendezvous.stream().map(Peer::closeAsync).toArray(CompletableFuture<?>[]::new)));
    }
}

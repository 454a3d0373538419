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
 * Many peers of one JVM: rendezvous that know one or two others at the start, and edges, each with one pipe, that know one or
 * two rendezvous.
 */
final class SimulatedOverlay {

    /** Short enough that two of them can be waited for. */
    static final Duration LEASE = Duration.ofSeconds(30);

    /** Long enough for a machine that has other things to do. */
    private static final Duration ANSWER = Duration.ofSeconds(10);

    private static final RendezvousLimits RENDEZVOUS_LIMITS = RendezvousLimits.DEFAULTS.toBuilder()
            .lease(new RendezvousLimits.LeaseLimits(
                    LEASE, Duration.ofSeconds(5), Duration.ofMillis(250), Duration.ofSeconds(4), 2000, 16))
            .peerView(new RendezvousLimits.PeerViewLimits(Duration.ofSeconds(2), Duration.ofSeconds(12), 3, 255))
            .requestTimeout(Duration.ofSeconds(5))
            .hopTimeout(Duration.ofSeconds(2))
            .build();

    private static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS.toBuilder()
            .connectTimeout(Duration.ofSeconds(2))
            .reconnectTimeout(Duration.ofSeconds(5))
            .build();

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> rendezvous = new ArrayList<>();
    private final List<Peer> edges = new ArrayList<>();
    private final List<Peer> vanished = new ArrayList<>();

    private PeerBuilder builder(String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .multicast(false)
                .limits(LIMITS)
                .rendezvousLimits(RENDEZVOUS_LIMITS)
                .listen("mem://" + name);
    }

    /** Each is told of the one before, and some of another one: a chain, which gossip has to turn into a view of all. */
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

    /** Each has its pipe open when this returns, which nobody may know yet. */
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

    /** The first rendezvous go without a word. */
    void vanish(int count) {
        for (Peer peer : rendezvous.subList(0, count)) {
            network.isolate(peer.id());
            vanished.add(peer);
        }
    }

    List<Peer> edges() {
        return edges;
    }

    List<Peer> rendezvous() {
        return rendezvous;
    }

    /** Those that have not vanished. */
    List<Peer> aliveRendezvous() {
        return rendezvous.stream().filter(peer -> !vanished.contains(peer)).toList();
    }

    /** How many other rendezvous were asked for look-ups so far, by all together. */
    long forwarded() {
        return rendezvous.stream()
                .mapToLong(peer -> ((RendezvousRole) peer.rendezvous())
                        .metrics()
                        .get(RendezvousMetrics.Counter.SEARCHES_FORWARDED))
                .sum();
    }

    /** What one edge finds of another one's pipe in the index. */
    CompletableFuture<IndexPage> lookUp(int asker, int holder) {
        Peer edge = edges.get(asker);
        PeerGroup group = edge.netGroup();
        return ((RendezvousRole) edge.rendezvous()).index().find(group.id(), queryForPipeOf(holder), 0, 10, ANSWER);
    }

    /** The same as programs do it: verified, and ended with the first result. */
    CompletableFuture<List<SignedAdvertisement>> find(int asker, int holder) {
        return edges.get(asker).netGroup().discovery().find(queryForPipeOf(holder), SearchOptions.of(ANSWER, 1));
    }

    /** Completes when all have ended. */
    CompletableFuture<Void> closeAsync() {
        return CompletableFuture.allOf(edges.stream().map(Peer::closeAsync).toArray(CompletableFuture<?>[]::new))
                .thenCompose(left -> CompletableFuture.allOf(
                        rendezvous.stream().map(Peer::closeAsync).toArray(CompletableFuture<?>[]::new)));
    }
}

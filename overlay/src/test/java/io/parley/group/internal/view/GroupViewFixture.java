package io.parley.group.internal.view;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.group.MemberView;
import io.parley.group.MemberViewLimits;
import io.parley.group.PeerGroup;
import io.parley.group.internal.view.MemberViewCounters.Counter;
import io.parley.testkit.Eventually;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** Peers on an in-memory network with a rendezvous, where each peer is a host of its own. */
final class GroupViewFixture implements AutoCloseable {

    static final String GROUP = "weather";

    private static final Duration ROUND = Duration.ofMillis(500);

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();

    GroupViewFixture() {
        start("rdv", PeerBuilder::actAsRendezvous);
    }

    private Peer start(String name, UnaryOperator<PeerBuilder> change) {
        Peer peer = change.apply(Peer.builder()
                        .name(name)
                        .transport(network.transportProvider())
                        .multicast(false)
                        .limits(limits -> limits.toBuilder()
                                .handshakeTimeout(Eventually.DEADLINE)
                                .build())
                        .memberViewLimits(limits -> new MemberViewLimits(
                                limits.maxNeighbors(),
                                limits.maxKnownMembers(),
                                ROUND,
                                limits.maxMessageBytes(),
                                limits.messagesPerSecond()))
                        .listen("mem://" + name))
                .start();
        peers.add(peer);
        return peer;
    }

    Peer peer(String name, UnaryOperator<PeerBuilder> change) {
        return start(name, builder -> change.apply(builder.rendezvous("mem://rdv")));
    }

    Peer peer(String name) {
        return peer(name, builder -> builder);
    }

    static PeerGroup group(Peer peer) {
        return peer.group(GROUP).join();
    }

    static void awaitNeighbor(Peer peer, Peer neighbor) {
        MemberView view = group(peer).members();
        Eventually.until(
                () -> peer.name() + " has neighbors " + view.neighbors() + ", not " + neighbor.name(),
                () -> view.neighbors().contains(neighbor.id()));
    }

    static void awaitNeighbors(Peer one, Peer other) {
        awaitNeighbor(one, other);
        awaitNeighbor(other, one);
    }

    static long count(Peer peer, Counter counter) {
        return peer.metrics()
                .get("parley." + counter.name().toLowerCase(Locale.ROOT).replace('_', '.'));
    }

    static void awaitCount(Peer peer, Counter counter, long min) {
        Eventually.until(
                () -> counter + ": " + count(peer, counter) + " (expected: >= " + min + ")",
                () -> count(peer, counter) >= min);
    }

    @Override
    public void close() {
        peers.forEach(Peer::closeAsync);
        peers.forEach(peer -> Eventually.get(peer.whenClosed(), "closing a peer"));
    }
}

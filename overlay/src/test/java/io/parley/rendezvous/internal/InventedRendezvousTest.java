package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousFixture.Node;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One connection that names as many rendezvous as a peer view holds, none of which exists. */
class InventedRendezvousTest {

    private static final int INVENTED = RendezvousLimits.DEFAULTS.peerView().maxRendezvous();
    private static final int LOOKUPS = 6;
    private static final Duration ROUND = RendezvousLimits.DEFAULTS.peerView().gossipInterval();

    private final RendezvousFixture fixture = new RendezvousFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    private void send(UnleasedPeer mallory, List<Publisher> invented) {
        int perMessage = PeerViewMessage.MAX_DOCUMENTS - 1;
        for (int from = 0; from < invented.size(); from += perMessage) {
            List<byte[]> documents = new ArrayList<>();
            documents.add(UnleasedPeer.entry(mallory.publisher, mallory.publisher.id())
                    .toByteArray());
            invented.subList(from, Math.min(from + perMessage, invented.size()))
                    .forEach(peer -> documents.add(UnleasedPeer.entry(
                                    peer, peer.id(), "mem://" + peer.id().shortText())
                            .toByteArray()));
            fixture.advance(Duration.ofMillis(50));
            Eventually.get(mallory.sendEntries(documents.toArray(byte[][]::new)), "sending entries");
        }
    }

    @Test
    void inventedRendezvous_getNoReplicas_andLookUpsSucceed() {
        fixture.timePasses = true;
        List<Node> overlay = fixture.overlay(LOOKUPS);
        Set<PeerId> honest = new HashSet<>(overlay.stream().map(Node::id).toList());
        Node alice = fixture.member(overlay.get(0));
        List<Node> readers = overlay.stream().map(fixture::member).toList();
        List<Publisher> invented = new ArrayList<>();
        for (int i = 0; i < INVENTED; i++) {
            invented.add(new Publisher(Identity.generate(), fixture.clock));
        }
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, overlay.get(0))) {
            for (int round = 0; round < 3; round++) {
                send(mallory, invented);
                Instant end = fixture.clock.instant().plus(ROUND);
                fixture.advanceUntil("gossip", () -> fixture.clock.instant().isAfter(end));
            }
            int found = 0;
            for (int i = 0; i < LOOKUPS; i++) {
                alice.published("rain " + i);
                found += readers.get(i).find("rain " + i).size();
            }
            assertThat(found).isEqualTo(LOOKUPS);
            honest.add(mallory.publisher.id());
            for (Node node : overlay) {
                assertThat(honest).containsAll(node.service().rendezvous());
            }
            assertThat(overlay.get(0).count(Counter.VIEW_CANDIDATES_REFUSED)).isPositive();
        }
    }
}

package io.parley.rendezvous.internal;

import static io.parley.rendezvous.internal.Publisher.GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.internal.IndexPage;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousFixture.Node;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IndexReplicationTest {

    private static final RendezvousLimits IMPATIENT = RendezvousLimits.DEFAULTS.toBuilder()
            .requestTimeout(Duration.ofMillis(700))
            .hopTimeout(Duration.ofMillis(500))
            .build();

    private final RendezvousFixture fixture = new RendezvousFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    private static DiscoveryQuery named(String pattern) {
        return DiscoveryQuery.any().with("Name", pattern);
    }

    private static List<Node> keepers(List<Node> overlay, String name, int replicas) {
        ReplicaSelector selector =
                new ReplicaSelector(overlay.stream().map(Node::id).toList());
        List<PeerId> ranked = selector.select(replicas, ReplicaSelector.item(GROUP, "Name", name));
        return ranked.stream()
                .map(id -> overlay.stream()
                        .filter(node -> node.id().equals(id))
                        .findFirst()
                        .orElseThrow())
                .toList();
    }

    @Test
    void whatIsPublishedOnOneRendezvous_isFoundThroughEveryOther_inTwoHops() {
        List<Node> overlay = fixture.overlay(6);
        Node alice = fixture.member(overlay.get(0));
        SignedAdvertisement self = alice.publisher().signSelf();
        Eventually.get(alice.publish(self), "publishing");
        SignedAdvertisement rain = alice.published("rain");
        for (Node rendezvous : overlay) {
            Node bob = fixture.member(rendezvous);
            IndexPage page = bob.page(named("rain"), 0, 10);
            assertThat(page.documents().get(0)).isEqualTo(rain.toByteArray());
            assertThat(page.hops()).isBetween(1, 2);
            // With the way to who has published it.
            assertThat(page.documents().stream().map(ByteBuffer::wrap)).contains(ByteBuffer.wrap(self.toByteArray()));
        }
    }

    @Test
    void whatIsPublished_isKeptByTheReplicas_andNoOthers() {
        List<Node> overlay = fixture.overlay(
                RendezvousLimits.DEFAULTS.toBuilder()
                        .index(RendezvousLimits.IndexLimits.DEFAULTS.toBuilder()
                                .replicas(2)
                                .build())
                        .build(),
                7);
        Node alice = fixture.member(overlay.get(0));
        SignedAdvertisement rain = alice.published("rain");
        PipeAdvertisement pipe = (PipeAdvertisement) rain.advertisement();
        ReplicaSelector selector =
                new ReplicaSelector(overlay.stream().map(Node::id).toList());
        Set<PeerId> expected = new HashSet<>(Set.of(overlay.get(0).id()));
        pipe.attributes()
                .forEach(attribute -> expected.addAll(
                        selector.select(2, ReplicaSelector.item(GROUP, attribute.name(), attribute.value()))));
        Set<PeerId> holding = overlay.stream()
                .filter(node -> ((RendezvousServer) node.service()).indexed() > 0)
                .map(Node::id)
                .collect(Collectors.toSet());
        assertThat(holding).isEqualTo(expected);
    }

    @Test
    void olderReplica_ofAnotherRendezvous_isCounted_butNobodyIsWarnedOfIt() {
        Node victim = fixture.rendezvous();
        try (UnleasedPeer other = new UnleasedPeer(fixture, victim);
                CapturedLog log = new CapturedLog()) {
            Eventually.get(
                    other.tellView(UnleasedPeer.statement(other.publisher, other.publisher.id())
                            .toByteArray()),
                    "telling");
            byte[] older = other.publisher.signPipe("rain").toByteArray();
            byte[] newer = other.publisher.signPipe("rain").toByteArray();
            for (byte[] replica : List.of(newer, newer, older)) {
                PublishResponse reply = Eventually.get(
                        other.send(RendezvousContext.REPLICATE, List.of(replica)), "handing on a replica");
                assertThat(reply.refused()).isZero();
            }
            assertThat(victim.count(Counter.ADVERTISEMENTS_STORED)).isEqualTo(2);
            assertThat(victim.count(Counter.ADVERTISEMENTS_OUTDATED)).isEqualTo(1);
            assertThat(log.lines("Ignored 1 advertisements from rendezvous " + other.publisher.id()))
                    .singleElement()
                    .satisfies(line -> assertThat(line).contains("INFO"));
        }
    }

    @Test
    void rendezvousItself_publishesAndFinds() {
        List<Node> overlay = fixture.overlay(4);
        for (Node node : overlay) {
            node.joined();
        }
        overlay.get(1).published("rain");
        for (Node node : overlay) {
            assertThat(node.find("rain")).hasSize(1);
            assertThat(node.page(named("rain"), 0, 10).hops()).isBetween(0, 1);
        }
    }

    @Test
    void find_ofAPattern_walksAndPages() {
        List<Node> overlay = fixture.overlay(5);
        Set<String> names = new HashSet<>();
        for (int i = 0; i < overlay.size(); i++) {
            Node publisher = fixture.member(overlay.get(i));
            List<SignedAdvertisement> pipes = publisher.publisher().signPipes("rain " + i + " ", 5);
            Eventually.get(publisher.publish(pipes.toArray(SignedAdvertisement[]::new)), "publishing");
            pipes.forEach(pipe -> names.add(((PipeAdvertisement) pipe.advertisement()).name()));
        }
        Node bob = fixture.member(overlay.get(2));
        List<String> found = new ArrayList<>();
        int offset = 0;
        int pages = 0;
        int hops = 0;
        while (offset >= 0) {
            IndexPage page = bob.page(named("rain*"), offset, 4);
            page.documents().stream()
                    .map(document -> bob.publisher().verifier().verify(document).advertisement())
                    .map(PipeAdvertisement.class::cast)
                    .forEach(pipe -> found.add(String.valueOf(pipe.name())));
            offset = page.next().orElse(-1);
            hops = page.hops();
            pages++;
        }
        assertThat(hops).isEqualTo(2);
        assertThat(found).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(names);
        assertThat(pages).isEqualTo(7);
    }

    @Test
    void walk_asksNoMoreThanItsBound() {
        RendezvousLimits limits = RendezvousLimits.DEFAULTS.toBuilder()
                .index(RendezvousLimits.IndexLimits.DEFAULTS.toBuilder()
                        .replicas(1)
                        .maxWalkPeers(2)
                        .walksPerSecond(20)
                        .build())
                .build();
        List<Node> overlay = fixture.overlay(limits, 6);
        Node bob = fixture.member(overlay.get(0));
        bob.page(named("nothing*"), 0, 10);
        assertThat(overlay.get(0).count(Counter.SEARCHES_FORWARDED)).isEqualTo(2);
    }

    @Test
    void walks_beyondTheRate_areRefused_exactOnesAreNot() {
        RendezvousLimits limits = RendezvousLimits.DEFAULTS.toBuilder()
                .index(RendezvousLimits.IndexLimits.DEFAULTS.toBuilder()
                        .maxWalkPeers(64)
                        .walksPerSecond(1)
                        .build())
                .build();
        List<Node> overlay = fixture.overlay(limits, 2);
        Node bob = fixture.member(overlay.get(0));
        bob.page(named("a*"), 0, 10);
        bob.page(named("b*"), 0, 10);
        assertThat(RendezvousFixture.failure(
                        bob.service().index().find(GROUP, named("c*"), 0, 10, RendezvousFixture.PATIENCE)))
                .isEqualTo(io.parley.error.ErrorCode.BUSY);
        bob.page(named("c"), 0, 10);
        assertThat(fixture.overlayCount(overlay, Counter.SEARCHES_THROTTLED)).isEqualTo(1);
    }

    @Test
    void find_afterTheHomeIsLost_stillFinds() {
        fixture.timePasses = true;
        List<Node> overlay = fixture.overlay(IMPATIENT, 5);
        Node home = overlay.get(0);
        Node alice = fixture.member(IMPATIENT, home);
        alice.published("rain");
        overlay.remove(home);
        fixture.kill(home);
        for (Node rendezvous : overlay) {
            assertThat(fixture.member(rendezvous).find("rain")).hasSize(1);
        }
    }

    @Test
    void find_whileAReplicaIsGoneWithoutAWord_asksTheNext() {
        fixture.timePasses = true;
        List<Node> overlay = fixture.overlay(IMPATIENT, 6);
        List<Node> keepers = keepers(overlay, "rain", 3);
        List<Node> others = new ArrayList<>(overlay);
        others.removeAll(keepers);
        Node alice = fixture.member(IMPATIENT, others.get(0));
        alice.published("rain");
        Node bob = fixture.member(IMPATIENT, others.get(1));
        keepers.get(0).vanish();
        assertThat(bob.find("rain")).hasSize(1);
        keepers.get(1).vanish();
        assertThat(bob.find("rain")).hasSize(1);
    }

    @Test
    void replica_thatIsLost_isMadeUpForByAnother() {
        RendezvousLimits limits = IMPATIENT.toBuilder()
                .index(RendezvousLimits.IndexLimits.DEFAULTS.toBuilder()
                        .replicas(2)
                        .build())
                .build();
        fixture.timePasses = true;
        List<Node> overlay = fixture.overlay(limits, 6);
        List<Node> ranked = keepers(overlay, "rain", 6);
        Node home = ranked.get(5);
        Node alice = fixture.member(home);
        alice.published("rain");
        Node lost = ranked.get(0);
        overlay.remove(lost);
        fixture.kill(lost);
        fixture.awaitFullView(overlay);
        Node next = ranked.get(2);
        next.joined();
        fixture.passUntil("the next one to have it", () -> ((RendezvousServer) next.service()).indexed() > 0);
        overlay.remove(ranked.get(1));
        fixture.kill(ranked.get(1));
        fixture.awaitFullView(overlay);
        assertThat(fixture.member(ranked.get(4)).find("rain")).hasSize(1);
    }

    @Test
    void rendezvous_thatJoinsLater_getsWhatItHasToKeep() {
        List<Node> overlay = fixture.overlay(3);
        Node alice = fixture.member(overlay.get(0));
        List<SignedAdvertisement> pipes = alice.publisher().signPipes("rain ", 300);
        Eventually.get(alice.publish(pipes.toArray(SignedAdvertisement[]::new)), "publishing");
        Node late = fixture.rendezvous(overlay.get(0));
        overlay.add(late);
        fixture.awaitFullView(overlay);
        ReplicaSelector selector =
                new ReplicaSelector(overlay.stream().map(Node::id).toList());
        long expected = pipes.stream()
                .filter(pipe -> pipe.advertisement().attributes().stream()
                        .anyMatch(attribute -> selector.select(
                                        3, ReplicaSelector.item(GROUP, attribute.name(), attribute.value()))
                                .contains(late.id())))
                .count();
        assertThat(expected).isPositive();
        fixture.passUntil(
                "the late one to have " + expected, () -> ((RendezvousServer) late.service()).indexed() == expected);
    }

    @Test
    void newerVersion_andWithdrawal_reachTheReplicas() {
        List<Node> overlay = fixture.overlay(5);
        Node alice = fixture.member(overlay.get(0));
        alice.published("rain");
        fixture.pass(Duration.ofMillis(50));
        SignedAdvertisement newer = alice.published("rain");
        List<Node> readers = overlay.stream().map(fixture::member).toList();
        for (Node reader : readers) {
            assertThat(reader.find("rain")).containsExactly(newer);
        }
        fixture.pass(Duration.ofMillis(50));
        SignedAdvertisement withdrawal = alice.publisher().sign(Publisher.pipe(GROUP, "rain"), Duration.ofSeconds(5));
        Eventually.get(alice.publish(withdrawal), "withdrawing");
        for (Node reader : readers) {
            assertThat(reader.find("rain")).isEmpty();
        }
    }
}

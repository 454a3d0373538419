package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousFixture.Node;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PeerViewGossiperTest {

    private final RendezvousFixture fixture = new RendezvousFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void rendezvous_withOneSeedEach_learnAllOthers() {
        List<Node> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(i == 0 ? fixture.rendezvous() : fixture.rendezvous(all.get(i - 1)));
        }
        fixture.awaitFullView(all);
    }

    @Test
    void rendezvous_thatIsAlive_staysInTheView() {
        List<Node> all = fixture.overlay(3);
        long rounds = received(all.get(0)) + 60;
        fixture.advanceUntil("sixty messages of gossip", () -> received(all.get(0)) >= rounds);
        fixture.awaitFullView(all);
        assertThat(all.stream()
                        .mapToLong(node -> node.count(Counter.VIEW_ENTRIES_REMOVED))
                        .sum())
                .isZero();
    }

    private static long received(Node node) {
        return node.endpoint().metrics().get(EndpointMetrics.Counter.MESSAGES_RECEIVED);
    }

    @Test
    void rendezvous_thatCloses_isRemovedImmediately() {
        List<Node> all = fixture.overlay(4);
        Node gone = all.remove(2);
        Eventually.get(gone.service().closeAsync(), "closing");
        fixture.await(
                "the removal from all views",
                () -> all.stream().noneMatch(node -> node.service().rendezvous().contains(gone.id())));
    }

    @Test
    void rendezvous_thatIsKilled_isRemovedBeforeTheFailureTimeout() {
        List<Node> all = fixture.overlay(3);
        Node gone = all.remove(2);
        fixture.advanceUntil(
                "connections",
                () -> all.stream().allMatch(node -> node.endpoint().isConnected(gone.id())));
        Instant killed = fixture.clock.instant();
        fixture.kill(gone);
        fixture.advanceUntil(
                "the removal from all views",
                () -> all.stream().noneMatch(node -> node.service().rendezvous().contains(gone.id())));
        assertThat(fixture.clock.instant())
                .isBefore(killed.plus(RendezvousLimits.DEFAULTS.peerView().failureTimeout()));
    }

    @Test
    void rendezvous_thatIsIsolated_isRemovedAfterTheFailureTimeout() {
        List<Node> all = fixture.overlay(3);
        Node gone = all.remove(2);
        gone.isolate();
        fixture.advanceUntil(
                "the removal from all views",
                () -> all.stream().noneMatch(node -> node.service().rendezvous().contains(gone.id())));
        fixture.awaitFullView(all);
    }

    @Test
    void rendezvous_thatIsRestored_isAddedAgain() {
        fixture.endpointLimits = EndpointLimits.DEFAULTS.toBuilder()
                .keepAliveInterval(Duration.ofMillis(500))
                .build();
        List<Node> all = fixture.overlay(3);
        Node gone = all.get(2);
        gone.isolate();
        fixture.advanceUntil(
                "the removal from all views",
                () -> all.subList(0, 2).stream()
                        .noneMatch(node -> node.service().rendezvous().contains(gone.id())));
        fixture.network.restore(gone.id());
        fixture.awaitFullView(all);
    }

    private Publisher carol() {
        return new Publisher(Identity.generate(), fixture.clock);
    }

    @Test
    void entry_thatIsForged_isRejectedAndLogged() {
        Node victim = fixture.rendezvous();
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, victim);
                CapturedLog log = new CapturedLog()) {
            Publisher carol = carol();
            byte[] forged = UnleasedPeer.entry(carol, carol.id()).toByteArray();
            forged[forged.length - 1] ^= 1;
            byte[] own = UnleasedPeer.entry(mallory.publisher, mallory.publisher.id())
                    .toByteArray();
            Eventually.get(mallory.sendEntries(own, forged), "sending entries");
            assertThat(victim.service().rendezvous()).containsExactly(mallory.publisher.id());
            assertThat(victim.count(Counter.VIEW_ENTRIES_REJECTED)).isEqualTo(1);
            assertThat(log.lines("Rejected peer view entry"))
                    .singleElement()
                    .satisfies(line -> assertThat(line).contains("WARN", "signature"));
        }
    }

    @Test
    void entry_ofAnotherPeer_doesNotAuthorizeTheSender() {
        Node victim = fixture.rendezvous();
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, victim)) {
            Publisher carol = carol();
            byte[] entry = UnleasedPeer.entry(carol, carol.id()).toByteArray();
            assertThat(RendezvousFixture.failure(mallory.sendEntries(entry))).isEqualTo(ErrorCode.NO_SUCH_SERVICE);
            List<byte[]> rain = List.of(mallory.publisher.signPipe("rain").toByteArray());
            assertThat(RendezvousFixture.failure(mallory.send(RendezvousContext.REPLICATE, rain)))
                    .isEqualTo(ErrorCode.NO_SUCH_SERVICE);
            assertThat(victim.count(Counter.REQUESTS_UNAUTHORIZED)).isEqualTo(2);
        }
    }

    @Test
    void advertisementOfAnotherType_isRejected() {
        Node victim = fixture.rendezvous();
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, victim)) {
            byte[] pipe = mallory.publisher.signPipe("rain").toByteArray();
            assertThat(RendezvousFixture.failure(mallory.sendEntries(pipe))).isEqualTo(ErrorCode.NO_SUCH_SERVICE);
            assertThat(victim.count(Counter.VIEW_ENTRIES_REJECTED)).isEqualTo(1);
        }
    }

    @Test
    void entry_withAnAddressOfUnknownForm_isAcceptedWithoutIt() {
        Publisher carol = carol();
        PeerViewEntryFactory factory =
                new PeerViewEntryFactory(new RendezvousMetrics(), carol.signer, carol.verifier());
        assertThat(factory.verify(UnleasedPeer.entry(carol, carol.id(), "unknown", "tcp://192.0.2.1:9701")
                                .toByteArray())
                        .orElseThrow()
                        .address())
                .isEqualTo(PeerAddress.of(carol.id(), EndpointAddress.parse("tcp://192.0.2.1:9701")));
    }

    @Test
    void entry_thatIsLarge_isRejected_butNotOneOfTheMostAndLongestAddresses() {
        Publisher carol = carol();
        RendezvousMetrics metrics = new RendezvousMetrics();
        PeerViewEntryFactory factory = new PeerViewEntryFactory(metrics, carol.signer, carol.verifier());
        List<EndpointAddress> longest = IntStream.range(10, 10 + PeerAddress.MAX_ADDRESSES)
                .mapToObj(i -> EndpointAddress.parse("tcp://" + i + "x".repeat(287) + ":9701"))
                .toList();
        byte[] largest = factory.sign(new PeerAddress(carol.id(), longest)).document();
        assertThat(factory.verify(largest).orElseThrow().address().addresses()).isEqualTo(longest);
        assertThat(metrics.get(Counter.VIEW_ENTRIES_REJECTED)).isZero();
        String[] padding = Collections.nCopies(40, "x".repeat(200)).toArray(String[]::new);
        assertThat(factory.verify(UnleasedPeer.entry(carol, carol.id(), padding).toByteArray()))
                .isEmpty();
        assertThat(metrics.get(Counter.VIEW_ENTRIES_REJECTED)).isEqualTo(1);
    }
}

package io.parley.discovery.internal;

import static io.parley.discovery.internal.DiscoveryFixture.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.RouteAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.internal.DiscoveryFixture.Node;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.resolver.internal.PropagateOptions;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Peers nearby that say that they are there. */
class PeerAnnouncerTest {

    private static final DiscoveryQuery PEERS = DiscoveryQuery.of("jxta:PA");

    /** Longer than an answer takes, and shorter than until the next announcement. */
    private static final Duration MOMENT = Duration.ofMillis(300);

    private final DiscoveryFixture bed = new DiscoveryFixture();

    @AfterEach
    void closeAll() {
        bed.close();
    }

    private static List<PeerId> knownPeers(Node node) {
        return node.discovery().findLocal(PEERS, 100).stream()
                .map(SignedAdvertisement::publisher)
                .filter(peer -> !peer.equals(node.peer().id()))
                .toList();
    }

    private static void awaitKnows(Node node, Node... others) {
        List<PeerId> expected =
                Arrays.stream(others).map(other -> other.peer().id()).toList();
        Eventually.until(
                () -> node.peer() + " knows " + knownPeers(node),
                () -> knownPeers(node).containsAll(expected) && knownPeers(node).size() == expected.size());
    }

    private static Message announcement(boolean hello, SignedAdvertisement... documents) {
        return DiscoveryMessages.announcement(
                Arrays.stream(documents).map(SignedAdvertisement::toByteArray).toList(), hello);
    }

    private static void propagate(Node node, Message message) {
        node.resolver()
                .propagate(PeerAnnouncer.NAME, message, new PropagateOptions(LONG, 1), answer -> {})
                .closeAsync();
    }

    @Test
    void twoPeersNearby_knowEachOther_withoutAsking() {
        Node alice = bed.startNearby();
        alice.publishSelf();
        Node bob = bed.startNearby(); // was not there yet when alice said it
        bob.publishSelf();
        awaitKnows(alice, bob);
        assertThat(knownPeers(bob)).isEmpty();
        bed.advanceWhenDue(MOMENT);
        awaitKnows(bob, alice);
        assertThat(alice.count(Counter.REMOTE_SEARCHES) + bob.count(Counter.REMOTE_SEARCHES))
                .isZero();
        Eventually.until(() -> "bob has not learned the way", () -> bob.count(Counter.ADDRESSES_LEARNED) > 0);
        Eventually.until(() -> "alice has not learned the way", () -> alice.count(Counter.ADDRESSES_LEARNED) > 0);
        Eventually.get(bob.peer().endpoint().connect(alice.peer().id()), "connecting");
    }

    @Test
    void newcomer_isAnsweredByAll_evenByThoseWhoKnewIt() {
        Node alice = bed.startNearby();
        Node carol = bed.startNearby();
        Node bob = bed.startNearby();
        alice.publishSelf();
        carol.publishSelf();
        awaitKnows(alice, carol);
        awaitKnows(carol, alice);
        Eventually.until(() -> "answers that wait: " + bed.scheduler.pendingWithin(MOMENT), () -> {
            bed.advance(MOMENT); // who had published itself when it heard the other has an answer to give
            return bed.scheduler.pendingWithin(MOMENT) == 0;
        });
        SignedAdvertisement known = bob.signer().sign(bob.self(), DiscoveryFixture.GROUP);
        alice.store().put(StoreEntryMapper.entry(known));
        carol.store().put(StoreEntryMapper.entry(known));
        long heard = alice.count(Counter.ANNOUNCEMENTS_RECEIVED);
        bob.store()
                .find(StoreEntryMapper.query(DiscoveryFixture.GROUP, PEERS), 10)
                .entries()
                .forEach(entry -> bob.store().remove(entry.key())); // it begins anew
        bob.publishSelf();
        alice.awaitCount(Counter.ANNOUNCEMENTS_RECEIVED, heard + 1);
        Eventually.until(
                () -> "answers that wait: " + bed.scheduler.pendingWithin(MOMENT),
                () -> bed.scheduler.pendingWithin(MOMENT) >= 2);
        bed.advance(MOMENT);
        awaitKnows(bob, alice, carol);
    }

    private void awaitWaitingAnswers(long count) {
        Eventually.until(
                () -> "answers that wait: " + bed.scheduler.pendingWithin(MOMENT),
                () -> bed.scheduler.pendingWithin(MOMENT) == count);
    }

    @Test
    void peer_isAnnouncedAgain_soonAndThenNowAndThen() {
        Node alice = bed.startNearby();
        alice.publishSelf();
        alice.awaitCount(Counter.ANNOUNCEMENTS_SENT, 1);
        bed.advance(Duration.ofSeconds(1));
        alice.awaitCount(Counter.ANNOUNCEMENTS_SENT, 2);
        Eventually.until(() -> "no next one", () -> bed.scheduler.pendingWithin(Duration.ofMinutes(1)) > 0);
        Node bob = bed.startNearby();
        bed.advance(Duration.ofSeconds(59));
        assertThat(knownPeers(bob)).isEmpty();
        bed.advance(Duration.ofSeconds(1));
        awaitKnows(bob, alice);
        alice.awaitCount(Counter.ANNOUNCEMENTS_SENT, 3);
    }

    @Test
    void peer_isAnnounced_whenThereIsAWayAtLast() {
        Node alice = bed.start(false, null);
        Node bob = bed.startNearby();
        alice.publishSelf();
        bed.advanceWhenDue(Duration.ofMillis(250));
        bed.advanceWhenDue(Duration.ofMillis(500));
        assertThat(knownPeers(bob)).isEmpty();
        alice.resolver().addPropagator(alice.nearby());
        bed.advanceWhenDue(Duration.ofSeconds(1));
        awaitKnows(bob, alice);
    }

    @Test
    void changedAddresses_areAnnouncedAtOnce() {
        Node alice = bed.startNearby();
        Node bob = bed.startNearby();
        alice.publishSelf();
        awaitKnows(bob, alice);
        PeerAdvertisement moved =
                alice.self().withRoute(RouteAdvertisement.of(alice.peer().id(), List.of("mem://elsewhere")));
        SignedAdvertisement signed = alice.discovery().publish(moved).signedAdvertisement();
        Eventually.until(
                () -> "bob has not heard it",
                () -> bob.discovery().findLocal(PEERS, 10).equals(List.of(signed)));
    }

    @Test
    void peerThatGoes_isForgotten() {
        Node alice = bed.startNearby();
        Node bob = bed.startNearby();
        alice.publishSelf();
        awaitKnows(bob, alice);
        alice.discovery().close();
        assertThat(alice.discovery().whenClosed()).isDone();
        awaitKnows(bob);
    }

    @Test
    void peerThatIsNotPublished_hearsButSaysNothing() {
        Node alice = bed.startNearby();
        Node bob = bed.startNearby();
        bob.publish("rain");
        alice.publishSelf();
        awaitKnows(bob, alice);
        assertThat(bob.count(Counter.ANNOUNCEMENTS_SENT)).isZero();
        assertThat(bed.scheduler.pendingWithin(MOMENT)).as("answers that wait").isZero();
        assertThat(alice.count(Counter.ADVERTISEMENTS_ACCEPTED)).isZero();
    }

    @Test
    void addressesThatCantBeUsed_areSkipped() {
        Node alice = bed.startNearby();
        Node bob = bed.startNearby();
        List<String> addresses = new ArrayList<>(List.of("no address", "tcp://", "tcp://h:99999", "jxtatls://uuid-1"));
        for (int i = 0; i < 30; i++) {
            addresses.add("mem://nowhere" + i);
        }
        addresses.add(0, alice.peer().endpoint().addresses().get(0).toString());
        alice.discovery()
                .publish(alice.self()
                        .withRoute(RouteAdvertisement.of(alice.peer().id(), addresses)));
        awaitKnows(bob, alice);
        Eventually.until(() -> "not learned", () -> bob.count(Counter.ADDRESSES_LEARNED) == 1);
        Eventually.get(bob.peer().endpoint().connect(alice.peer().id()), "connecting");
    }

    @Test
    void whatOthersSayOfAPeer_isNotTaken() {
        Node alice = bed.start(false, null);
        Node mallory = bed.startNearby();
        Node bob = bed.startNearby();
        SignedAdvertisement alices = alice.signer().sign(alice.self(), DiscoveryFixture.GROUP);
        SignedAdvertisement pipe = mallory.signer().sign(DiscoveryFixture.pipe("rain"), DiscoveryFixture.GROUP);
        propagate(mallory, announcement(true, alices, pipe));
        bob.awaitCount(Counter.ADVERTISEMENTS_UNSOLICITED, 2);
        assertThat(bob.discovery().findLocal(DiscoveryQuery.any(), 10)).isEmpty();
        SignedAdvertisement[] tooMany = new SignedAdvertisement[20];
        Arrays.fill(tooMany, pipe);
        propagate(mallory, announcement(true, tooMany));
        bob.awaitCount(Counter.ADVERTISEMENTS_UNSOLICITED, 22);
    }

    @Test
    void junk_isCounted_andTheNextAnnouncementIsHeard() {
        Node mallory = bed.startNearby();
        Node bob = bed.startNearby();
        propagate(mallory, Message.EMPTY);
        propagate(mallory, DiscoveryMessages.announcement(List.of(new byte[0], new byte[500]), true));
        bob.awaitCount(Counter.ADVERTISEMENTS_REJECTED, 2);
        mallory.publishSelf();
        awaitKnows(bob, mallory);
        bob.awaitCount(Counter.ANNOUNCEMENTS_RECEIVED, 3);
    }

    @Test
    void floodOfHellos_getsFewAnswers() {
        Node bob = bed.startNearby();
        Node mallory = bed.startNearby();
        bob.publishSelf();
        mallory.awaitCount(Counter.ANNOUNCEMENTS_RECEIVED, 1);
        ConcurrentLinkedQueue<PeerId> answers = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 100; i++) {
            mallory.resolver()
                    .propagate(
                            PeerAnnouncer.NAME,
                            announcement(true),
                            new PropagateOptions(LONG, 1),
                            answer -> answers.add(answer.from()));
        }
        bob.awaitCount(Counter.ANNOUNCEMENTS_RECEIVED, 100);
        awaitWaitingAnswers(32);
        bed.advance(MOMENT);
        Eventually.until(() -> "answers: " + answers.size(), () -> answers.size() == 32);
    }

    @Test
    void directAnnouncement_getsAnEmptyAnswer() {
        Node alice = bed.startNearby();
        Node bob = bed.startNearby();
        alice.publishSelf();
        bob.peer().endpoint().addPeerAddress(alice.peer().address());
        assertThat(Eventually.get(
                        bob.resolver().query(alice.peer().id(), PeerAnnouncer.NAME, announcement(true), LONG),
                        "asking"))
                .isEqualTo(Message.EMPTY);
    }
}

package io.parley.discovery.internal;

import static io.parley.discovery.internal.DiscoveryFixture.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.RouteAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.internal.DiscoveryFixture.TestPeer;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.resolver.internal.PropagateOptions;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Announcements on the local network. */
class PeerAnnouncerTest {

    /**
     * The interval of announcements that expire after two minutes. The time must not advance beyond the announcement, because it may then
     * advance while the receiver handles it, and it would not handle it after its timeout.
     */
    private static final Duration INTERVAL = Duration.ofSeconds(30);

    private static final DiscoveryQuery PEERS = DiscoveryQuery.of("jxta:PA");

    /** Longer than the delay of an announcement in return, and shorter than the interval between announcements. */
    private static final Duration MOMENT = Duration.ofMillis(300);

    private final DiscoveryFixture fixture = new DiscoveryFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    private static List<PeerId> knownPeers(TestPeer testPeer) {
        return testPeer.discovery().findLocal(PEERS, 100).stream()
                .map(SignedAdvertisement::publisher)
                .filter(peer -> !peer.equals(testPeer.peer().id()))
                .toList();
    }

    private static void awaitKnown(TestPeer testPeer, TestPeer... others) {
        List<PeerId> expected =
                Arrays.stream(others).map(other -> other.peer().id()).toList();
        Eventually.until(
                () -> testPeer.peer() + " knows " + knownPeers(testPeer),
                () -> knownPeers(testPeer).containsAll(expected)
                        && knownPeers(testPeer).size() == expected.size());
    }

    private static Message announcement(boolean hello, SignedAdvertisement... documents) {
        return DiscoveryMessages.announcement(
                Arrays.stream(documents).map(SignedAdvertisement::toByteArray).toList(), hello);
    }

    private static void propagate(TestPeer testPeer, Message message) {
        testPeer.resolver()
                .propagate(PeerAnnouncer.NAME, message, new PropagateOptions(LONG, 1), response -> {})
                .closeAsync();
    }

    @Test
    void twoPeers_knowEachOther_withoutQueries() {
        TestPeer alice = fixture.startOnLocalNetwork();
        alice.publishSelf();
        TestPeer bob = fixture.startOnLocalNetwork(); // started after alice's announcement
        bob.publishSelf();
        awaitKnown(alice, bob);
        assertThat(knownPeers(bob)).isEmpty();
        fixture.advanceWhenDue(MOMENT);
        awaitKnown(bob, alice);
        assertThat(alice.count(Counter.REMOTE_SEARCHES) + bob.count(Counter.REMOTE_SEARCHES))
                .isZero();
        bob.awaitCount(Counter.ADVERTISEMENTS_ACCEPTED, 1); // counted after its addresses are added
        alice.awaitCount(Counter.ADVERTISEMENTS_ACCEPTED, 1);
        assertThat(bob.count(Counter.ADDRESSES_LEARNED)).isPositive();
        assertThat(alice.count(Counter.ADDRESSES_LEARNED)).isPositive();
        Eventually.get(bob.peer().endpoint().connect(alice.peer().id()), "connecting");
    }

    @Test
    void announcementsThatAreDue_whileThereIsNoThread_followLater() {
        TestPeer alice = fixture.startOnLocalNetwork();
        alice.publishSelf();
        alice.awaitCount(Counter.ANNOUNCEMENTS_SENT, 1);
        fixture.missingThreads.set(1);
        fixture.advanceWhenDue(Duration.ofSeconds(1));
        assertThat(fixture.missingThreads).hasValue(0);
        fixture.advanceWhenDue(Duration.ofSeconds(1));
        alice.awaitCount(Counter.ANNOUNCEMENTS_SENT, 2);
    }

    @Test
    void announcedPeer_staysKnown_betweenAnnouncements() {
        fixture.expiration(Duration.ofMinutes(2));
        TestPeer bob = fixture.startOnLocalNetwork();
        TestPeer alice = fixture.startOnLocalNetwork();
        alice.publishSelf();
        awaitKnown(bob, alice);
        fixture.advanceWhenDue(Duration.ofSeconds(1)); // from the second announcement on the interval is the same
        bob.awaitCount(Counter.ANNOUNCEMENTS_RECEIVED, 2);
        for (int i = 0; i < 10; i++) { // five minutes
            long received = bob.count(Counter.ANNOUNCEMENTS_RECEIVED);
            fixture.advanceWhenDue(INTERVAL); // not before the announcer has scheduled it
            bob.awaitCount(Counter.ANNOUNCEMENTS_RECEIVED, received + 1);
            awaitKnown(bob, alice);
        }
        assertThat(bob.count(Counter.ANNOUNCEMENTS_RECEIVED)).isGreaterThan(2);
    }

    @Test
    void announcedPeer_staysKnown_ifEverySecondAnnouncementIsLost() {
        fixture.expiration(Duration.ofMinutes(2));
        TestPeer bob = fixture.startOnLocalNetwork();
        TestPeer alice = fixture.startOnLocalNetwork();
        alice.publishSelf();
        awaitKnown(bob, alice);
        fixture.advanceWhenDue(Duration.ofSeconds(1)); // from the second announcement on the interval is the same
        bob.awaitCount(Counter.ANNOUNCEMENTS_RECEIVED, 2);
        alice.awaitCount(Counter.ANNOUNCEMENTS_SENT, 2); // counted after it is sent
        for (int i = 0; i < 12; i++) {
            boolean isLost = i % 2 == 0;
            if (isLost) {
                fixture.network.isolate(bob.peer().id());
            }
            long sent = alice.count(Counter.ANNOUNCEMENTS_SENT);
            long received = bob.count(Counter.ANNOUNCEMENTS_RECEIVED);
            fixture.advanceWhenDue(INTERVAL);
            alice.awaitCount(Counter.ANNOUNCEMENTS_SENT, sent + 1);
            if (isLost) {
                fixture.network.restore(bob.peer().id());
            } else {
                bob.awaitCount(Counter.ANNOUNCEMENTS_RECEIVED, received + 1);
            }
            assertThat(knownPeers(bob)).containsExactly(alice.peer().id());
        }
    }

    @Test
    void startedPeer_getsAnnouncementsOfAllPeers_inReturn() {
        TestPeer alice = fixture.startOnLocalNetwork();
        alice.publishSelf();
        TestPeer carol = fixture.startOnLocalNetwork(); // after alice, who announces herself again
        carol.publishSelf();
        awaitKnown(alice, carol);
        fixture.advanceWhenDue(MOMENT);
        awaitKnown(carol, alice);
        Instant settled = fixture.clock.instant().plusSeconds(5); // after the announcements of the first seconds
        Eventually.until(() -> "announcements are pending", () -> {
            fixture.advance(Duration.ofMillis(100));
            return fixture.clock.instant().isAfter(settled)
                    && fixture.scheduler.pendingWithin(Duration.ofSeconds(2)) == 0;
        });
        TestPeer bob = fixture.startOnLocalNetwork();
        SignedAdvertisement known = bob.signer().sign(bob.self(), DiscoveryFixture.GROUP);
        alice.store().put(StoreEntryMapper.entry(known));
        carol.store().put(StoreEntryMapper.entry(known));
        assertThat(knownPeers(bob)).as("as after a restart").isEmpty();
        bob.publishSelf();
        awaitDelayedAnnouncements(2);
        fixture.advance(MOMENT);
        awaitKnown(bob, alice, carol);
    }

    private void awaitDelayedAnnouncements(long count) {
        Eventually.until(
                () -> "delayed announcements: " + fixture.scheduler.pendingWithin(MOMENT),
                () -> fixture.scheduler.pendingWithin(MOMENT) == count);
    }

    @Test
    void peer_isAnnouncedPeriodically() {
        TestPeer alice = fixture.startOnLocalNetwork();
        alice.publishSelf();
        alice.awaitCount(Counter.ANNOUNCEMENTS_SENT, 1);
        fixture.advance(Duration.ofSeconds(1));
        alice.awaitCount(Counter.ANNOUNCEMENTS_SENT, 2);
        Eventually.until(() -> "no timer", () -> fixture.scheduler.pendingWithin(Duration.ofMinutes(1)) > 0);
        TestPeer bob = fixture.startOnLocalNetwork();
        fixture.advance(Duration.ofSeconds(59));
        assertThat(knownPeers(bob)).isEmpty();
        fixture.advance(Duration.ofSeconds(1));
        awaitKnown(bob, alice);
        alice.awaitCount(Counter.ANNOUNCEMENTS_SENT, 3);
    }

    @Test
    void peer_isAnnounced_whenAPropagatorIsAdded() {
        TestPeer alice = fixture.start(false, null);
        TestPeer bob = fixture.startOnLocalNetwork();
        alice.publishSelf();
        fixture.advanceWhenDue(Duration.ofMillis(250));
        fixture.advanceWhenDue(Duration.ofMillis(500));
        assertThat(knownPeers(bob)).isEmpty();
        alice.resolver().addPropagator(alice.multicast());
        fixture.advanceWhenDue(Duration.ofSeconds(1));
        awaitKnown(bob, alice);
    }

    @Test
    void failedAnnouncement_isRepeatedSoon_ifThoseBeforeHaveSucceeded() {
        TestPeer alice = fixture.start(false, null);
        alice.publishSelf();
        advanceUntilSent(alice, 6); // without a local network, so each one is later
        Eventually.until(() -> "repeated soon", () -> fixture.scheduler.pendingWithin(Duration.ofSeconds(1)) == 0);
        AsyncCloseable localNetwork = alice.resolver().addPropagator(alice.multicast());
        advanceUntilSent(alice, alice.count(Counter.ANNOUNCEMENTS_SENT) + 2);
        localNetwork.close();
        advanceUntilSent(alice, alice.count(Counter.ANNOUNCEMENTS_SENT) + 1);
        fixture.advanceWhenDue(Duration.ofMillis(250));
    }

    private void advanceUntilSent(TestPeer testPeer, long count) {
        Eventually.until(() -> "announcements: " + testPeer.count(Counter.ANNOUNCEMENTS_SENT), () -> {
            if (testPeer.count(Counter.ANNOUNCEMENTS_SENT) < count) {
                fixture.advance(Duration.ofMillis(100));
            }
            return testPeer.count(Counter.ANNOUNCEMENTS_SENT) >= count;
        });
    }

    @Test
    void changedAddresses_areAnnouncedImmediately() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        alice.publishSelf();
        awaitKnown(bob, alice);
        PeerAdvertisement moved =
                alice.self().withRoute(RouteAdvertisement.of(alice.peer().id(), List.of("mem://elsewhere")));
        SignedAdvertisement signed = alice.discovery().publish(moved).signedAdvertisement();
        Eventually.until(
                () -> "bob has not received it",
                () -> bob.discovery().findLocal(PEERS, 10).equals(List.of(signed)));
    }

    @Test
    void closedPeer_isRemoved() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        alice.publishSelf();
        awaitKnown(bob, alice);
        alice.discovery().close();
        assertThat(alice.discovery().whenClosed()).isDone();
        awaitKnown(bob);
    }

    @Test
    void unpublishedPeer_receivesButSendsNoAnnouncements() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        bob.publish("rain");
        alice.publishSelf();
        awaitKnown(bob, alice);
        assertThat(bob.count(Counter.ANNOUNCEMENTS_SENT)).isZero();
        assertThat(fixture.scheduler.pendingWithin(MOMENT))
                .as("delayed announcements")
                .isZero();
        assertThat(alice.count(Counter.ADVERTISEMENTS_ACCEPTED)).isZero();
    }

    @Test
    void unusableAddresses_areSkipped() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        List<String> addresses = new ArrayList<>(List.of("no address", "tcp://", "tcp://h:99999", "jxtatls://uuid-1"));
        for (int i = 0; i < 30; i++) {
            addresses.add("mem://nowhere" + i);
        }
        addresses.add(0, alice.peer().endpoint().addresses().get(0).toString());
        alice.discovery()
                .publish(alice.self()
                        .withRoute(RouteAdvertisement.of(alice.peer().id(), addresses)));
        awaitKnown(bob, alice);
        bob.awaitCount(Counter.ADVERTISEMENTS_ACCEPTED, 1); // counted after its addresses are added
        assertThat(bob.count(Counter.ADDRESSES_LEARNED)).isEqualTo(1);
        Eventually.get(bob.peer().endpoint().connect(alice.peer().id()), "connecting");
    }

    @Test
    void announcementOfAnotherPeer_isIgnored() {
        TestPeer alice = fixture.start(false, null);
        TestPeer mallory = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
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
    void malformedAnnouncement_isCounted_andTheNextIsReceived() {
        TestPeer mallory = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        propagate(mallory, Message.EMPTY);
        propagate(mallory, DiscoveryMessages.announcement(List.of(new byte[0], new byte[500]), true));
        bob.awaitCount(Counter.ADVERTISEMENTS_REJECTED, 2);
        mallory.publishSelf();
        awaitKnown(bob, mallory);
        bob.awaitCount(Counter.ANNOUNCEMENTS_RECEIVED, 3);
    }

    @Test
    void manyHellos_causeOneAnnouncementPerSecond() {
        TestPeer bob = fixture.startOnLocalNetwork();
        TestPeer mallory = fixture.startOnLocalNetwork();
        bob.publishSelf();
        fixture.advanceWhenDue(Duration.ofSeconds(1)); // the second announcement
        bob.awaitCount(Counter.ANNOUNCEMENTS_SENT, 2);
        sendHellos(mallory);
        awaitDelayedAnnouncements(1);
        fixture.advance(MOMENT);
        bob.awaitCount(Counter.ANNOUNCEMENTS_SENT, 3);
        sendHellos(mallory);
        Eventually.until(() -> "none is pending", () -> fixture.scheduler.pendingWithin(Duration.ofSeconds(1)) > 0);
        assertThat(fixture.scheduler.pendingWithin(MOMENT)).isZero();
        fixture.advance(Duration.ofSeconds(1));
        bob.awaitCount(Counter.ANNOUNCEMENTS_SENT, 4);
        assertThat(mallory.peer().endpoint().connectedPeers()).isEmpty();
    }

    private static void sendHellos(TestPeer testPeer) {
        for (int i = 0; i < 30; i++) {
            propagate(testPeer, announcement(true));
        }
    }

    @Test
    void twelvePeers_knowEachOther_withoutConnections() {
        List<TestPeer> peers = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            TestPeer testPeer = fixture.startOnLocalNetwork();
            testPeer.publishSelf();
            testPeer.awaitCount(Counter.ANNOUNCEMENTS_SENT, 1);
            peers.add(testPeer);
        }
        Eventually.until(() -> "some do not know each other", () -> {
            fixture.advance(Duration.ofMillis(100));
            return peers.stream().allMatch(testPeer -> knownPeers(testPeer).size() == 11);
        });
        assertThat(connections(peers)).as("of 66 in a mesh").isZero();
        TestPeer first = peers.get(0);
        TestPeer last = peers.get(11);
        last.publish("rain");
        assertThat(first.findNames("rain", 1)).containsExactly("rain");
        awaitConnections(peers, 1); // with the peer that has responded
        Eventually.get(first.peer().endpoint().connect(peers.get(5).peer().id()), "connecting");
        awaitConnections(peers, 2);
    }

    /** The accepting peer may learn of a connection later than the other one. */
    private static void awaitConnections(List<TestPeer> peers, long count) {
        Eventually.until(() -> "connections: " + connections(peers), () -> connections(peers) == count);
    }

    private static long connections(List<TestPeer> peers) {
        return peers.stream()
                        .mapToLong(testPeer ->
                                testPeer.peer().endpoint().connectedPeers().size())
                        .sum()
                / 2;
    }

    @Test
    void directAnnouncement_getsAnEmptyResponse() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        alice.publishSelf();
        bob.peer().endpoint().addPeerAddress(alice.peer().address());
        assertThat(Eventually.get(
                        bob.resolver().query(alice.peer().id(), PeerAnnouncer.NAME, announcement(true), LONG),
                        "response"))
                .isEqualTo(Message.EMPTY);
    }
}

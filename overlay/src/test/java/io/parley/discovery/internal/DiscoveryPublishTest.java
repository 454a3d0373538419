package io.parley.discovery.internal;

import static io.parley.discovery.internal.DiscoveryFixture.pipe;
import static io.parley.discovery.internal.DiscoveryFixture.pipes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.advertisement.FragileAdvertisement;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.discovery.Discovery;
import io.parley.discovery.DiscoveryLimits;
import io.parley.discovery.Publication;
import io.parley.discovery.PublishOptions;
import io.parley.discovery.internal.DiscoveryFixture.TestPeer;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.store.StoreLimits;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Publishing, renewing and withdrawing advertisements. */
class DiscoveryPublishTest {

    private final DiscoveryFixture fixture = new DiscoveryFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    @Test
    void published_isFoundLocally_andOnTheLocalNetwork() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        alice.publishSelf();
        Publication publication = alice.publish("rain");
        assertThat(alice.localNames("rain")).containsExactly("rain");
        assertThat(bob.findNames("rain", 1)).containsExactly("rain");
        assertThat(bob.localNames("rain")).as("stored").containsExactly("rain");
        assertThat(bob.discovery().findLocal(DiscoveryFixture.pipes("rain"), 1))
                .containsExactly(publication.signedAdvertisement());
        Eventually.get(bob.peer().endpoint().connect(alice.peer().id()), "connecting");
    }

    @Test
    void localOnly_isInvisibleToOtherPeers() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        SignedAdvertisement signed = alice.discovery()
                .publish(pipe("secret"), PublishOptions.DEFAULTS.localOnly())
                .signedAdvertisement();
        alice.publish("public");
        assertThat(bob.findNames("*", 1)).containsExactly("public");
        assertThat(alice.localNames("*")).containsExactly("public", "secret");
        assertThat(signed.expiration()).isEqualTo(Duration.ZERO);
        assertThat(bob.localNames("secret")).isEmpty();
    }

    @Test
    void sameKey_replaces_andClosingTheEarlierHasNoEffect() {
        TestPeer alice = fixture.startOnLocalNetwork();
        PipeId id = PipeId.random(DiscoveryFixture.GROUP);
        Publication first = alice.discovery().publish(PipeAdvertisement.of(id, PipeType.UNICAST, "old"));
        Publication second = alice.discovery().publish(PipeAdvertisement.of(id, PipeType.UNICAST, "new"));
        assertThat(first.isClosing()).isTrue();
        Eventually.get(first.whenClosed(), "close of the first publication");
        first.close();
        assertThat(alice.localNames("*")).containsExactly("new");
        assertThat(second.signedAdvertisement().supersedes(first.signedAdvertisement()))
                .isTrue();
    }

    @Test
    void published_isRenewed_beforeItExpires() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        Publication publication = alice.publish("rain");
        for (int i = 1; i <= 5; i++) {
            SignedAdvertisement before = publication.signedAdvertisement();
            Duration elapsed = Duration.ZERO;
            while (publication.signedAdvertisement().equals(before)) { // renewed before the next timer is scheduled
                assertThat(elapsed)
                        .isLessThan(AdvertisementSigner.DEFAULT_EXPIRATION
                                .multipliedBy(2)
                                .dividedBy(3));
                fixture.advanceWhenDue(Duration.ofMinutes(1));
                elapsed = elapsed.plusMinutes(1);
            }
            assertThat(publication.signedAdvertisement().supersedes(before)).isTrue();
            alice.awaitCount(Counter.RENEWALS, i);
        }
        assertThat(bob.findNames("rain", 1)).containsExactly("rain");
    }

    @Test
    void typeThatFailsAtRenewals_delaysNoOther_andIsRenewedLater() {
        AtomicBoolean fails = new AtomicBoolean();
        fixture.expiration(Duration.ofMinutes(2)).codec(FragileAdvertisement.codec(fails::get));
        TestPeer alice = fixture.startIndexed();
        Publication fragile = alice.discovery().publish(new FragileAdvertisement("x"));
        Publication rain = alice.publish("rain");
        fails.set(true);
        awaitRenewed(rain);
        awaitRenewed(rain);
        fails.set(false);
        awaitRenewed(fragile);
    }

    /** Advances the time until the publication is renewed. */
    private void awaitRenewed(Publication publication) {
        SignedAdvertisement before = publication.signedAdvertisement();
        while (publication.signedAdvertisement().equals(before)) { // renewed before the next timer is scheduled
            fixture.advanceWhenDue(Duration.ofMinutes(1));
        }
    }

    @Test
    void publicationThatIsDue_whileThereIsNoThread_isRenewedLater() {
        fixture.expiration(Duration.ofMinutes(2));
        TestPeer alice = fixture.startIndexed();
        Publication rain = alice.publish("rain");
        Eventually.get(rain.whenIndexed(), "indexing");
        fixture.missingThreads.set(1);
        awaitRenewed(rain);
        assertThat(fixture.missingThreads).hasValue(0);
    }

    @Test
    void typeThatFailsAtTheWithdrawal_isClosed_asAreTheOthers() {
        AtomicBoolean fails = new AtomicBoolean();
        fixture.codec(FragileAdvertisement.codec(fails::get));
        TestPeer alice = fixture.startIndexed();
        Publication closed = alice.discovery().publish(new FragileAdvertisement("x"));
        Publication open = alice.discovery().publish(new FragileAdvertisement("y"));
        Publication rain = alice.publish("rain");
        Eventually.get(rain.whenIndexed(), "indexing");
        fails.set(true);
        closed.close();
        alice.discovery().closeAsync();
        Eventually.get(alice.discovery().whenClosed(), "closing");
        assertThat(closed.whenClosed()).isCompleted();
        assertThat(open.whenClosed()).isCompleted();
        assertThat(rain.whenClosed()).isCompleted();
        assertThat(fixture.index.holds(rain.signedAdvertisement())).isFalse();
    }

    @Test
    void expiration_ofTheOptions_precedesTheDefault() {
        fixture.expiration(Duration.ofMinutes(2));
        TestPeer alice = fixture.startOnLocalNetwork();
        Publication usual = alice.publish("rain");
        Publication longer =
                alice.discovery().publish(pipe("snow"), PublishOptions.DEFAULTS.withExpiration(Duration.ofHours(1)));
        assertThat(usual.signedAdvertisement().expiration()).isEqualTo(Duration.ofMinutes(2));
        assertThat(longer.signedAdvertisement().expiration()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void publicationsOfDeadPublisher_areGoneAfterTheirExpiration_unlessTheyWereGivenALongerOne() {
        Duration expiration = Duration.ofMinutes(2);
        fixture.expiration(expiration);
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        alice.publish("rain");
        Publication longer =
                alice.discovery().publish(pipe("snow"), PublishOptions.DEFAULTS.withExpiration(Duration.ofHours(1)));
        Eventually.get(longer.whenIndexed(), "publishing");
        for (int period = 0; period < 3; period++) {
            for (int second = 0; second < expiration.toSeconds(); second++) {
                fixture.advance(Duration.ofSeconds(1));
                awaitRenewalsIndexed(alice);
            }
            assertThat(bob.findNames("*", 10)).as("while alice lives").containsExactly("rain", "snow");
        }
        fixture.index.accepts = batch -> false; // what a dead peer does not send is not stored
        fixture.advance(expiration);
        assertThat(bob.localNames("*")).containsExactly("snow");
        assertThat(bob.findNames("*", 10)).containsExactly("snow");
    }

    /**
     * Waits until no renewal is due, the index has the latest versions, and the timer of the next renewal is scheduled: it would expire too
     * late if the clock advanced while its delay is calculated.
     */
    private void awaitRenewalsIndexed(TestPeer publisher) {
        Eventually.until(
                () -> "the timer of renewals is not scheduled",
                () -> fixture.scheduler.pendingWithin(Duration.ofMinutes(2)) > 0);
        Eventually.until(
                () -> "the index lacks a renewed version",
                () -> publisher.discovery().findLocal(pipes("*"), 10).stream()
                        .allMatch(signed -> fixture.index.held(signed.key()).equals(Optional.of(signed))
                                && signed.issuedAt()
                                        .plus(signed.expiration()
                                                .multipliedBy(2)
                                                .dividedBy(3))
                                        .isAfter(fixture.clock.instant())));
    }

    @Test
    void publicationsOfOneTime_areRenewedTogether_upToABatch() {
        fixture.expiration(Duration.ofMinutes(2));
        TestPeer alice = fixture.startIndexed();
        List<Publication> publications = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            publications.add(alice.publish("rain " + i));
            fixture.advance(Duration.ofMillis(10)); // due one after the other
        }
        for (Publication publication : publications) {
            Eventually.get(publication.whenIndexed(), "publishing");
        }
        fixture.index.batches.clear();
        Publication firstDue = publications.get(0);
        SignedAdvertisement before = firstDue.signedAdvertisement();
        while (firstDue.signedAdvertisement().equals(before)) { // renewed before the next timer is scheduled
            Eventually.until(
                    () -> "the timer of renewals is not scheduled",
                    () -> fixture.scheduler.pendingWithin(Duration.ofMinutes(1)) > 0);
            fixture.advance(Duration.ofMillis(200));
        }
        alice.awaitCount(Counter.RENEWALS, 100);
        Eventually.until(() -> "no batch", () -> !fixture.index.batches.isEmpty());
        assertThat(fixture.index.batches).hasSize(1).allMatch(batch -> batch.size() == 100);
    }

    @Test
    void publicationsOfManyPeersThatStartTogether_areNotDueTogether() {
        fixture.withJitter();
        fixture.expiration(Duration.ofMinutes(2));
        List<Duration> firstDue = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            TestPeer peer = fixture.startIndexed();
            long earliest = Long.MAX_VALUE;
            for (int k = 0; k < 30; k++) {
                earliest = Math.min(earliest, ((LocalPublication) peer.publish("rain " + k)).dueMillis());
            }
            firstDue.add(Duration.ofMillis(earliest - fixture.clock.millis()));
        }
        // The range is from 68 to 80 seconds.
        assertThat(firstDue).as("due after").anyMatch(due -> due.compareTo(Duration.ofSeconds(72)) > 0);
    }

    @Test
    void published_isRenewed_whenTheClockWasAheadAndIsSetBack() {
        TestPeer alice = fixture.startOnLocalNetwork();
        fixture.clock.advance(Duration.ofDays(3));
        Publication publication = alice.publish("rain");
        fixture.clock.advance(Duration.ofDays(-3));
        alice.publish("snow");
        TestPeer bob = fixture.startOnLocalNetwork();
        SignedAdvertisement ahead = publication.signedAdvertisement();
        while (publication.signedAdvertisement().equals(ahead)) {
            assertThat(ahead.issuedAt()).isAfter(fixture.clock.instant());
            fixture.advanceWhenDue(Duration.ofMinutes(1));
        }
        // The other one may have been renewed first, and times of issue increase by at least one millisecond each.
        assertThat(publication.signedAdvertisement().issuedAt())
                .isBeforeOrEqualTo(fixture.clock.instant().plusMillis(1));
        assertThat(bob.findNames("rain", 1)).containsExactly("rain");
    }

    @Test
    void closed_isWithdrawn_onTheLocalNetwork() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        alice.publish("sun");
        Publication publication = alice.publish("rain");
        assertThat(bob.findNames("*", 2)).containsExactly("rain", "sun");
        publication.close();
        assertThat(publication.whenClosed()).isDone();
        assertThat(alice.localNames("*")).containsExactly("sun");
        fixture.advanceWhenDue(Duration.ofMillis(50));
        Eventually.until(
                () -> "bob has the withdrawn advertisement",
                () -> bob.localNames("rain").isEmpty());
        assertThat(bob.localNames("*")).containsExactly("sun");
        assertThat(bob.findNames("*", 1)).as("while the tombstone is stored").containsExactly("sun");
    }

    @Test
    void foreignPublisherOrGroup_isRejected() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        Discovery discovery = alice.discovery();
        assertThatThrownBy(() -> discovery.publish(bob.self()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("publisher");
        PeerAdvertisement elsewhere = PeerAdvertisement.of(alice.peer().id(), GroupId.NET, "alice");
        assertThatThrownBy(() -> discovery.publish(elsewhere)).hasMessageContaining("group");
        assertThatThrownBy(() -> PublishOptions.DEFAULTS.withExpiration(RemoteIndex.WITHDRAWAL_EXPIRATION))
                .hasMessageContaining("expiration");
        assertThat(alice.localNames("*")).isEmpty();
    }

    @Test
    void tooMany_areRejected_untilOneIsClosed() {
        fixture.limits(DiscoveryLimits.DEFAULTS.toBuilder().maxPublications(2).build());
        TestPeer alice = fixture.startOnLocalNetwork();
        Publication first = alice.publish("a");
        alice.publish("b");
        assertThatThrownBy(() -> alice.publish("c"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOCAL_LIMIT))
                .hasMessageContaining("maxPublications");
        first.close();
        alice.publish("c");
        assertThat(alice.localNames("*")).containsExactly("b", "c");
    }

    @Test
    void whatStoresTakeByDefault_isFound_andWhatTheyDoNot_isRejected() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        String longest = "ü".repeat(512);
        alice.publish(longest);
        assertThat(bob.findNames("*", 1)).containsExactly(longest);
        assertThatThrownBy(() -> alice.publish(longest + "x"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOCAL_LIMIT))
                .hasMessageContaining("attribute value: 1025 (expected: <= maxAttributeValueBytes 1024)");
        PipeAdvertisement large = new PipeAdvertisement(pipe("x").id(), PipeType.UNICAST, "x", "y".repeat(65_200));
        assertThatThrownBy(() -> alice.discovery().publish(large)).hasMessageContaining("maxDocumentBytes 65536");
        assertThat(alice.localNames("*")).containsExactly(longest);
        alice.discovery().publish(large, PublishOptions.DEFAULTS.localOnly());
        assertThat(alice.localNames("x")).containsExactly("x");
    }

    @Test
    void whatStoresTakeByTheirLimits_isFound() {
        fixture.storeLimits(
                StoreLimits.DEFAULTS.toBuilder().maxAttributeValueBytes(2000).build());
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        String longest = "x".repeat(2000);
        alice.publish(longest);
        assertThat(bob.findNames("*", 1)).containsExactly(longest);
        assertThatThrownBy(() -> alice.publish(longest + "x")).hasMessageContaining("maxAttributeValueBytes 2000");
    }

    @Test
    void tooLarge_isRejected() {
        TestPeer alice = fixture.startOnLocalNetwork();
        PipeAdvertisement large = new PipeAdvertisement(pipe("x").id(), PipeType.UNICAST, "x", "y".repeat(70_000));
        assertThatThrownBy(() -> alice.discovery().publish(large))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MESSAGE_TOO_LARGE));
    }
}

package io.parley.discovery.internal;

import static io.parley.discovery.internal.DiscoveryFixture.LONG;
import static io.parley.discovery.internal.DiscoveryFixture.assertFails;
import static io.parley.discovery.internal.DiscoveryFixture.pipe;
import static io.parley.discovery.internal.DiscoveryFixture.pipes;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryLimits;
import io.parley.discovery.Publication;
import io.parley.discovery.PublishOptions;
import io.parley.discovery.SearchOptions.Scope;
import io.parley.discovery.internal.DiscoveryFixture.TestPeer;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.error.ErrorCode;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Publishing to an index and searching it. */
class DiscoveryIndexTest {

    private final DiscoveryFixture fixture = new DiscoveryFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    private static void awaitIndexed(Publication publication) {
        Eventually.get(publication.whenIndexed(), "indexing " + publication);
    }

    @Test
    void published_isFoundInTheIndex_andThePublisherIsReachable() {
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        awaitIndexed(alice.publishSelf());
        awaitIndexed(alice.publish("rain"));
        assertThat(bob.findNames("rain", 1)).containsExactly("rain");
        assertThat(bob.count(Counter.ADDRESSES_LEARNED)).isPositive();
        Eventually.get(bob.peer().endpoint().connect(alice.peer().id()), "connecting");
        assertThat(alice.count(Counter.ADVERTISEMENTS_INDEXED)).isEqualTo(2);
    }

    @Test
    void published_whileThereIsNoThread_isIndexedLater() {
        TestPeer alice = fixture.startIndexed();
        fixture.missingThreads.set(1);
        Publication rain = alice.publish("rain");
        assertThat(fixture.missingThreads).hasValue(0);
        Publication sun = alice.publish("sun");
        fixture.advance(Duration.ofSeconds(10));
        awaitIndexed(rain);
        awaitIndexed(sun);
    }

    @Test
    void localOnly_isNotIndexed() {
        TestPeer alice = fixture.startIndexed();
        Publication secret = alice.discovery().publish(pipe("secret"), PublishOptions.DEFAULTS.localOnly());
        awaitIndexed(alice.publish("rain"));
        assertThat(fixture.index.batches.stream().flatMap(List::stream)).hasSize(1);
        assertThat(secret.whenIndexed()).isNotDone();
    }

    @Test
    void changedToLocalOnly_isWithdrawnFromTheIndex() {
        TestPeer alice = fixture.startIndexed();
        Publication first = alice.publish("rain");
        awaitIndexed(first);
        alice.discovery().publish(first.signedAdvertisement().advertisement(), PublishOptions.DEFAULTS.localOnly());
        Eventually.until(
                () -> "the index has the advertisement", () -> !fixture.index.holds(first.signedAdvertisement()));
        assertThat(alice.localNames("*")).containsExactly("rain");
    }

    @Test
    void allPages_areFetched() {
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        List<Publication> publications =
                IntStream.range(0, 250).mapToObj(i -> alice.publish("p" + i)).toList();
        publications.forEach(DiscoveryIndexTest::awaitIndexed);
        assertThat(bob.findNames("p*", 1000))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 250).mapToObj(i -> "p" + i).toList());
        assertThat(fixture.index.requests).extracting(PageRequest::offset).containsExactly(0, 100, 200);
        assertThat(fixture.index.batches).allSatisfy(batch -> assertThat(batch).hasSizeLessThanOrEqualTo(100));
    }

    @Test
    void maxResults_endsPaging() {
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        for (int i = 0; i < 50; i++) {
            awaitIndexed(alice.publish("p" + i));
        }
        assertThat(bob.findNames("p*", 7)).hasSize(7);
        assertThat(fixture.index.requests).containsExactly(new PageRequest(pipes("p*"), 0, 7, false));
    }

    @Test
    void lateIndex_receivesTheNewestVersions_inBatches() {
        fixture.index.available = false;
        TestPeer alice = fixture.startIndexed();
        List<Publication> publications = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            publications.add(alice.publish("p" + i));
        }
        alice.publish("connection lost").close();
        Publication replaced = publications.get(0);
        publications.set(
                0, alice.discovery().publish(replaced.signedAdvertisement().advertisement()));
        assertFails(replaced.whenIndexed(), ErrorCode.CLOSED);
        assertThat(fixture.index.batches).isEmpty();

        fixture.index.appear();
        publications.forEach(DiscoveryIndexTest::awaitIndexed);
        publications.forEach(publication -> assertThat(
                        fixture.index.held(publication.signedAdvertisement().key()))
                .contains(publication.signedAdvertisement()));
        assertThat(fixture.index.batches).hasSize(2);
        assertThat(fixture.index.batches.stream().flatMap(List::stream)).hasSize(120);
    }

    @Test
    void renewedAfterTheClockWasSetBack_replacesTheEarlierVersionThatWaits() {
        fixture.index.available = false;
        TestPeer alice = fixture.startIndexed();
        Publication rain = alice.publish("rain");
        fixture.clock.advance(Duration.ofHours(-1));
        fixture.advanceWhenDue(Duration.ofMinutes(1));
        alice.awaitCount(Counter.RENEWALS, 1);
        fixture.index.appear();
        awaitIndexed(rain);
        assertThat(fixture.index
                        .held(rain.signedAdvertisement().key())
                        .orElseThrow()
                        .issuedAt())
                .isBeforeOrEqualTo(fixture.clock.instant());
    }

    @Test
    void rejectedAndReplaced_completeWithoutLocks() {
        fixture.index.available = false;
        TestPeer alice = fixture.startIndexed();
        Publication first = alice.publish("rain");
        CompletableFuture<Publication> afterReplaced =
                first.whenIndexed().handle((done, failure) -> publishedByAnotherThread(alice, "sun"));
        Publication second =
                alice.discovery().publish(first.signedAdvertisement().advertisement());
        assertThat(Eventually.get(afterReplaced, "publication after the replacement"))
                .isNotNull();
        CompletableFuture<Publication> afterRefused =
                second.whenIndexed().handle((done, failure) -> publishedByAnotherThread(alice, "snow"));
        fixture.index.accepts = batch -> false;
        fixture.index.appear();
        assertThat(Eventually.get(afterRefused, "publication after the rejection"))
                .isNotNull();
        assertFails(second.whenIndexed(), ErrorCode.REJECTED_BY_PEER);
    }

    private static Publication publishedByAnotherThread(TestPeer testPeer, String name) {
        return Eventually.get(CompletableFuture.supplyAsync(() -> testPeer.publish(name)), "publishing " + name);
    }

    @Test
    void newIndex_receivesAllPublications() {
        TestPeer alice = fixture.startIndexed();
        awaitIndexed(alice.publish("rain"));
        awaitIndexed(alice.publish("sun"));
        fixture.index.batches.clear();
        fixture.index.appear();
        Eventually.until(
                () -> "published " + fixture.index.batches,
                () -> fixture.index.batches.stream().mapToInt(List::size).sum() == 2);
    }

    @Test
    void published_isRenewedInTheIndex_beforeItExpires() {
        TestPeer alice = fixture.startIndexed();
        Publication publication =
                alice.discovery().publish(pipe("rain"), PublishOptions.DEFAULTS.withExpiration(Duration.ofMinutes(3)));
        awaitIndexed(publication);
        for (int i = 1; i <= 10; i++) {
            fixture.advanceWhenDue(Duration.ofMinutes(1));
            Eventually.until(
                    () -> "the index has "
                            + fixture.index.held(
                                    publication.signedAdvertisement().key()),
                    () -> fixture.index
                            .held(publication.signedAdvertisement().key())
                            .equals(Optional.of(publication.signedAdvertisement())));
        }
        assertThat(alice.count(Counter.RENEWALS)).isGreaterThanOrEqualTo(4);
    }

    @Test
    void closed_isWithdrawnFromTheIndex() {
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        Publication publication = alice.publish("rain");
        awaitIndexed(publication);
        publication.close();
        assertThat(publication.whenClosed()).isDone();
        assertThat(fixture.index.holds(publication.signedAdvertisement())).isFalse();
        assertThat(bob.findNames("rain", 1)).as("while the tombstone is stored").isEmpty();
    }

    @Test
    void tombstoneInAPage_removesTheStoredVersion() {
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        Publication publication = alice.publish("rain");
        awaitIndexed(publication);
        assertThat(bob.findNames("rain", 1)).containsExactly("rain");
        publication.close();
        assertThat(Eventually.get(bob.find("rain", 1, Scope.LOCAL_AND_REMOTE), "search"))
                .isEmpty();
        assertThat(bob.localNames("rain")).isEmpty();
        assertThat(bob.findNames("rain", 1)).isEmpty();
    }

    @Test
    void retryableFailure_isRetried() {
        TestPeer alice = fixture.startIndexed();
        fixture.index.publishFailure = ErrorCode.BUSY.exception("busy");
        Publication publication = alice.publish("rain");
        alice.awaitCount(Counter.INDEX_FAILURES, 1);
        fixture.advanceWhenDue(Duration.ofMillis(500)); // shorter than the second delay, which must not end within it
        alice.awaitCount(Counter.INDEX_FAILURES, 2);
        assertThat(publication.whenIndexed()).isNotDone();
        fixture.index.publishFailure = null;
        fixture.advanceWhenDue(Duration.ofSeconds(1));
        awaitIndexed(publication);
    }

    @Test
    void rejection_affectsTheInvalidItemOnly() {
        fixture.index.available = false;
        TestPeer alice = fixture.startIndexed();
        List<Publication> good = new ArrayList<>();
        Publication bad = null;
        for (int i = 0; i < 20; i++) {
            if (i == 13) {
                bad = alice.publish("bad");
            }
            good.add(alice.publish("p" + i));
        }
        fixture.index.accepts = batch -> batch.stream()
                .noneMatch(signed -> DiscoveryFixture.nameOf(signed).equals("bad"));
        fixture.index.appear();
        good.forEach(DiscoveryIndexTest::awaitIndexed);
        assertThat(bad).isNotNull();
        assertFails(bad.whenIndexed(), ErrorCode.REJECTED_BY_PEER, "quota");
        assertThat(bad.isClosing()).isFalse();
    }

    @Test
    void retryableSearchFailure_isRetriedFromTheStart() {
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        awaitIndexed(alice.publish("rain"));
        fixture.index.findFailure = ErrorCode.UNREACHABLE.exception("connection lost");
        CompletableFuture<List<SignedAdvertisement>> found = bob.find("rain", 1, Scope.LOCAL_FIRST);
        bob.awaitCount(Counter.INDEX_FAILURES, 1);
        assertThat(found).isNotDone();
        fixture.index.findFailure = null;
        fixture.advanceWhenDue(Duration.ofMillis(500));
        assertThat(Eventually.get(found, "search")).hasSize(1);
    }

    @Test
    void retryableSearchFailure_isRetriedAtANewIndex() {
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        awaitIndexed(alice.publish("rain"));
        fixture.index.findFailure = ErrorCode.DISCONNECTED.exception("connection lost");
        CompletableFuture<List<SignedAdvertisement>> found = bob.find("rain", 1, Scope.LOCAL_FIRST);
        bob.awaitCount(Counter.INDEX_FAILURES, 1);
        Eventually.until(() -> "no retry", () -> fixture.scheduler.pendingWithin(Duration.ofMillis(500)) > 0);
        fixture.index.findFailure = null;
        fixture.index.appear();
        assertThat(Eventually.get(found, "search")).hasSize(1);
    }

    @Test
    void retryThatIsDue_whileThereIsNoThread_followsLater() {
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        awaitIndexed(alice.publish("rain"));
        fixture.index.findFailure = ErrorCode.UNREACHABLE.exception("connection lost");
        CompletableFuture<List<SignedAdvertisement>> found = bob.find("rain", 1, Scope.LOCAL_FIRST);
        bob.awaitCount(Counter.INDEX_FAILURES, 1);
        fixture.index.findFailure = null;
        fixture.missingThreads.set(1);
        fixture.advanceWhenDue(Duration.ofMillis(500));
        assertThat(fixture.missingThreads).hasValue(0);
        fixture.advance(Duration.ofSeconds(1)); // unless the retry was within the time above
        assertThat(Eventually.get(found, "search")).hasSize(1);
    }

    @Test
    void pageThatArrives_whileThereIsNoThread_endsTheQuery() {
        TestPeer bob = fixture.startIndexed();
        fixture.index.gate = new CompletableFuture<>();
        CompletableFuture<List<SignedAdvertisement>> found = bob.find("rain", 1, Scope.LOCAL_FIRST);
        Eventually.until(() -> "no query", () -> fixture.index.requests.size() == 1);
        fixture.missingThreads.set(1);
        fixture.index.gate.complete(null);
        assertThat(Eventually.get(found, "search")).isEmpty();
    }

    @Test
    void searchThatStarts_whileThereIsNoThread_fails() {
        TestPeer bob = fixture.startIndexed();
        fixture.missingThreads.set(1);
        CompletableFuture<List<SignedAdvertisement>> found = bob.find("rain", 1, Scope.LOCAL_FIRST);
        assertThat(Eventually.failure(found, "search")).isInstanceOf(InternalError.class);
        assertThat(fixture.scheduler.pending()).isZero();
    }

    @Test
    void permanentSearchFailure_endsTheSearch() {
        TestPeer bob = fixture.startIndexed();
        fixture.index.findFailure = ErrorCode.NO_SUCH_SERVICE.exception("no index service");
        assertThat(bob.findNames("rain", 1)).isEmpty();
        assertThat(bob.count(Counter.INDEX_FAILURES)).isEqualTo(1);
    }

    @Test
    void unavailableIndex_delaysTheSearch_untilTimeout() {
        fixture.index.available = false;
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        Publication publication = alice.publish("rain");
        CompletableFuture<List<SignedAdvertisement>> found = bob.find("rain", 1, Scope.LOCAL_FIRST);
        bob.awaitCount(Counter.REMOTE_SEARCHES, 1);
        fixture.index.put(publication.signedAdvertisement());
        fixture.index.appear();
        assertThat(Eventually.get(found, "search")).hasSize(1);

        fixture.index.available = false;
        CompletableFuture<List<SignedAdvertisement>> nothing = bob.find("sun", 1, Scope.LOCAL_FIRST);
        bob.awaitCount(Counter.REMOTE_SEARCHES, 2);
        fixture.advanceWhenDue(DiscoveryLimits.DEFAULTS.collectTimeout());
        assertThat(Eventually.get(nothing, "search")).isEmpty();
        assertThat(DiscoveryLimits.DEFAULTS.collectTimeout()).isLessThan(LONG);
    }

    @Test
    void endlessIndex_isNotQueriedForever() {
        TestPeer bob = fixture.start(false, new EndlessIndex());
        assertThat(bob.findNames("rain", 1)).isEmpty();
    }
}

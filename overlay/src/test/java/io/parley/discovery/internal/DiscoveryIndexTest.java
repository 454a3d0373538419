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
import io.parley.discovery.internal.DiscoveryFixture.Node;
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

/** What is published to an index, and found by it. */
class DiscoveryIndexTest {

    private final DiscoveryFixture bed = new DiscoveryFixture();

    @AfterEach
    void closeAll() {
        bed.close();
    }

    private static void awaitIndexed(Publication publication) {
        Eventually.get(publication.whenIndexed(), "indexing " + publication);
    }

    @Test
    void published_isFoundByIndex_andThePublisherIsReached() {
        Node alice = bed.startIndexed();
        Node bob = bed.startIndexed();
        awaitIndexed(alice.publishSelf());
        awaitIndexed(alice.publish("rain"));
        assertThat(bob.findNames("rain", 1)).containsExactly("rain");
        assertThat(bob.count(Counter.ADDRESSES_LEARNED)).isPositive();
        Eventually.get(bob.peer().endpoint().connect(alice.peer().id()), "connecting");
        assertThat(alice.count(Counter.ADVERTISEMENTS_INDEXED)).isEqualTo(2);
    }

    @Test
    void localOnly_isNotToldToTheIndex() {
        Node alice = bed.startIndexed();
        Publication secret = alice.discovery().publish(pipe("secret"), PublishOptions.DEFAULTS.localOnly());
        awaitIndexed(alice.publish("rain"));
        assertThat(bed.index.batches.stream().flatMap(List::stream)).hasSize(1);
        assertThat(secret.whenIndexed()).isNotDone();
    }

    @Test
    void whatBecomesLocalOnly_isWithdrawnFromTheIndex() {
        Node alice = bed.startIndexed();
        Publication first = alice.publish("rain");
        awaitIndexed(first);
        alice.discovery().publish(first.signedAdvertisement().advertisement(), PublishOptions.DEFAULTS.localOnly());
        Eventually.until(() -> "the index still has it", () -> !bed.index.holds(first.signedAdvertisement()));
        assertThat(alice.localNames("*")).containsExactly("rain");
    }

    @Test
    void everyPage_isAskedFor_untilTheEnd() {
        Node alice = bed.startIndexed();
        Node bob = bed.startIndexed();
        List<Publication> publications =
                IntStream.range(0, 250).mapToObj(i -> alice.publish("p" + i)).toList();
        publications.forEach(DiscoveryIndexTest::awaitIndexed);
        assertThat(bob.findNames("p*", 1000))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 250).mapToObj(i -> "p" + i).toList());
        assertThat(bed.index.asked).extracting(PageRequest::offset).containsExactly(0, 100, 200);
        assertThat(bed.index.batches).allSatisfy(batch -> assertThat(batch).hasSizeLessThanOrEqualTo(100));
    }

    @Test
    void enough_endsThePaging() {
        Node alice = bed.startIndexed();
        Node bob = bed.startIndexed();
        for (int i = 0; i < 50; i++) {
            awaitIndexed(alice.publish("p" + i));
        }
        assertThat(bob.findNames("p*", 7)).hasSize(7);
        assertThat(bed.index.asked).containsExactly(new PageRequest(pipes("p*"), 0, 7, false));
    }

    @Test
    void indexThatComesLater_isToldAll_inBatches_andOnlyTheNewestVersion() {
        bed.index.available = false;
        Node alice = bed.startIndexed();
        List<Publication> publications = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            publications.add(alice.publish("p" + i));
        }
        alice.publish("gone").close();
        Publication replaced = publications.get(0);
        publications.set(
                0, alice.discovery().publish(replaced.signedAdvertisement().advertisement()));
        assertFails(replaced.whenIndexed(), ErrorCode.CLOSED);
        assertThat(bed.index.batches).isEmpty();

        bed.index.appear();
        publications.forEach(DiscoveryIndexTest::awaitIndexed);
        publications.forEach(publication -> assertThat(
                        bed.index.held(publication.signedAdvertisement().key()))
                .contains(publication.signedAdvertisement()));
        assertThat(bed.index.batches).hasSize(2);
        assertThat(bed.index.batches.stream().flatMap(List::stream)).hasSize(120);
    }

    @Test
    void refused_andReplaced_areToldWhereUsersMayWaitForOtherThreads() {
        bed.index.available = false;
        Node alice = bed.startIndexed();
        Publication first = alice.publish("rain");
        CompletableFuture<Publication> afterReplaced =
                first.whenIndexed().handle((done, failure) -> publishedByAnotherThread(alice, "sun"));
        Publication second =
                alice.discovery().publish(first.signedAdvertisement().advertisement());
        assertThat(Eventually.get(afterReplaced, "publishing when replaced")).isNotNull();
        CompletableFuture<Publication> afterRefused =
                second.whenIndexed().handle((done, failure) -> publishedByAnotherThread(alice, "snow"));
        bed.index.takes = batch -> false;
        bed.index.appear();
        assertThat(Eventually.get(afterRefused, "publishing when refused")).isNotNull();
        assertFails(second.whenIndexed(), ErrorCode.LIMIT_EXCEEDED);
    }

    private static Publication publishedByAnotherThread(Node node, String name) {
        return Eventually.get(CompletableFuture.supplyAsync(() -> node.publish(name)), "publishing " + name);
    }

    @Test
    void anotherIndexThatTakesOver_isToldAllAgain() {
        Node alice = bed.startIndexed();
        awaitIndexed(alice.publish("rain"));
        awaitIndexed(alice.publish("sun"));
        bed.index.batches.clear();
        bed.index.appear();
        Eventually.until(
                () -> "told " + bed.index.batches,
                () -> bed.index.batches.stream().mapToInt(List::size).sum() == 2);
    }

    @Test
    void published_isToldAnew_beforeTheIndexForgetsIt() {
        Node alice = bed.startIndexed();
        Publication publication =
                alice.discovery().publish(pipe("rain"), PublishOptions.DEFAULTS.withExpiration(Duration.ofMinutes(3)));
        awaitIndexed(publication);
        for (int i = 1; i <= 10; i++) {
            bed.advanceWhenDue(Duration.ofMinutes(1));
            Eventually.until(
                    () -> "the index has "
                            + bed.index.held(publication.signedAdvertisement().key()),
                    () -> bed.index
                            .held(publication.signedAdvertisement().key())
                            .equals(Optional.of(publication.signedAdvertisement())));
        }
        assertThat(alice.count(Counter.RENEWALS)).isGreaterThanOrEqualTo(4);
    }

    @Test
    void closed_isWithdrawnFromTheIndex() {
        Node alice = bed.startIndexed();
        Node bob = bed.startIndexed();
        Publication publication = alice.publish("rain");
        awaitIndexed(publication);
        publication.close();
        assertThat(publication.whenClosed()).isDone();
        assertThat(bed.index.holds(publication.signedAdvertisement())).isFalse();
        assertThat(bob.findNames("rain", 1)).as("while its withdrawal is kept").isEmpty();
    }

    @Test
    void withdrawal_thatComesWithAPage_takesBackWhatWasKept() {
        Node alice = bed.startIndexed();
        Node bob = bed.startIndexed();
        Publication publication = alice.publish("rain");
        awaitIndexed(publication);
        assertThat(bob.findNames("rain", 1)).containsExactly("rain");
        publication.close();
        assertThat(Eventually.get(bob.find("rain", 1, Scope.LOCAL_AND_REMOTE), "finding"))
                .isEmpty();
        assertThat(bob.localNames("rain")).isEmpty();
        assertThat(bob.findNames("rain", 1)).isEmpty();
    }

    @Test
    void indexThatFailsForAWhile_isToldAgain() {
        Node alice = bed.startIndexed();
        bed.index.publishFailure = ErrorCode.BUSY.exception("too fast");
        Publication publication = alice.publish("rain");
        alice.awaitCount(Counter.INDEX_FAILURES, 1);
        bed.advanceWhenDue(Duration.ofSeconds(1));
        alice.awaitCount(Counter.INDEX_FAILURES, 2);
        assertThat(publication.whenIndexed()).isNotDone();
        bed.index.publishFailure = null;
        bed.advanceWhenDue(Duration.ofSeconds(2));
        awaitIndexed(publication);
    }

    @Test
    void refusal_concernsOnlyWhatTheIndexDoesNotTake() {
        bed.index.available = false;
        Node alice = bed.startIndexed();
        List<Publication> good = new ArrayList<>();
        Publication bad = null;
        for (int i = 0; i < 20; i++) {
            if (i == 13) {
                bad = alice.publish("bad");
            }
            good.add(alice.publish("p" + i));
        }
        bed.index.takes = batch -> batch.stream()
                .noneMatch(signed -> DiscoveryFixture.nameOf(signed).equals("bad"));
        bed.index.appear();
        good.forEach(DiscoveryIndexTest::awaitIndexed);
        assertThat(bad).isNotNull();
        assertFails(bad.whenIndexed(), ErrorCode.LIMIT_EXCEEDED, "quota");
        assertThat(bad.isClosing()).isFalse();
    }

    @Test
    void findThatFails_isAskedAgain_fromTheStart() {
        Node alice = bed.startIndexed();
        Node bob = bed.startIndexed();
        awaitIndexed(alice.publish("rain"));
        bed.index.findFailure = ErrorCode.UNREACHABLE.exception("gone");
        CompletableFuture<List<SignedAdvertisement>> found = bob.find("rain", 1, Scope.LOCAL_FIRST);
        bob.awaitCount(Counter.INDEX_FAILURES, 1);
        assertThat(found).isNotDone();
        bed.index.findFailure = null;
        bed.advanceWhenDue(Duration.ofMillis(500));
        assertThat(Eventually.get(found, "finding")).hasSize(1);
    }

    @Test
    void findThatFails_isAskedAgain_whenAnotherIndexTakesOver() {
        Node alice = bed.startIndexed();
        Node bob = bed.startIndexed();
        awaitIndexed(alice.publish("rain"));
        bed.index.findFailure = ErrorCode.CLOSED.exception("gone");
        CompletableFuture<List<SignedAdvertisement>> found = bob.find("rain", 1, Scope.LOCAL_FIRST);
        bob.awaitCount(Counter.INDEX_FAILURES, 1);
        Eventually.until(() -> "no pause", () -> bed.scheduler.pendingWithin(Duration.ofMillis(500)) > 0);
        bed.index.findFailure = null;
        bed.index.appear();
        assertThat(Eventually.get(found, "finding")).hasSize(1);
    }

    @Test
    void findThatIsRefused_endsTheSearch() {
        Node bob = bed.startIndexed();
        bed.index.findFailure = ErrorCode.NO_SUCH_SERVICE.exception("never heard of it");
        assertThat(bob.findNames("rain", 1)).isEmpty();
        assertThat(bob.count(Counter.INDEX_FAILURES)).isEqualTo(1);
    }

    @Test
    void indexThatIsNotThere_isWaitedFor_aWhile() {
        bed.index.available = false;
        Node alice = bed.startIndexed();
        Node bob = bed.startIndexed();
        Publication publication = alice.publish("rain");
        CompletableFuture<List<SignedAdvertisement>> found = bob.find("rain", 1, Scope.LOCAL_FIRST);
        bob.awaitCount(Counter.REMOTE_SEARCHES, 1);
        bed.index.put(publication.signedAdvertisement());
        bed.index.appear();
        assertThat(Eventually.get(found, "finding")).hasSize(1);

        bed.index.available = false;
        CompletableFuture<List<SignedAdvertisement>> nothing = bob.find("sun", 1, Scope.LOCAL_FIRST);
        bob.awaitCount(Counter.REMOTE_SEARCHES, 2);
        bed.advanceWhenDue(DiscoveryLimits.DEFAULTS.collectTimeout());
        assertThat(Eventually.get(nothing, "finding")).isEmpty();
        assertThat(DiscoveryLimits.DEFAULTS.collectTimeout()).isLessThan(LONG);
    }

    @Test
    void indexWithoutEnd_isNotAskedForEver() {
        Node bob = bed.start(false, new EndlessIndex());
        assertThat(bob.findNames("rain", 1)).isEmpty();
    }
}

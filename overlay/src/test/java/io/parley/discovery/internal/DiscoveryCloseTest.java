package io.parley.discovery.internal;

import static io.parley.discovery.internal.DiscoveryFixture.GROUP;
import static io.parley.discovery.internal.DiscoveryFixture.LONG;
import static io.parley.discovery.internal.DiscoveryFixture.assertFails;
import static io.parley.discovery.internal.DiscoveryFixture.pipe;
import static io.parley.discovery.internal.DiscoveryFixture.pipes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.discovery.Publication;
import io.parley.discovery.Search;
import io.parley.discovery.SearchOptions;
import io.parley.discovery.SearchOptions.Scope;
import io.parley.discovery.internal.DiscoveryFixture.Node;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The end of a discovery. */
class DiscoveryCloseTest {

    private final DiscoveryFixture bed = new DiscoveryFixture();

    @AfterEach
    void closeAll() {
        bed.close();
    }

    @Test
    void close_withdrawsAll_andFailsWhatIsUnderWay() {
        Node alice = bed.startIndexed();
        List<Publication> publications = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            publications.add(alice.publish("p" + i));
        }
        publications.forEach(publication -> Eventually.get(publication.whenIndexed(), "indexing"));
        bed.index.gate = new CompletableFuture<>();
        CompletableFuture<List<SignedAdvertisement>> found = alice.find("rain", 1, Scope.LOCAL_FIRST);
        Search search = alice.discovery().search(pipes("sun"), SearchOptions.of(LONG, 1), result -> {});
        alice.awaitCount(Counter.REMOTE_SEARCHES, 2);
        alice.discovery().close();
        alice.discovery().close();
        assertThat(alice.discovery().isClosing()).isTrue();
        assertThat(alice.discovery().whenClosed()).isDone();
        assertFails(found, ErrorCode.CLOSED);
        assertFails(search.whenDone(), ErrorCode.CLOSED);
        assertThat(publications).allSatisfy(publication -> {
            assertThat(publication.isClosing()).isTrue();
            assertThat(publication.whenClosed()).isDone();
            assertThat(bed.index.holds(publication.signedAdvertisement())).isFalse();
        });
    }

    @Test
    void close_isOver_whenEachPublicationIs() {
        Node alice = bed.startIndexed();
        Publication rain = alice.publish("rain");
        Eventually.get(rain.whenIndexed(), "indexing");
        CompletableFuture<Boolean> wasOver = alice.discovery()
                .whenClosed()
                .thenApply(done -> rain.whenClosed().isDone());
        alice.discovery().close();
        assertThat(Eventually.get(wasOver, "closing")).isTrue();
    }

    @Test
    void afterClose_nothingNewIsTaken() {
        Node alice = bed.startNearby();
        alice.discovery().close();
        assertClosed(() -> alice.discovery().publish(pipe("rain")));
        assertClosed(() -> alice.discovery().findLocal(pipes("rain"), 1));
        assertClosed(() -> alice.discovery().addListener(found -> {}));
        assertFails(alice.find("rain", 1, Scope.LOCAL), ErrorCode.CLOSED);
        assertFails(alice.discovery().flush(), ErrorCode.CLOSED);
    }

    private static void assertClosed(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
    }

    @Test
    void closed_isNotAnsweredAnyMore() {
        Node alice = bed.startNearby();
        Node bob = bed.startNearby();
        alice.publish("rain");
        alice.discovery().close();
        bob.peer().endpoint().addPeerAddress(alice.peer().address());
        assertFails(
                bob.resolver()
                        .query(
                                alice.peer().id(),
                                DiscoveryQueryHandler.NAME,
                                DiscoveryMessages.request(new PageRequest(pipes("rain"), 0, 1, false)),
                                LONG),
                ErrorCode.NO_SUCH_SERVICE);
    }

    @Test
    void indexThatDoesNotAnswer_isWaitedFor_aWhile() {
        Node alice = bed.start(false, new SilentIndex());
        Publication publication = alice.publish("rain");
        alice.discovery().closeAsync();
        Eventually.until(() -> "not withdrawn", publication::isClosing);
        assertThat(alice.discovery().whenClosed()).isNotDone();
        Duration timeout = alice.peer().endpoint().limits().closeTimeout();
        Eventually.until(
                () -> "no bound on closing yet",
                () -> bed.scheduler.pendingWithin(timeout) > bed.scheduler.pendingWithin(timeout.minusNanos(1)));
        bed.advance(timeout);
        Eventually.get(alice.discovery().whenClosed(), "closing");
        assertFails(publication.whenIndexed(), ErrorCode.CLOSED);
    }

    @Test
    void resolverThatCloses_closesTheDiscovery() {
        Node alice = bed.startNearby();
        alice.publishSelf();
        Publication publication = alice.publish("rain");
        alice.resolver().close();
        Eventually.get(alice.discovery().whenClosed(), "closing");
        assertThat(publication.isClosing()).isTrue();
    }

    @Test
    void secondDiscovery_ofAGroup_isRefused_andTheFirstGoesOn() {
        Node alice = bed.startNearby();
        Node bob = bed.startNearby();
        alice.publish("rain");
        assertThatThrownBy(() -> new DiscoveryBuilder(
                                alice.resolver(),
                                alice.peer().endpoint(),
                                alice.store(),
                                alice.signer(),
                                new AdvertisementVerifier(DiscoveryFixture.DOCUMENTS, bed.clock),
                                alice.peer().callbackExecutor())
                        .scheduler(bed.scheduler)
                        .open())
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_BOUND));
        assertThat(bob.findNames("rain", 1)).containsExactly("rain");
        assertThat(alice.discovery().group()).isEqualTo(GROUP);
    }
}

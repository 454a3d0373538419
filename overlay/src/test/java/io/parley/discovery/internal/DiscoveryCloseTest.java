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
import io.parley.discovery.internal.DiscoveryFixture.TestPeer;
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

/** Closing a discovery. */
class DiscoveryCloseTest {

    private final DiscoveryFixture fixture = new DiscoveryFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    @Test
    void close_withdrawsAll_andFailsSearches() {
        TestPeer alice = fixture.startIndexed();
        List<Publication> publications = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            publications.add(alice.publish("p" + i));
        }
        publications.forEach(publication -> Eventually.get(publication.whenIndexed(), "indexing"));
        fixture.index.gate = new CompletableFuture<>();
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
            assertThat(fixture.index.holds(publication.signedAdvertisement())).isFalse();
        });
    }

    @Test
    void close_completesAfterEachPublication() {
        TestPeer alice = fixture.startIndexed();
        Publication rain = alice.publish("rain");
        Eventually.get(rain.whenIndexed(), "indexing");
        CompletableFuture<Boolean> wasClosed = alice.discovery()
                .whenClosed()
                .thenApply(done -> rain.whenClosed().isDone());
        alice.discovery().close();
        assertThat(Eventually.get(wasClosed, "closing")).isTrue();
    }

    @Test
    void close_whileThereIsNoThread_withdrawsAll() {
        TestPeer alice = fixture.startIndexed();
        Publication rain = alice.publish("rain");
        Eventually.get(rain.whenIndexed(), "indexing");
        fixture.missingThreads.set(1);
        alice.discovery().closeAsync();
        Eventually.get(alice.discovery().whenClosed(), "closing");
        assertThat(fixture.missingThreads).hasValue(0);
        assertThat(rain.whenClosed()).isCompleted();
        assertThat(fixture.index.holds(rain.signedAdvertisement())).isFalse();
    }

    @Test
    void closed_rejectsCalls() {
        TestPeer alice = fixture.startOnLocalNetwork();
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
    void closed_handlesNoQueries() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
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
    void indexWithoutResponse_delaysCloseUntilTimeout() {
        TestPeer alice = fixture.start(false, new SilentIndex());
        Publication publication = alice.publish("rain");
        alice.discovery().closeAsync();
        Eventually.until(() -> "not withdrawn", publication::isClosing);
        assertThat(alice.discovery().whenClosed()).isNotDone();
        Duration timeout = alice.peer().endpoint().limits().closeTimeout();
        Eventually.until(
                () -> "no timer for the close timeout",
                () -> fixture.scheduler.pendingWithin(timeout)
                        > fixture.scheduler.pendingWithin(timeout.minusNanos(1)));
        fixture.advance(timeout);
        Eventually.get(alice.discovery().whenClosed(), "closing");
        assertFails(publication.whenIndexed(), ErrorCode.CLOSED);
    }

    @Test
    void resolverClosed_closesTheDiscovery() {
        TestPeer alice = fixture.startOnLocalNetwork();
        alice.publishSelf();
        Publication publication = alice.publish("rain");
        alice.resolver().close();
        Eventually.get(alice.discovery().whenClosed(), "closing");
        assertThat(publication.isClosing()).isTrue();
    }

    @Test
    void secondDiscovery_ofAGroup_isRejected() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        alice.publish("rain");
        assertThatThrownBy(() -> new DiscoveryBuilder(
                                alice.resolver(),
                                alice.peer().endpoint(),
                                alice.store(),
                                alice.signer(),
                                new AdvertisementVerifier(DiscoveryFixture.DOCUMENTS, fixture.clock),
                                alice.peer().callbackExecutor())
                        .scheduler(fixture.scheduler)
                        .open())
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_BOUND));
        assertThat(bob.findNames("rain", 1)).containsExactly("rain");
        assertThat(alice.discovery().group()).isEqualTo(GROUP);
    }
}

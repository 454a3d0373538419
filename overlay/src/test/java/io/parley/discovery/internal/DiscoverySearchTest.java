package io.parley.discovery.internal;

import static io.parley.discovery.internal.DiscoveryFixture.LONG;
import static io.parley.discovery.internal.DiscoveryFixture.assertFails;
import static io.parley.discovery.internal.DiscoveryFixture.names;
import static io.parley.discovery.internal.DiscoveryFixture.pipe;
import static io.parley.discovery.internal.DiscoveryFixture.pipes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.discovery.DiscoveryLimits;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Publication;
import io.parley.discovery.Search;
import io.parley.discovery.SearchOptions;
import io.parley.discovery.SearchOptions.Scope;
import io.parley.discovery.SearchReport;
import io.parley.discovery.internal.DiscoveryFixture.TestPeer;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.store.ValuePattern;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Searches: their scope, their results and their end. */
class DiscoverySearchTest {

    private static final Duration SHORT = Duration.ofMillis(500);

    private final DiscoveryFixture fixture = new DiscoveryFixture();
    private final Queue<SignedAdvertisement> received = new ConcurrentLinkedQueue<>();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    @Test
    void localFirst_enoughLocalResults_queriesNoPeer() {
        TestPeer alice = fixture.start(true, fixture.index.connect());
        alice.publish("rain");
        assertThat(alice.findNames("rain", 1)).containsExactly("rain");
        assertThat(alice.count(Counter.REMOTE_SEARCHES)).isZero();
        assertThat(fixture.index.requests).isEmpty();
    }

    @Test
    void local_queriesNoPeer() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        alice.publish("rain");
        assertThat(Eventually.get(bob.find("rain", 1, Scope.LOCAL), "search")).isEmpty();
        assertThat(bob.count(Counter.REMOTE_SEARCHES)).isZero();
        assertThat(alice.count(Counter.RESPONSES_SENT)).isZero();
    }

    @Test
    void localFirst_fewLocalResults_queriesPeers() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        alice.publish("rain");
        bob.publish("rain");
        List<SignedAdvertisement> found = Eventually.get(bob.find("rain", 2, Scope.LOCAL_FIRST), "search");
        assertThat(found)
                .extracting(SignedAdvertisement::publisher)
                .containsExactly(bob.peer().id(), alice.peer().id());
    }

    @Test
    void localAndRemote_queriesPeers_andReturnsTheNewerVersion() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        PipeId id = PipeId.random(DiscoveryFixture.GROUP);
        alice.discovery().publish(PipeAdvertisement.of(id, PipeType.UNICAST, "rain 1"));
        assertThat(bob.findNames("rain*", 1)).containsExactly("rain 1");
        alice.discovery().publish(PipeAdvertisement.of(id, PipeType.UNICAST, "rain 2"));
        assertThat(bob.findNames("rain*", 1)).containsExactly("rain 1");

        Search search = bob.discovery()
                .search(pipes("rain*"), SearchOptions.of(LONG, 1).withScope(Scope.LOCAL_AND_REMOTE), received::add);
        assertThat(Eventually.get(search.whenDone(), "end of the search")).isEqualTo(1);
        assertThat(received).extracting(DiscoveryFixture::nameOf).endsWith("rain 2");
        assertThat(names(Eventually.get(bob.find("rain*", 1, Scope.LOCAL_AND_REMOTE), "search")))
                .containsExactly("rain 2");
        assertThat(bob.localNames("*")).containsExactly("rain 2");
    }

    @Test
    void localAndRemote_deliversWhatIsFoundRemotely_besidesLocalResults() {
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        SignedAdvertisement stale = alice.signer().sign(pipe("rain"), DiscoveryFixture.GROUP);
        bob.store().put(StoreEntryMapper.entry(stale));
        Publication live = alice.publish("rain");
        Eventually.get(live.whenIndexed(), "indexing");
        fixture.index.gate = new CompletableFuture<>();
        Search search = bob.discovery()
                .search(pipes("rain"), SearchOptions.of(LONG, 1).withScope(Scope.LOCAL_AND_REMOTE), received::add);
        Eventually.until(() -> "no local result", () -> received.size() == 1);
        fixture.index.gate.complete(null);
        assertThat(Eventually.get(search.whenDone(), "end of the search")).isEqualTo(2);
        assertThat(received).containsExactly(stale, live.signedAdvertisement());
    }

    @Test
    void patterns_matchOnTheLocalNetwork_asInTheStore() {
        TestPeer alice = fixture.startOnLocalNetwork();
        for (String name : List.of("rain", "rainbow", "train", "strain", "sun", "*")) {
            alice.publish(name);
        }
        for (String pattern : List.of("rain", "rain*", "*rain", "*rain*", "s*n", "*", "?ain", "Rain")) {
            List<String> expected = alice.localNames(pattern);
            TestPeer bob = fixture.startOnLocalNetwork();
            CompletableFuture<List<SignedAdvertisement>> found = bob.find(pattern, 100, Scope.LOCAL_FIRST);
            bob.awaitCount(Counter.REMOTE_SEARCHES, 1);
            Eventually.until(
                    () -> pattern + " found " + bob.localNames("*"),
                    () -> bob.localNames("*").equals(expected));
            settleUntil(found::isDone);
            assertThat(names(Eventually.get(found, "search"))).isEqualTo(expected);
        }
        TestPeer bob = fixture.startOnLocalNetwork();
        DiscoveryQuery star = DiscoveryQuery.of("jxta:PipeAdvertisement").with("Name", ValuePattern.exactly("*"));
        assertThat(names(Eventually.get(bob.discovery().find(star, SearchOptions.of(LONG, 1)), "search")))
                .containsExactly("*");
    }

    /** Ends the collection of multicast responses. */
    private void settle() {
        fixture.advanceWhenDue(DiscoveryLimits.DEFAULTS.collectTimeout());
    }

    /** Ends it also if the first timer that is due is that of a peer that handles an earlier query. */
    private void settleUntil(BooleanSupplier isDone) {
        Duration collectTimeout = DiscoveryLimits.DEFAULTS.collectTimeout();
        Eventually.until(() -> "the search does not end", () -> {
            if (fixture.scheduler.pendingWithin(collectTimeout) > 0) {
                fixture.advance(collectTimeout);
            }
            return isDone.getAsBoolean();
        });
    }

    @Test
    void queriesWithoutTypeOrAttribute_matchAll() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        Publication self = alice.publishSelf();
        Publication rain = alice.publish("rain");
        Publication sun = alice.publish("sun set"); // no peer has a default name with a space
        assertThat(find(bob, DiscoveryQuery.any(), 3))
                .containsExactlyInAnyOrder(
                        self.signedAdvertisement(), rain.signedAdvertisement(), sun.signedAdvertisement());
        assertThat(find(bob, DiscoveryQuery.of("jxta:PA"), 1)).containsExactly(self.signedAdvertisement());
        assertThat(find(fixture.startOnLocalNetwork(), DiscoveryQuery.any().with("Name", "sun s*"), 1))
                .containsExactly(sun.signedAdvertisement());
    }

    private static List<SignedAdvertisement> find(TestPeer testPeer, DiscoveryQuery query, int maxResults) {
        return Eventually.get(testPeer.discovery().find(query, SearchOptions.of(LONG, maxResults)), "search");
    }

    @Test
    void resultOfTwoSources_isDeliveredOnce() {
        TestPeer alice = fixture.start(true, fixture.index.connect());
        TestPeer carol = fixture.start(false, fixture.index.connect());
        TestPeer bob = fixture.start(true, fixture.index.connect());
        Eventually.get(alice.publish("rain").whenIndexed(), "indexing");
        Eventually.get(carol.publish("rain").whenIndexed(), "indexing");
        Search search = bob.discovery().search(pipes("rain"), SearchOptions.of(LONG, 10), received::add);
        bob.awaitCount(Counter.ADVERTISEMENTS_DUPLICATE, 1);
        settle();
        assertThat(Eventually.get(search.whenDone(), "end of the search")).isEqualTo(2);
        assertThat(received)
                .extracting(SignedAdvertisement::publisher)
                .containsExactlyInAnyOrder(alice.peer().id(), carol.peer().id());
    }

    @Test
    void olderVersion_isReplacedByTheKnownNewerOne() {
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        PipeId id = PipeId.random(DiscoveryFixture.GROUP);
        SignedAdvertisement old =
                alice.signer().sign(PipeAdvertisement.of(id, PipeType.UNICAST, "rain old"), DiscoveryFixture.GROUP);
        SignedAdvertisement recent =
                alice.signer().sign(PipeAdvertisement.of(id, PipeType.UNICAST, "rain new"), DiscoveryFixture.GROUP);
        bob.store().put(StoreEntryMapper.entry(recent));
        fixture.index.additionalDocuments.add(old.toByteArray());
        assertThat(names(Eventually.get(bob.find("rain*", 1, Scope.LOCAL_AND_REMOTE), "search")))
                .containsExactly("rain new");
        assertThat(bob.count(Counter.ADVERTISEMENTS_OUTDATED)).isEqualTo(1);
        assertThat(bob.localNames("*")).containsExactly("rain new");
    }

    @Test
    void timeout_endsTheSearch_withItsResultsSoFar() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.start(true, fixture.index.connect());
        alice.publish("rain");
        fixture.index.gate = new CompletableFuture<>();
        fixture.limits(DiscoveryLimits.DEFAULTS);
        Search search =
                bob.discovery().search(pipes("rain"), SearchOptions.of(Duration.ofSeconds(10), 100), received::add);
        Eventually.until(() -> "no result", () -> received.size() == 1);
        settle();
        assertThat(search.whenDone()).as("no response of the index").isNotDone();
        fixture.advance(Duration.ofSeconds(6));
        assertThat(search.isClosing()).isFalse();
        fixture.advance(Duration.ofSeconds(1));
        assertThat(Eventually.get(search.whenDone(), "end of the search")).isEqualTo(1);
        assertThat(search.isClosing()).isTrue();
        Eventually.get(search.whenClosed(), "closing");
    }

    private static SearchOptions waiting(Duration timeout, int maxResults) {
        return SearchOptions.of(timeout, maxResults).withWaiting();
    }

    private void advanceUntil(String what, BooleanSupplier condition) {
        Eventually.until(() -> what, () -> {
            fixture.advance(Duration.ofMillis(100));
            return condition.getAsBoolean();
        });
    }

    @Test
    void waitingFind_returnsWhatIsPublishedLater() {
        TestPeer alice = fixture.start(true, fixture.index.connect());
        TestPeer bob = fixture.startOnLocalNetwork();
        TestPeer carol = fixture.startIndexed();
        CompletableFuture<List<SignedAdvertisement>> byBob = bob.discovery().find(pipes("rain"), waiting(LONG, 1));
        CompletableFuture<List<SignedAdvertisement>> byCarol = carol.discovery().find(pipes("rain"), waiting(LONG, 1));
        advanceUntil("few rounds at bob", () -> bob.count(Counter.REMOTE_SEARCHES) > 3);
        advanceUntil("few rounds at carol", () -> carol.count(Counter.REMOTE_SEARCHES) > 3);
        assertThat(byBob).isNotDone();
        assertThat(byCarol).isNotDone();
        alice.publish("rain");
        advanceUntil("nothing found", () -> byBob.isDone() && byCarol.isDone());
        assertThat(names(Eventually.get(byBob, "search of bob"))).containsExactly("rain");
        assertThat(names(Eventually.get(byCarol, "search of carol"))).containsExactly("rain");
    }

    @Test
    void waitingFind_withTooFewResults_endsAtItsTimeout() {
        TestPeer alice = fixture.start(false, null);
        alice.publish("rain");
        CompletableFuture<List<SignedAdvertisement>> found =
                alice.discovery().find(pipes("rain"), waiting(Duration.ofSeconds(60), 2));
        CompletableFuture<List<SignedAdvertisement>> local = alice.discovery()
                .find(pipes("rain"), waiting(Duration.ofSeconds(60), 2).withScope(Scope.LOCAL));
        assertThat(names(Eventually.get(local, "a local search"))).containsExactly("rain");
        Eventually.until(
                () -> "no remote search", () -> alice.count(Counter.REMOTE_SEARCHES) > 0); // after the local one
        for (int i = 0; i < 59; i++) {
            fixture.advance(Duration.ofSeconds(1));
        }
        assertThat(found).isNotDone();
        fixture.advance(Duration.ofSeconds(1));
        assertThat(names(Eventually.get(found, "search"))).containsExactly("rain");
    }

    @Test
    void waitingFind_thatIsCancelled_queriesNoMore() {
        TestPeer bob = fixture.start(false, null); // whose rounds end immediately
        CompletableFuture<List<SignedAdvertisement>> found = bob.discovery().find(pipes("rain"), waiting(LONG, 1));
        advanceUntil("few rounds", () -> bob.count(Counter.REMOTE_SEARCHES) > 2);
        found.cancel(false);
        Eventually.until(
                () -> "timers are left: " + fixture.scheduler.pending(), () -> fixture.scheduler.pending() == 0);
    }

    @Test
    void noSources_endsImmediately() {
        TestPeer alice = fixture.start(false, null);
        alice.publish("rain");
        assertThat(alice.findNames("rain", 10)).containsExactly("rain");
    }

    @Test
    void report_localSearch_queriesNoSource() {
        TestPeer alice = fixture.start(true, fixture.index.connect());
        alice.publish("rain");
        Search search = alice.discovery().search(pipes("rain"), SearchOptions.of(LONG, 1), found -> {});
        Eventually.get(search.whenDone(), "end of the search");
        assertThat(search.report()).isEqualTo(new SearchReport(true, false, null, Set.of(), null));
    }

    @Test
    void report_withoutNetwork_containsTheReasons() {
        TestPeer alice = fixture.start(false, null);
        Search search = alice.discovery().search(pipes("rain"), SearchOptions.of(LONG, 1), found -> {});
        assertThat(Eventually.get(search.whenDone(), "end of the search")).isZero();
        SearchReport report = search.report();
        assertThat(report.hasLocalResults()).isFalse();
        assertThat(report.localNetworkQueried()).isFalse();
        assertCode(report.localNetworkFailure(), ErrorCode.UNREACHABLE);
        assertThat(report.queriedRendezvous()).isEmpty();
        assertCode(report.rendezvousFailure(), ErrorCode.UNREACHABLE);
    }

    @Test
    void report_queriedSources_haveNoFailure() {
        TestPeer alice = fixture.start(true, fixture.index.connect());
        Search search = alice.discovery().search(pipes("rain"), SearchOptions.of(LONG, 1), found -> {});
        alice.awaitCount(Counter.REMOTE_SEARCHES, 1);
        settle();
        Eventually.get(search.whenDone(), "end of the search");
        assertThat(search.report())
                .isEqualTo(new SearchReport(false, true, null, Set.of(fixture.index.rendezvous), null));
    }

    @Test
    void report_rendezvousWithoutResponse_isATimeout() {
        TestPeer alice = fixture.startIndexed();
        fixture.index.gate = new CompletableFuture<>();
        Search search =
                alice.discovery().search(pipes("rain"), SearchOptions.of(Duration.ofSeconds(5), 1), found -> {});
        Eventually.until(() -> "no query", () -> fixture.index.requests.size() == 1);
        fixture.advance(Duration.ofSeconds(5));
        Eventually.get(search.whenDone(), "end of the search");
        assertThat(search.report().queriedRendezvous()).containsExactly(fixture.index.rendezvous);
        assertCode(search.report().rendezvousFailure(), ErrorCode.TIMEOUT);
    }

    @Test
    void report_rendezvousThatFails_hasItsFailure() {
        TestPeer alice = fixture.startIndexed();
        fixture.index.findFailure = ErrorCode.NO_SUCH_SERVICE.exception("no index service");
        Search search = alice.discovery().search(pipes("rain"), SearchOptions.of(LONG, 1), found -> {});
        Eventually.get(search.whenDone(), "end of the search");
        assertThat(search.report().rendezvousFailure()).isSameAs(fixture.index.findFailure);
    }

    private static void assertCode(@Nullable Throwable failure, ErrorCode code) {
        assertThat(failure).isInstanceOf(ParleyException.class);
        assertThat(((ParleyException) failure).code()).isEqualTo(code);
    }

    @Test
    void equalSearches_shareQueries_andLateOnesReceivePreviousResults() {
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        List<Publication> publications = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            publications.add(alice.publish("p" + i));
        }
        publications.add(alice.publish("q"));
        publications.forEach(publication -> Eventually.get(publication.whenIndexed(), "indexing"));
        fixture.index.gate = new CompletableFuture<>();
        List<CompletableFuture<List<SignedAdvertisement>>> found = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            found.add(bob.find("p*", 150, Scope.LOCAL_FIRST));
        }
        CompletableFuture<List<SignedAdvertisement>> other = bob.find("q*", 150, Scope.LOCAL_FIRST);
        bob.awaitCount(Counter.REMOTE_SEARCHES_SHARED, 9);
        bob.awaitCount(Counter.REMOTE_SEARCHES, 2);
        Eventually.until(() -> "requests " + fixture.index.requests, () -> fixture.index.requests.size() == 2);
        CompletableFuture<Void> firstGate = fixture.index.gate;
        CompletableFuture<Void> secondGate = new CompletableFuture<>();
        fixture.index.gate = secondGate;
        firstGate.complete(null);
        Eventually.until(() -> "no second page", () -> fixture.index.requests.size() == 3);
        int searches = bob.store().searches.get();
        found.add(bob.find("p*", 149, Scope.LOCAL_AND_REMOTE));
        bob.awaitCount(Counter.REMOTE_SEARCHES_SHARED, 10);
        Eventually.until(
                () -> "no search in the store", () -> bob.store().searches.get() > searches);
        secondGate.complete(null);
        for (int i = 0; i < 10; i++) {
            assertThat(Eventually.get(found.get(i), "search")).hasSize(150);
        }
        assertThat(Eventually.get(found.get(10), "search")).hasSize(149);
        assertThat(Eventually.get(other, "search")).hasSize(1);
        assertThat(fixture.index.requests.stream()
                        .filter(requests -> requests.query().equals(pipes("p*"))))
                .extracting(PageRequest::offset)
                .containsExactly(0, 100);
    }

    @Test
    void shortSearch_doesNotCurtailTheMulticastQuery_ofALongerOneThatJoins() {
        TestPeer bob = fixture.startOnLocalNetwork();
        TestPeer alice = fixture.startOnLocalNetwork();
        SlowResponder responder = new SlowResponder(alice, 0);
        Search shorter = bob.discovery().search(pipes("rain"), SearchOptions.of(SHORT, 2), received::add);
        Eventually.until(() -> "no query", responder.asked::isDone);
        CompletableFuture<List<SignedAdvertisement>> longer = bob.find("rain", 1, Scope.LOCAL_FIRST);
        bob.awaitCount(Counter.REMOTE_SEARCHES_SHARED, 1);
        fixture.advance(SHORT);
        Eventually.get(shorter.whenDone(), "end of the shorter search");
        responder.response.complete(Optional.of(responder.page(OptionalInt.empty())));
        assertThat(names(Eventually.get(longer, "the longer search"))).containsExactly("rain");
    }

    @Test
    void shortSearch_doesNotCurtailThePages_ofALongerOneThatJoins() {
        TestPeer bob = fixture.startOnLocalNetwork();
        TestPeer alice = fixture.startOnLocalNetwork();
        SlowResponder responder = new SlowResponder(alice, 1);
        Search shorter = bob.discovery().search(pipes("rain"), SearchOptions.of(SHORT, 2), received::add);
        Eventually.until(() -> "no query for the second page", responder.asked::isDone);
        CompletableFuture<List<SignedAdvertisement>> longer = bob.find("rain", 2, Scope.LOCAL_FIRST);
        bob.awaitCount(Counter.REMOTE_SEARCHES_SHARED, 1);
        fixture.advance(SHORT);
        Eventually.get(shorter.whenDone(), "end of the shorter search");
        responder.response.complete(Optional.of(responder.page(OptionalInt.empty())));
        assertThat(Eventually.get(longer, "the longer search")).hasSize(2);
    }

    /** Responds to queries like a discovery, but for a page when the test completes it, with one advertisement for each page. */
    private static final class SlowResponder {

        private final TestPeer testPeer;
        private final CompletableFuture<Void> asked = new CompletableFuture<>();
        private final CompletableFuture<Optional<Message>> response = new CompletableFuture<>();

        private SlowResponder(TestPeer testPeer, int slowOffset) {
            this.testPeer = testPeer;
            testPeer.publishSelf();
            testPeer.discovery().close();
            testPeer.resolver().registerHandler(DiscoveryQueryHandler.NAME, query -> {
                int offset = DiscoveryMessages.readRequest(query.body()).offset();
                if (offset < slowOffset) {
                    return CompletableFuture.completedFuture(Optional.of(page(OptionalInt.of(offset + 1))));
                }
                asked.complete(null);
                return response;
            });
        }

        private Message page(OptionalInt next) {
            SignedAdvertisement self = testPeer.signer().sign(testPeer.self(), DiscoveryFixture.GROUP);
            SignedAdvertisement rain = testPeer.signer().sign(pipe("rain"), DiscoveryFixture.GROUP);
            return DiscoveryMessages.page(new IndexPage(List.of(rain.toByteArray(), self.toByteArray()), next, 0));
        }
    }

    @Test
    void sharedQueries_endWithTheLastSearch() {
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        Eventually.get(alice.publish("rain").whenIndexed(), "indexing");
        fixture.index.gate = new CompletableFuture<>();
        Search first = bob.discovery().search(pipes("rain"), SearchOptions.of(LONG, 1), received::add);
        bob.awaitCount(Counter.REMOTE_SEARCHES, 1);
        CompletableFuture<List<SignedAdvertisement>> second = bob.find("rain", 1, Scope.LOCAL_FIRST);
        bob.awaitCount(Counter.REMOTE_SEARCHES_SHARED, 1);
        first.close();
        assertThat(Eventually.get(first.whenDone(), "end of the search")).isZero();
        assertThat(second).isNotDone();
        second.cancel(true);
        fixture.index.gate.complete(null);
        fixture.index.gate = null;
        assertThat(bob.findNames("rain", 1)).as("with its own queries").containsExactly("rain");
        assertThat(bob.count(Counter.REMOTE_SEARCHES)).isEqualTo(2);
        assertThat(received).isEmpty();
    }

    @Test
    void manyResultsOfOnePeer_arriveInPages() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        for (int i = 0; i < 250; i++) {
            alice.publish("p" + i);
        }
        assertThat(Eventually.get(bob.find("p*", 250, Scope.LOCAL_FIRST), "search"))
                .hasSize(250);
        assertThat(alice.count(Counter.RESPONSES_SENT)).isEqualTo(3);
    }

    @Test
    void largeResultsOfOnePeer_arriveInSmallerPages() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        for (int i = 0; i < 20; i++) {
            PipeAdvertisement large =
                    new PipeAdvertisement(pipe("x").id(), PipeType.UNICAST, "p" + i, "y".repeat(60_000));
            alice.discovery().publish(large);
        }
        assertThat(Eventually.get(bob.find("p*", 20, Scope.LOCAL_FIRST), "search"))
                .hasSize(20);
        assertThat(alice.count(Counter.RESPONSES_SENT)).isEqualTo(5);
    }

    @Test
    void directQuery_returnsReceivedAdvertisementsToo() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        TestPeer carol = fixture.startOnLocalNetwork();
        SignedAdvertisement rain = alice.publish("rain").signedAdvertisement();
        assertThat(bob.findNames("rain", 1)).containsExactly("rain");
        bob.publish("sun");
        carol.peer().endpoint().addPeerAddress(bob.peer().address());
        assertThat(query(carol, bob, new PageRequest(pipes("*"), 0, 10, false)).documents())
                .extracting(document -> document.length)
                .hasSize(2);
        assertThat(query(carol, bob, new PageRequest(pipes("rain"), 0, 10, false))
                        .documents())
                .containsExactly(rain.toByteArray());
        assertThat(query(carol, bob, new PageRequest(pipes("rain"), 0, 10, true))
                        .documents())
                .isEmpty();
    }

    @Test
    void directQuery_readsTheDocumentsOfItsPageOnly() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        TestPeer carol = fixture.startOnLocalNetwork();
        for (int i = 0; i < 100; i++) {
            bob.store().put(StoreEntryMapper.entry(alice.signer().sign(pipe("p" + i), DiscoveryFixture.GROUP)));
        }
        carol.peer().endpoint().addPeerAddress(bob.peer().address());
        IndexPage page = query(carol, bob, new PageRequest(pipes("p*"), 50, 1, false));
        assertThat(page.documents()).hasSize(1);
        assertThat(page.next()).hasValue(51);
        assertThat(bob.store().documents).hasValue(1);
    }

    private static IndexPage query(TestPeer from, TestPeer to, PageRequest request) {
        return DiscoveryMessages.readPage(Eventually.get(
                from.resolver()
                        .query(to.peer().id(), DiscoveryQueryHandler.NAME, DiscoveryMessages.request(request), LONG),
                "response"));
    }

    @Test
    void listener_receivesNewAdvertisements_onceEach_untilItIsClosed() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        AsyncCloseable listening = bob.discovery().addListener(received::add);
        alice.publish("rain");
        bob.publish("own");
        bob.findNames("rain", 1);
        Eventually.get(bob.find("rain", 1, Scope.LOCAL_AND_REMOTE), "search");
        Eventually.until(() -> "received " + received, () -> received.size() == 1);
        listening.close();
        listening.close();
        alice.publish("sun");
        assertThat(bob.findNames("sun", 1)).hasSize(1);
        assertThat(names(received)).containsExactly("rain");
    }

    @Test
    void slowListener_losesAdvertisements_andDelaysNoSearch() {
        fixture.limits(
                DiscoveryLimits.DEFAULTS.toBuilder().maxQueuedAdvertisements(5).build());
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        CountDownLatch slow = new CountDownLatch(1);
        bob.discovery().addListener(found -> {
            received.add(found);
            Eventually.latch(slow, "release");
        });
        for (int i = 0; i < 20; i++) {
            alice.publish("p" + i);
        }
        assertThat(bob.findNames("p*", 20)).hasSize(20);
        assertThat(bob.count(Counter.LISTENER_OVERFLOWS)).isBetween(14L, 15L);
        slow.countDown();
        Eventually.until(
                () -> "received " + received, () -> received.size() + bob.count(Counter.LISTENER_OVERFLOWS) == 20);
    }

    @Test
    void listenerThatThrows_receivesTheNextResults() {
        TestPeer alice = fixture.start(false, null);
        alice.publish("rain");
        alice.publish("sun");
        Search search = alice.discovery().search(pipes("*"), SearchOptions.of(LONG, 2), found -> {
            throw new IllegalStateException("failure of the listener");
        });
        assertThat(Eventually.get(search.whenDone(), "end of the search")).isEqualTo(2);
        assertThat(alice.count(Counter.LISTENER_FAILURES)).isEqualTo(2);
    }

    @Test
    void listenerThatFailsWithAnError_receivesTheNextResults() {
        TestPeer alice = fixture.start(false, null);
        alice.publish("rain");
        alice.publish("sun");
        Search search = alice.discovery().search(pipes("*"), SearchOptions.of(LONG, 2), found -> {
            throw new NoClassDefFoundError("of the listener");
        });
        assertThat(Eventually.get(search.whenDone(), "end of the search")).isEqualTo(2);
        assertThat(alice.count(Counter.LISTENER_FAILURES)).isEqualTo(2);
    }

    @Test
    void storedPeerAdvertisement_providesAddresses_afterARestart() {
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        bob.store().put(StoreEntryMapper.entry(alice.signer().sign(alice.self(), DiscoveryFixture.GROUP)));
        bob.store().put(StoreEntryMapper.entry(alice.signer().sign(pipe("rain"), DiscoveryFixture.GROUP)));
        assertThat(bob.findNames("rain", 1)).containsExactly("rain");
        Eventually.get(bob.peer().endpoint().connect(alice.peer().id()), "connecting");
    }

    @Test
    void tooManySearches_failWithBusy() {
        fixture.limits(DiscoveryLimits.DEFAULTS.toBuilder()
                .maxSearches(2)
                .maxResults(10)
                .build());
        TestPeer alice = fixture.startIndexed();
        fixture.index.gate = new CompletableFuture<>();
        alice.find("a", 1, Scope.LOCAL_FIRST);
        CompletableFuture<List<SignedAdvertisement>> second = alice.find("b", 1, Scope.LOCAL_FIRST);
        assertFails(alice.find("c", 1, Scope.LOCAL_FIRST), ErrorCode.BUSY, "maxSearches");
        second.cancel(false);
        CompletableFuture<List<SignedAdvertisement>> third = alice.find("c", 1, Scope.LOCAL_FIRST);
        assertThat(third).isNotDone();
        assertThatThrownBy(() -> alice.find("d", 11, Scope.LOCAL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxResults");
        assertThatThrownBy(() -> SearchOptions.of(Duration.ZERO, 1)).hasMessageContaining("timeout");
        assertThatThrownBy(() -> SearchOptions.of(LONG, 0)).hasMessageContaining("maxResults");
        assertThatThrownBy(() -> alice.discovery().find(DiscoveryQuery.of("a\0b"), SearchOptions.of(LONG, 1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

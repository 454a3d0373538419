package io.parley.pipes.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.pipes.InputPipe;
import io.parley.pipes.ManualTimeGroup;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipePeers;
import io.parley.pipes.Pipes;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.pipes.internal.RequestCounters.Counter;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests to services by name, which several peers may offer. */
@Timeout(120)
class ServiceRequestTest {

    private static final Duration TIMEOUT = Eventually.DEADLINE;

    /** The time that passes between two checks, for a requester in manual time. */
    private static final Duration STEP = Duration.ofMillis(20);

    /** The timeout of a request in manual time, in which much time passes while a test waits for the network. */
    private static final Duration LONG = Duration.ofMinutes(10);

    private final PipePeers peers = new PipePeers(Duration.ofMillis(200));

    private final ManualScheduler time = new ManualScheduler();

    /** The requests that each holder has received and not responded to. */
    private final Map<PeerId, Queue<PipeMessage>> received = new HashMap<>();

    @BeforeEach
    void startRendezvous() {
        peers.rendezvous();
    }

    @AfterEach
    void close() {
        peers.close();
    }

    private static Message text(String text) {
        return Message.of("text", text);
    }

    private static ParleyException failure(CompletableFuture<?> future) {
        return (ParleyException) ParleyException.unwrap(Eventually.failure(future, "the request"));
    }

    private static String responseText(CompletableFuture<PipeMessage> response) {
        return Eventually.get(response, "the response").text("text").orElseThrow();
    }

    /** Starts a holder that responds when the test wants. */
    private Peer silentHolder(String name) {
        return silentHolder(name, Identity.generate());
    }

    private Peer silentHolder(String name, Identity identity) {
        Peer holder = peers.start(
                peers.builder(name).identity(identity).multicast(false).rendezvous("mem://rendezvous"));
        Queue<PipeMessage> requests = new ConcurrentLinkedQueue<>();
        received.put(holder.id(), requests);
        Pipes.of(holder).listen("calc", requests::add);
        return holder;
    }

    private Peer holder(String name) {
        Peer holder = peers.edge(name);
        Pipes.of(holder).serve("calc", request -> text(name));
        return holder;
    }

    private Peer requester() {
        return peers.start(peers.impatient("requester").multicast(false).rendezvous("mem://rendezvous"));
    }

    /** Returns the pipes of a requester that loses a holder only if time passes: see {@link #until}. */
    private Pipes requesterInManualTime() {
        return Pipes.of(ManualTimeGroup.of(requester().netGroup(), time));
    }

    private void until(String what, BooleanSupplier condition) {
        Eventually.until(() -> what, () -> {
            time.advance(STEP);
            return condition.getAsBoolean();
        });
    }

    private int count(Peer holder) {
        return received.get(holder.id()).size();
    }

    /** Sends requests until both holders are known, and returns the pending ones. */
    private List<CompletableFuture<PipeMessage>> requestUntilBothHave(Pipes pipes, Peer one, Peer other) {
        List<CompletableFuture<PipeMessage>> pending = new ArrayList<>();
        awaitPublished(pipes, 2);
        Eventually.until(() -> "only one holder gets requests", () -> {
            pending.add(pipes.requestAsync("calc", text("known?"), TIMEOUT));
            return count(one) > 0 && count(other) > 0;
        });
        return pending;
    }

    /** Waits until the index has the advertisements of that many holders, because a requester searches only now and then. */
    private void awaitPublished(Pipes pipes, int holders) {
        DiscoveryQuery query = DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME)
                .with("Id", AdvertisementId.of(pipes.pipeId("calc")).urn());
        Peer observer = peers.edge("observer");
        SearchOptions options = new SearchOptions(Duration.ofSeconds(1), holders, SearchOptions.Scope.LOCAL_AND_REMOTE);
        Eventually.until(
                () -> "fewer holders are published",
                () -> Eventually.get(observer.netGroup().discovery().find(query, options), "the search")
                                .size()
                        >= holders);
    }

    private void respondAll(Peer holder) {
        received.get(holder.id()).forEach(request -> request.respond(text("yes")));
        received.get(holder.id()).clear();
    }

    @Test
    void request_byName_findsTheHolder() throws Exception {
        holder("alice");
        Peer bob = peers.edge("bob");
        for (int i = 0; i < 3; i++) {
            assertThat(Pipes.of(bob).request("calc", text("1 + 1"), TIMEOUT).text("text"))
                    .contains("alice");
        }
    }

    @Test
    void request_byNameOnTheLocalNetwork_findsTheHolder() throws Exception {
        Pipes.of(peers.near("near-alice")).serve("calc", request -> text("alice"));
        Peer bob = peers.near("near-bob");
        assertThat(Pipes.of(bob).request("calc", text("1 + 1"), TIMEOUT).text("text"))
                .contains("alice");
    }

    @Test
    void request_byNameInAGroup_findsTheHolder() throws Exception {
        Peer alice = peers.edge("alice");
        Peer bob = peers.edge("bob");
        Pipes.of(alice.group("math").join()).serve("calc", request -> text("2"));
        assertThat(Pipes.of(bob.group("math").join())
                        .request("calc", text("1 + 1"), TIMEOUT)
                        .text("text"))
                .contains("2");
    }

    @Test
    void request_beforeTheHolderStarts_waitsForIt() {
        Peer bob = peers.edge("bob");
        CompletableFuture<PipeMessage> response = Pipes.of(bob).requestAsync("calc", text("1 + 1"), TIMEOUT);
        holder("alice");
        assertThat(responseText(response)).isEqualTo("alice");
    }

    @Test
    void request_withoutAHolder_isUnreachable_andSaysWhy() {
        Peer bob = peers.edge("bob");
        ParleyException failure = failure(Pipes.of(bob).requestAsync("calc", text("1 + 1"), Duration.ofMillis(300)));
        assertThat(failure.code()).isEqualTo(ErrorCode.UNREACHABLE);
        assertThat(failure.getMessage())
                .contains("\"calc\"")
                .contains("was not executed")
                .contains("queried");
    }

    @Test
    void twoHolders_shareTheLoad() {
        Peer alice = silentHolder("alice");
        Peer carol = silentHolder("carol");
        Pipes pipes = Pipes.of(requester());
        List<CompletableFuture<PipeMessage>> first = requestUntilBothHave(pipes, alice, carol);
        Eventually.until(() -> "requests are on the way", () -> count(alice) + count(carol) == first.size());
        respondAll(alice);
        respondAll(carol);
        first.forEach(response -> assertThat(responseText(response)).isEqualTo("yes"));
        List<CompletableFuture<PipeMessage>> pending = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            pending.add(pipes.requestAsync("calc", text("shared"), TIMEOUT));
        }
        Eventually.until(
                () -> count(alice) + " and " + count(carol) + " requests",
                () -> count(alice) == 20 && count(carol) == 20);
        respondAll(alice);
        respondAll(carol);
        pending.forEach(response -> assertThat(responseText(response)).isEqualTo("yes"));
    }

    @Test
    void closedHolder_itsQueuedRequestsGoToAnother() {
        Queue<Runnable> stuck = new ConcurrentLinkedQueue<>();
        Peer alice = peers.edge("alice");
        InputPipe closing = Pipes.of(alice).serve("calc", request -> text("alice"), stuck::add);
        Peer bob = peers.edge("bob");
        CompletableFuture<PipeMessage> response = Pipes.of(bob).requestAsync("calc", text("1 + 1"), TIMEOUT);
        Eventually.until(() -> "the request has not arrived", () -> !stuck.isEmpty());
        holder("carol");
        closing.close();
        assertThat(responseText(response)).isEqualTo("carol");
    }

    @Test
    void busyHolder_itsRequestsGoToAnother() {
        Peer alice = peers.edge("alice");
        Pipes.of(alice).serve("calc", request -> text("alice"), task -> {
            throw new RejectedExecutionException("busy");
        });
        Pipes pipes = Pipes.of(peers.edge("bob"));
        assertThat(failure(pipes.requestAsync("calc", text("1 + 1"), TIMEOUT)).code())
                .isEqualTo(ErrorCode.BUSY);
        holder("carol");
        Eventually.until(() -> "carol gets no request", () -> {
            CompletableFuture<PipeMessage> response = pipes.requestAsync("calc", text("1 + 1"), TIMEOUT);
            return response.handle((text, failure) -> failure == null).join();
        });
        for (int i = 0; i < 10; i++) { // also those that begin at alice
            assertThat(responseText(pipes.requestAsync("calc", text("1 + 1"), TIMEOUT)))
                    .isEqualTo("carol");
        }
    }

    @Test
    void vanishedHolder_losesItsRequests_andNoOthers() {
        Peer alice = silentHolder("alice");
        Pipes pipes = requesterInManualTime();
        CompletableFuture<PipeMessage> lost = pipes.requestAsync("calc", text("lost"), LONG);
        until("the request has not arrived", () -> count(alice) == 1);
        peers.network.isolate(alice.id());
        holder("carol");
        CompletableFuture<PipeMessage> response = pipes.requestAsync("calc", text("1 + 1"), LONG);

        until("the request is not lost", lost::isDone);
        ParleyException failure = failure(lost);
        assertThat(failure.code()).isEqualTo(ErrorCode.LOST);
        assertThat(failure.getMessage()).contains("may have");
        // a request that was sent to the vanished peer is lost as well, otherwise it goes to carol
        until("the other request is not done", response::isDone);
        assertThat(response.handle((text, problem) -> problem == null
                        || ((ParleyException) ParleyException.unwrap(problem)).code() == ErrorCode.LOST))
                .isCompletedWithValue(true);
        Eventually.until(() -> "carol gets no request", () -> {
            CompletableFuture<PipeMessage> next = pipes.requestAsync("calc", text("2"), LONG);
            until("a request is not done", next::isDone);
            return !next.isCompletedExceptionally();
        });
    }

    @Test
    void vanishedHolder_withResending_itsRequestsGoToAnother() {
        Peer alice = silentHolder("alice");
        Pipes pipes = requesterInManualTime().withResending();
        CompletableFuture<PipeMessage> response = pipes.requestAsync("calc", text("again"), LONG);
        until("the request has not arrived", () -> count(alice) == 1);
        peers.network.isolate(alice.id());
        holder("carol");
        until("no response", response::isDone);
        assertThat(responseText(response)).isEqualTo("carol");
    }

    @Test
    void restartedHolder_losesItsRequests() {
        Identity identity = Identity.generate();
        Peer before = silentHolder("before", identity);
        Pipes pipes = requesterInManualTime();
        CompletableFuture<PipeMessage> lost = pipes.requestAsync("calc", text("lost"), LONG);
        until("the request has not arrived", () -> count(before) == 1);
        before.close();
        silentHolder("after", identity);
        until("the request is not lost", lost::isDone);
        assertThat(failure(lost).code()).isEqualTo(ErrorCode.LOST);
    }

    @Test
    void restartedHolder_atTheSameAddress_losesItsRequests() {
        Identity identity = Identity.generate();
        Peer before = silentHolder("holder", identity);
        Pipes pipes = Pipes.of(requester());
        CompletableFuture<PipeMessage> lost = pipes.requestAsync("calc", text("lost"), TIMEOUT);
        Eventually.until(() -> "the request has not arrived", () -> count(before) == 1);
        before.close();
        silentHolder("holder", identity); // to which the requester connects again at once
        assertThat(failure(lost).code()).isEqualTo(ErrorCode.LOST);
    }

    @Test
    void unusedService_isClosedAfterAWhile_andOpenedAgain() {
        holder("alice");
        Peer bob = peers.edge("bob");
        PeerGroup group = ManualTimeGroup.of(bob.netGroup(), time);
        Pipes pipes = Pipes.of(group);
        CompletableFuture<PipeMessage> first = pipes.requestAsync("calc", text("1"), TIMEOUT);
        Eventually.until(() -> "no response", () -> {
            time.advance(Duration.ofMillis(10));
            return first.isDone();
        });
        ServiceRequesters services =
                PipeRequests.of(group).client(PipeSecurity.PLAIN).services();
        assertThat(services.size()).isEqualTo(1);
        Eventually.until(() -> "the requester is open", () -> {
            time.advance(ServiceRequesters.MAINTENANCE_INTERVAL);
            return services.size() == 0;
        });
        CompletableFuture<PipeMessage> second = pipes.requestAsync("calc", text("2"), TIMEOUT);
        Eventually.until(() -> "no response", () -> {
            time.advance(Duration.ofMillis(10));
            return second.isDone();
        });
        assertThat(responseText(second)).isEqualTo("alice");
    }

    @Test
    void manyServices_areBounded_theLeastRecentlyUsedGivesWay() {
        Peer bob = peers.edge("bob");
        Pipes pipes = Pipes.of(bob);
        List<CompletableFuture<PipeMessage>> pending = new ArrayList<>();
        for (int i = 0; i < ServiceRequesters.MAX_SERVICES; i++) {
            pending.add(pipes.requestAsync("service " + i, text("?"), TIMEOUT));
        }
        assertThat(failure(pipes.requestAsync("one more", text("?"), TIMEOUT)).code())
                .isEqualTo(ErrorCode.LOCAL_LIMIT);
        pending.get(3).cancel(false);
        assertThat(pipes.requestAsync("one more", text("?"), TIMEOUT)).isNotDone();
        assertThat(PipePeers.count(bob, Counter.REQUESTS_STARTED)).isEqualTo(ServiceRequesters.MAX_SERVICES + 1);
    }

    @Test
    void unsentRequestOfALostHolder_whoseAttemptsAreUsedUp_fails() {
        Peer alice = peers.start(peers.builder("alice")
                .limits(limits -> limits.toBuilder()
                        .windowBytes(EndpointLimits.MIN_WINDOW_BYTES)
                        .build())
                .multicast(false)
                .rendezvous("mem://rendezvous"));
        Queue<Runnable> stuck = new ConcurrentLinkedQueue<>();
        Pipes.of(alice).listen("calc", request -> {}, stuck::add);
        Peer bob = requester();
        Message large = Message.builder()
                .add("data", new byte[EndpointLimits.MIN_WINDOW_BYTES])
                .build();
        List<CompletableFuture<PipeMessage>> responses = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            responses.add(Pipes.of(bob).requestAsync("calc", large, TIMEOUT));
        }
        Eventually.until(() -> "no request", () -> !stuck.isEmpty());
        List<PendingRequest> requests = PipeRequests.of(bob.netGroup()).client(PipeSecurity.PLAIN).pending().stream()
                .sorted(Comparator.comparingLong(PendingRequest::id))
                .toList();
        // The first request may arrive before the last one of those that waited for the holder is given to it.
        Eventually.until(
                () -> "a request has no attempt",
                () -> requests.stream().allMatch(request -> request.attempt() != null));
        PendingRequest unsent = requests.get(4);
        RequestAttempt last = Objects.requireNonNull(unsent.attempt(), "the attempt");
        for (int i = 1; i < PendingRequest.MAX_ATTEMPTS; i++) {
            unsent.begin(last);
        }
        PendingRequest sent = requests.get(0);
        sent.route()
                .onNotExecuted(
                        sent,
                        Objects.requireNonNull(sent.attempt(), "the attempt"),
                        ErrorCode.UNREACHABLE.exception("a test"));
        ParleyException failure = failure(responses.get(4));
        assertThat(failure.code()).isEqualTo(ErrorCode.UNREACHABLE);
        assertThat(failure.getMessage()).contains("not executed");
    }

    /** As when a connection is lost and its holder restarts at the same time, or has refused the request before. */
    private static void reportLossTwice(Peer requester, ErrorCode refusal) {
        PendingRequest request = PipeRequests.of(requester.netGroup())
                .client(PipeSecurity.PLAIN)
                .pending()
                .iterator()
                .next();
        RequestAttempt attempt = Objects.requireNonNull(request.attempt(), "the attempt");
        request.route().onLost(request, attempt, ErrorCode.LOST.exception("a test"));
        request.route().onLost(request, attempt, ErrorCode.LOST.exception("a test"));
        request.route().onNotExecuted(request, attempt, refusal.exception("a test"));
    }

    @ParameterizedTest
    @EnumSource(names = {"BUSY", "MESSAGE_TOO_LARGE"})
    void request_whoseLossIsReportedTwice_isSentAgain(ErrorCode refusal) {
        Peer alice = silentHolder("alice");
        Peer bob = requester();
        CompletableFuture<PipeMessage> response =
                Pipes.of(bob).withResending().requestAsync("calc", text("1 + 1"), TIMEOUT);
        Eventually.until(() -> "no request", () -> count(alice) == 1);
        reportLossTwice(bob, refusal);
        Eventually.until(() -> "not sent again", () -> count(alice) == 2 || response.isDone());
        respondAll(alice);
        assertThat(responseText(response)).isEqualTo("yes");
    }

    @ParameterizedTest
    @EnumSource(names = {"BUSY", "UNREACHABLE"})
    void requestThroughAPipe_whoseLossIsReportedTwice_isSentAgain(ErrorCode refusal) throws Exception {
        Peer alice = silentHolder("alice");
        Peer bob = requester();
        OutputPipe out = Pipes.of(bob).withResending().connect("calc", TIMEOUT);
        CompletableFuture<PipeMessage> response = out.requestAsync(text("1 + 1"), TIMEOUT);
        Eventually.until(() -> "no request", () -> count(alice) == 1);
        reportLossTwice(bob, refusal);
        Eventually.until(() -> "not sent again", () -> count(alice) == 2 || response.isDone());
        respondAll(alice);
        assertThat(responseText(response)).isEqualTo("yes");
    }

    /** Sends a request in manual time that is to be sent again, and loses its only holder after that has received it. */
    private CompletableFuture<PipeMessage> loseTheOnlyHolder(PeerGroup group, ManualScheduler time) {
        Peer alice = silentHolder("alice");
        CompletableFuture<PipeMessage> response =
                Pipes.of(group).withResending().requestAsync("calc", text("1 + 1"), TIMEOUT);
        PendingRequest request = PipeRequests.of(group)
                .client(PipeSecurity.PLAIN)
                .pending()
                .iterator()
                .next();
        Eventually.until(() -> "no request", () -> {
            time.advance(Duration.ofMillis(10));
            return count(alice) == 1;
        });
        peers.network.isolate(alice.id());
        Eventually.until(() -> "the holder is not lost", () -> {
            time.advance(Duration.ofMillis(10));
            return request.attemptNumber() == 2;
        });
        return response;
    }

    @Test
    void requestThatALostHolderMayHaveExecuted_withoutAnotherHolder_isLost() {
        ManualScheduler time = new ManualScheduler();
        PeerGroup group = ManualTimeGroup.of(requester().netGroup(), time);
        CompletableFuture<PipeMessage> response = loseTheOnlyHolder(group, time);
        time.advance(TIMEOUT);
        ParleyException failure = failure(response);
        assertThat(failure.code()).isEqualTo(ErrorCode.LOST);
        assertThat(failure.getMessage()).contains("may have executed it");
    }

    @Test
    void requestThatALostHolderMayHaveExecuted_whoseGroupIsLeft_isLost() {
        ManualScheduler time = new ManualScheduler();
        PeerGroup group = ManualTimeGroup.of(requester().netGroup(), time);
        CompletableFuture<PipeMessage> response = loseTheOnlyHolder(group, time);
        PipeRequests.of(group).client(PipeSecurity.PLAIN).closeAsync();
        assertThat(failure(response).code()).isEqualTo(ErrorCode.LOST);
    }

    /** As when a holder restarts while the timer of its loss ends. */
    private static void loseTwice(Peer requester) {
        RequestClient client = PipeRequests.of(requester.netGroup()).client(PipeSecurity.PLAIN);
        PendingRequest request = client.pending().iterator().next();
        RequestAttempt attempt = Objects.requireNonNull(request.attempt(), "the attempt");
        client.onLost(request, attempt, ErrorCode.LOST.exception("a test"));
        client.onLost(request, attempt, ErrorCode.LOST.exception("a test"));
    }

    @Test
    void lossThatIsNoticedTwice_countsAsOnePossibleExecution() {
        Peer alice = silentHolder("alice");
        Peer bob = requester();
        CompletableFuture<PipeMessage> response =
                Pipes.of(bob).withResending().requestAsync("calc", text("1 + 1"), TIMEOUT);
        Eventually.until(() -> "no request", () -> count(alice) == 1);
        loseTwice(bob);
        Eventually.until(() -> "not sent again", () -> count(alice) == 2);
        assertThat(PipeRequests.of(bob.netGroup())
                        .client(PipeSecurity.PLAIN)
                        .pending()
                        .iterator()
                        .next()
                        .attemptNumber())
                .isEqualTo(2);
        respondAll(alice);
        assertThat(responseText(response)).isEqualTo("yes");
    }

    @Test
    void lossThatIsNoticedTwice_withoutResending_isCountedOnce() {
        Peer alice = silentHolder("alice");
        Peer bob = requester();
        CompletableFuture<PipeMessage> response = Pipes.of(bob).requestAsync("calc", text("1 + 1"), TIMEOUT);
        Eventually.until(() -> "no request", () -> count(alice) == 1);
        loseTwice(bob);
        assertThat(failure(response).code()).isEqualTo(ErrorCode.LOST);
        assertThat(PipePeers.count(bob, Counter.REQUESTS_LOST)).isEqualTo(1);
    }
}

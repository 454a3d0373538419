package io.parley.resolver.internal;

import static io.parley.resolver.internal.ResolverFixture.LONG;
import static io.parley.resolver.internal.ResolverFixture.NAME;
import static io.parley.resolver.internal.ResolverFixture.assertFails;
import static io.parley.resolver.internal.ResolverFixture.echo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Registration;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.ResolverFixture.TestPeer;
import io.parley.resolver.internal.ResolverMetrics.Counter;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.PeerAddress;
import io.parley.transport.PropagationTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Propagated queries. */
class ResolverPropagateTest {

    private static final Message RAIN = Message.of("text", "rain?");

    private final ResolverFixture fixture = new ResolverFixture();
    private final Queue<QueryResponse> responses = new ConcurrentLinkedQueue<>();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    private PropagatedQuery propagate(TestPeer querier, int maxResponses) {
        return querier.resolver().propagate(NAME, RAIN, new PropagateOptions(LONG, maxResponses), responses::add);
    }

    private void awaitResponses(int count) {
        Eventually.until(() -> "received " + responses, () -> responses.size() >= count);
        assertThat(responses).hasSize(count);
    }

    private List<TestPeer> startResponders(int count) {
        List<TestPeer> testPeers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            TestPeer testPeer = fixture.start();
            testPeer.resolver().registerHandler(NAME, echo("yes, "));
            testPeers.add(testPeer);
        }
        return testPeers;
    }

    @Test
    void propagate_eachPeerRespondsOnce_untilTimeout() {
        TestPeer alice = fixture.start();
        List<TestPeer> others = startResponders(8);
        PropagatedQuery query = propagate(alice, 100);
        awaitResponses(others.size());
        assertThat(responses)
                .extracting(QueryResponse::from)
                .containsExactlyInAnyOrder(
                        others.stream().map(testPeer -> testPeer.peer().id()).toArray(PeerId[]::new));
        assertThat(responses)
                .extracting(response -> response.body().text("text").orElseThrow())
                .containsOnly("yes, rain?");
        assertThat(query.whenDone()).isNotDone();
        assertThat(query.isClosing()).isFalse();

        fixture.scheduler.advance(LONG);
        assertThat(Eventually.get(query.whenDone(), "end of the query")).isEqualTo(others.size());
        Eventually.get(query.whenClosed(), "closing");
    }

    @Test
    void querierAddress_isAddedByRespondersOnly() {
        TestPeer alice = fixture.startUnknown(ResolverLimits.DEFAULTS);
        TestPeer bob = fixture.startUnknown(ResolverLimits.DEFAULTS);
        TestPeer carol = fixture.startUnknown(ResolverLimits.DEFAULTS);
        bob.resolver().registerHandler(NAME, echo("yes, "));
        carol.resolver().registerHandler(NAME, query -> CompletableFuture.completedFuture(Optional.empty()));
        PropagatedQuery query = propagate(alice, 1);
        assertThat(Eventually.get(query.whenDone(), "end of the query")).isEqualTo(1);
        assertThat(responses)
                .extracting(QueryResponse::from)
                .containsExactly(bob.peer().id());
        carol.awaitCount(Counter.QUERIES_HANDLED, 1);
        Eventually.until(
                () -> "carol has pending queries", () -> carol.resolver().pendingQueries() == 0);

        assertFails(carol.query(alice, "where?"), ErrorCode.UNREACHABLE);
        assertFails(bob.query(alice, "where?"), ErrorCode.NO_SUCH_SERVICE); // reached, but has no handler
    }

    @Test
    void maxResponses_endsTheQuery_andDropsTheRest() {
        TestPeer alice = fixture.start();
        startResponders(5);
        PropagatedQuery query = propagate(alice, 2);
        assertThat(Eventually.get(query.whenDone(), "end of the query")).isEqualTo(2);
        alice.awaitCount(Counter.RESPONSES_UNSOLICITED, 3);
        assertThat(responses).hasSize(2);
        assertThat(query.isClosing()).isTrue();
    }

    @Test
    void noResponse_endsAtTimeout_withNone() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        CountDownLatch received = new CountDownLatch(1);
        bob.resolver().registerHandler(NAME, query -> {
            assertThat(query.propagated()).isTrue();
            assertThat(query.from()).isEqualTo(alice.peer().id());
            received.countDown();
            return CompletableFuture.completedFuture(Optional.empty());
        });
        PropagatedQuery query = propagate(alice, 1);
        Eventually.latch(received, "query");
        Eventually.until(
                () -> "bob has pending queries", () -> bob.resolver().pendingQueries() == 0); // before its timeout
        fixture.scheduler.advance(LONG);
        assertThat(Eventually.get(query.whenDone(), "end of the query")).isZero();
        assertThat(bob.count(Counter.RESPONSES_SENT)).isZero();
        assertThat(bob.count(Counter.HANDLER_FAILURES)).isZero();
    }

    @Test
    void handlerThatFails_sendsNothing() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        bob.resolver().registerHandler(NAME, query -> {
            throw new IllegalStateException("no");
        });
        PropagatedQuery query = propagate(alice, 1);
        bob.awaitCount(Counter.HANDLER_FAILURES, 1);
        Eventually.until(() -> "bob has pending queries", () -> bob.resolver().pendingQueries() == 0);
        fixture.scheduler.advance(LONG);
        assertThat(Eventually.get(query.whenDone(), "end of the query")).isZero();
        assertThat(alice.count(Counter.RESPONSES_UNSOLICITED)).isZero();
    }

    @Test
    void otherGroups_receiveNothing() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        TestPeer bobInNet = fixture.inGroup(bob, GroupId.ofName("others"));
        bob.resolver().registerHandler(NAME, echo("weather, "));
        bobInNet.resolver().registerHandler(NAME, echo("net, "));
        PropagatedQuery query = propagate(fixture.inGroup(alice, GroupId.ofName("others")), 1);
        Eventually.get(query.whenDone(), "end of the query");
        assertThat(responses)
                .extracting(response -> response.body().text("text").orElseThrow())
                .containsExactly("net, rain?");
        assertThat(bob.count(Counter.QUERIES_HANDLED)).isZero();
        assertThat(bobInNet.count(Counter.QUERIES_HANDLED)).isEqualTo(1);
    }

    @Test
    void receivedTwice_isHandledOnce() {
        TestPeer alice = fixture.start();
        TestPeer bob = startResponders(1).get(0);
        alice.resolver().addPropagator(forwardThrough(alice.multicast()));
        PropagatedQuery query = propagate(alice, 100);
        bob.awaitCount(Counter.QUERIES_DUPLICATE, 1);
        awaitResponses(1);
        assertThat(bob.count(Counter.QUERIES_HANDLED)).isEqualTo(1);
        query.close();
    }

    /** Returns a second propagator that sends through the same one. */
    private static Propagator forwardThrough(Propagator propagator) {
        return new Propagator() {
            @Override
            public PropagationScope scope() {
                return PropagationScope.GROUP;
            }

            @Override
            public CompletableFuture<Void> propagate(ServiceAddress service, Message message) {
                return propagator.propagate(service, message);
            }

            @Override
            public AsyncCloseable listen(ServiceAddress service, PropagatedMessageListener listener) {
                return new Registration(() -> {});
            }
        };
    }

    @Test
    void secondResponseOfAPeer_isDropped() {
        TestPeer alice = fixture.start();
        TestPeer mallory = fixture.start();
        mallory.resolver().close(); // replaced by a listener for the plain messages
        CompletableFuture<Long> id = new CompletableFuture<>();
        mallory.multicast()
                .listen(
                        GroupResolver.service(alice.resolver().group()),
                        (sender, message) ->
                                id.complete(ResolverMessageFormat.read(message).id()));
        PropagatedQuery query = propagate(alice, 100);
        ResolverMessage response =
                new ResolverMessage.ResponseMessage(Eventually.get(id, "query"), Message.of("text", "mine"));
        for (int i = 0; i < 3; i++) {
            Eventually.get(send(mallory, alice, response), "response");
        }
        alice.awaitCount(Counter.RESPONSES_UNSOLICITED, 2);
        awaitResponses(1);
        assertThat(responses)
                .extracting(QueryResponse::from)
                .containsExactly(mallory.peer().id());
        query.close();
    }

    static CompletableFuture<Void> send(TestPeer from, TestPeer to, ResolverMessage message) {
        return from.peer()
                .endpoint()
                .send(
                        to.peer().id(),
                        GroupResolver.service(to.resolver().group()),
                        ResolverMessageFormat.write(message));
    }

    @Test
    void close_endsTheQuery_andDropsLaterResponses() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        CompletableFuture<Optional<Message>> slow = new CompletableFuture<>();
        bob.resolver().registerHandler(NAME, query -> slow);
        PropagatedQuery query = propagate(alice, 1);
        bob.awaitCount(Counter.QUERIES_HANDLED, 1);
        query.close();
        query.close();
        assertThat(Eventually.get(query.whenDone(), "end of the query")).isZero();
        slow.complete(Optional.of(RAIN));
        alice.awaitCount(Counter.RESPONSES_UNSOLICITED, 1);
        assertThat(responses).isEmpty();
    }

    @Test
    void resolverClosed_failsWithClosed() {
        TestPeer alice = fixture.start();
        PropagatedQuery query = propagate(alice, 1);
        alice.resolver().close();
        assertFails(query.whenDone(), ErrorCode.CLOSED);
        assertFails(propagate(alice, 1).whenDone(), ErrorCode.CLOSED);
    }

    @Test
    void listenerThatThrows_receivesTheNextResponse() {
        TestPeer alice = fixture.start();
        startResponders(3);
        PropagatedQuery query = alice.resolver().propagate(NAME, RAIN, new PropagateOptions(LONG, 3), response -> {
            throw new StackOverflowError("no");
        });
        assertThat(Eventually.get(query.whenDone(), "end of the query")).isEqualTo(3);
        assertThat(alice.count(Counter.HANDLER_FAILURES)).isEqualTo(3);
    }

    @Test
    void noPropagator_failsWithUnreachable() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        AsyncCloseable registration = fixture.inGroup(bob, GroupId.ofName("others"))
                .resolver()
                .addPropagator(forwardThrough(bob.multicast()));
        registration.close();
        registration.close();
        GroupResolver without = GroupResolver.open(
                alice.peer().endpoint(),
                GroupId.ofName("others"),
                Runnable::run,
                ResolverLimits.DEFAULTS,
                new ResolverMetrics(),
                fixture.scheduler);
        assertFails(
                without.propagate(NAME, RAIN, new PropagateOptions(LONG, 1), responses::add)
                        .whenDone(),
                ErrorCode.UNREACHABLE,
                "local network");
        without.close();
    }

    @Test
    void closedPropagator_failsWithItsReason() {
        TestPeer alice = fixture.start();
        alice.multicast().close();
        assertFails(propagate(alice, 1).whenDone(), ErrorCode.CLOSED);
    }

    @Test
    void tooLargeQuery_failsWithItsReason() {
        TestPeer alice = fixture.start();
        Message large = Message.of("data", new byte[70_000]);
        PropagatedQuery query = alice.resolver().propagate(NAME, large, new PropagateOptions(LONG, 1), responses::add);
        assertFails(query.whenDone(), ErrorCode.MESSAGE_TOO_LARGE);
    }

    @Test
    void tooManyPending_failWithBusy_andTooManyResponsesAreRejected() {
        TestPeer alice = fixture.start(
                ResolverLimits.DEFAULTS.toBuilder().maxPropagatedQueries(1).build());
        PropagatedQuery first = propagate(alice, 1);
        assertFails(propagate(alice, 1).whenDone(), ErrorCode.BUSY, "maxPropagatedQueries");
        first.close();
        PropagatedQuery second = propagate(alice, 1);
        assertThat(second.whenDone()).isNotDone();
        second.close();
        assertThatThrownBy(() -> propagate(alice, 1001))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxResponses");
        assertThatThrownBy(() -> new PropagateOptions(Duration.ZERO, 1)).hasMessageContaining("timeout");
        assertThatThrownBy(() -> new PropagateOptions(LONG, 0)).hasMessageContaining("maxResponses");
    }

    @Test
    void rateExceeded_propagatedQueriesAreDropped() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start(ResolverLimits.DEFAULTS.toBuilder()
                .queriesPerSecond(5)
                .propagatedQueriesPerSecond(5)
                .build());
        bob.resolver().registerHandler(NAME, echo("yes, "));
        List<PropagatedQuery> open = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            open.add(propagate(alice, 1));
        }
        bob.awaitCount(Counter.QUERIES_THROTTLED, 20);
        awaitResponses(10);
        bob.awaitCount(Counter.RESPONSES_SENT, 10);
        open.forEach(PropagatedQuery::close);
    }

    @Test
    void otherMessages_areRejected() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        PeerAddress querier = alice.peer().address();
        assertThat(querier.addresses()).isNotEmpty();
        List<Message> invalid = List.of(
                Message.EMPTY,
                ResolverMessageFormat.write(new ResolverMessage.ResponseMessage(1, RAIN)),
                ResolverMessageFormat.write(new ResolverMessage.QueryMessage(false, 1, NAME, 0, LONG, RAIN)),
                ResolverMessageFormat.write(new ResolverMessage.QueryMessage(
                        true, 1, NAME, ResolverLimits.DEFAULTS.maxHops() + 1, LONG, RAIN)));
        for (Message message : invalid) {
            Eventually.get(
                    alice.multicast()
                            .propagate(GroupResolver.service(bob.resolver().group()), message),
                    "propagating");
        }
        bob.awaitCount(Counter.MESSAGES_REJECTED, invalid.size());
        assertThat(bob.count(Counter.QUERIES_HANDLED)).isZero();
    }

    @Test
    void malformedPayload_isRejected_andTheNextQueryIsHandled() {
        TestPeer alice = fixture.start();
        TestPeer bob = startResponders(1).get(0);
        try (PropagationTransport mallory = fixture.propagation(fixture.start().peer())) {
            Eventually.get(mallory.start((sender, payload) -> payload.skipBytes(payload.readableBytes())), "start");
            for (byte[] garbage : List.of(new byte[0], new byte[100])) {
                Eventually.get(mallory.propagate(List.of(), Unpooled.wrappedBuffer(garbage)), "propagating");
            }
            EndpointMetrics metrics = bob.peer().endpoint().metrics();
            Eventually.until(
                    () -> "garbage was not rejected",
                    () -> metrics.get(EndpointMetrics.Counter.PROPAGATIONS_REJECTED) == 2);
        }
        assertThat(Eventually.get(propagate(alice, 1).whenDone(), "end of the query"))
                .isEqualTo(1);
    }
}

package io.parley.resolver.internal;

import static io.parley.resolver.internal.ResolverFixture.GROUP;
import static io.parley.resolver.internal.ResolverFixture.LONG;
import static io.parley.resolver.internal.ResolverFixture.NAME;
import static io.parley.resolver.internal.ResolverFixture.assertFails;
import static io.parley.resolver.internal.ResolverFixture.echo;
import static io.parley.resolver.internal.ResolverFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.common.AsyncCloseable;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.ResolverFixture.TestPeer;
import io.parley.resolver.internal.ResolverMetrics.Counter;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.testkit.HostileText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Queries to one peer. */
class ResolverQueryTest {

    private final ResolverFixture fixture = new ResolverFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    @Test
    void query_isHandledByTheQueriedPeer() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        AtomicReference<Query> received = new AtomicReference<>();
        bob.resolver().registerHandler(NAME, query -> {
            received.set(query);
            return echo("bob: ").onQuery(query);
        });

        assertThat(text(alice.query(bob, "rain?"))).isEqualTo("bob: rain?");
        assertThat(received.get()).isEqualTo(new Query(alice.peer().id(), NAME, Message.of("text", "rain?"), false, 0));
        bob.awaitCount(Counter.RESPONSES_SENT, 1);
        alice.awaitCount(Counter.RESPONSES_RECEIVED, 1);
    }

    @Test
    void query_toOwnPeer_isHandled() {
        TestPeer alice = fixture.start();
        alice.resolver().registerHandler(NAME, echo("me: "));
        assertThat(text(alice.query(alice, "rain?"))).isEqualTo("me: rain?");
    }

    @Test
    void body_arrivesUnchanged() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        bob.resolver().registerHandler(NAME, query -> CompletableFuture.completedFuture(Optional.of(query.body())));
        Message body = Message.builder()
                .add(MessageElement.ofXml("Name", "<x/>"))
                .add(MessageElement.of("Ask", new byte[300]).withNamespace("jxta"))
                .add("Name", "again")
                .build();
        assertThat(Eventually.get(alice.resolver().query(bob.peer().id(), NAME, body, LONG), "response"))
                .isEqualTo(body);
    }

    @Test
    void emptyResponse_isTheEmptyMessage() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        bob.resolver().registerHandler(NAME, query -> CompletableFuture.completedFuture(Optional.empty()));
        assertThat(Eventually.get(alice.query(bob, "rain?"), "response")).isEqualTo(Message.EMPTY);
    }

    @Test
    void noHandler_failsWithNoSuchService_alsoAfterItWasClosed() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        AsyncCloseable registration = bob.resolver().registerHandler(NAME, echo("bob: "));
        assertFails(
                alice.resolver().query(bob.peer().id(), "tides", Message.EMPTY, LONG),
                ErrorCode.NO_SUCH_SERVICE,
                "tides",
                bob.peer().id().text());
        assertThat(text(alice.query(bob, "rain?"))).isEqualTo("bob: rain?");

        registration.close();
        registration.close();
        assertThat(registration.isClosing()).isTrue();
        assertFails(alice.query(bob, "rain?"), ErrorCode.NO_SUCH_SERVICE, NAME);
        bob.resolver().registerHandler(NAME, echo("again: "));
        assertThat(text(alice.query(bob, "rain?"))).isEqualTo("again: rain?");
    }

    @Test
    void secondHandlerOfAName_isRejected() {
        TestPeer alice = fixture.start();
        alice.resolver().registerHandler(NAME, echo(""));
        assertThatThrownBy(() -> alice.resolver().registerHandler(NAME, echo("")))
                .hasMessageContaining(NAME);
        assertThatThrownBy(() -> fixture.inGroup(alice, GROUP)).hasMessageContaining("resolver");
    }

    @Test
    void otherGroup_receivesNothing() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        fixture.inGroup(bob, GroupId.ofName("others")).resolver().registerHandler(NAME, echo("net: "));
        assertFails(alice.query(bob, "rain?"), ErrorCode.NO_SUCH_SERVICE);

        bob.resolver().registerHandler(NAME, echo("weather: "));
        TestPeer aliceInNet = fixture.inGroup(alice, GroupId.ofName("others"));
        assertThat(text(aliceInNet.query(bob, "rain?"))).isEqualTo("net: rain?");
        assertThat(text(alice.query(bob, "rain?"))).isEqualTo("weather: rain?");
    }

    @Test
    void peerWithoutResolver_failsWithNoSuchService() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        bob.resolver().close();
        assertFails(alice.query(bob, "rain?"), ErrorCode.NO_SUCH_SERVICE);
    }

    @Test
    void unknownPeer_failsWithUnreachable() {
        TestPeer alice = fixture.start();
        assertFails(
                alice.resolver().query(Identity.generate().peerId(), NAME, Message.EMPTY, LONG), ErrorCode.UNREACHABLE);
    }

    @Test
    void peerClosed_beforeItsResponse_failsWithUnreachable() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        TestPeer carol = fixture.start();
        CompletableFuture<Optional<Message>> slow = new CompletableFuture<>();
        bob.resolver().registerHandler(NAME, query -> slow);
        bob.resolver().registerHandler("now", echo("bob: "));
        carol.resolver().registerHandler(NAME, query -> slow);
        CompletableFuture<Message> lost = alice.query(bob, "rain?");
        CompletableFuture<Message> open = alice.query(carol, "rain?");
        bob.awaitCount(Counter.QUERIES_HANDLED, 1);
        carol.awaitCount(Counter.QUERIES_HANDLED, 1);
        // The acknowledgement of the first query precedes this response. Otherwise the query would be sent again.
        assertThat(text(alice.resolver().query(bob.peer().id(), "now", Message.of("text", "rain?"), LONG)))
                .isEqualTo("bob: rain?");
        bob.peer().close();
        assertThat(bob.resolver().isClosing()).isTrue();
        assertFails(lost, ErrorCode.UNREACHABLE, bob.peer().id().text(), NAME, "lost");
        assertThat(open).isNotDone();

        slow.complete(Optional.of(Message.of("text", "yes")));
        assertThat(text(open)).isEqualTo("yes");
    }

    @Test
    void connectionLost_failsPendingQueries_andTheNextQueryReconnects() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        bob.resolver().registerHandler(NAME, echo("bob: "));
        bob.resolver().registerHandler("slow", query -> new CompletableFuture<>());
        for (int i = 1; i <= 200; i++) {
            CompletableFuture<Message> lost = alice.resolver().query(bob.peer().id(), "slow", Message.EMPTY, LONG);
            bob.awaitCount(Counter.QUERIES_HANDLED, 3 * i - 2);
            // The acknowledgement of the first query precedes this response. Otherwise the query would be sent again.
            assertThat(text(alice.query(bob, "rain?"))).isEqualTo("bob: rain?");
            fixture.transports.breakAll();
            assertFails(lost, ErrorCode.UNREACHABLE, "lost");
            assertThat(text(alice.query(bob, "rain?"))).isEqualTo("bob: rain?");
        }
    }

    /** A query that is being sent when the connection is lost must not stay pending: none of these gets a response. */
    @Test
    void manyQueries_whileConnectionsBreak_allFail() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start(ResolverLimits.DEFAULTS.toBuilder()
                .queriesPerSecond(1_000_000)
                .propagatedQueriesPerSecond(1)
                .maxConcurrentQueries(1_000_000)
                .build());
        bob.resolver().registerHandler(NAME, echo("bob: "));
        bob.resolver().registerHandler("slow", query -> new CompletableFuture<>());
        for (int round = 0; round < 30; round++) {
            List<CompletableFuture<Message>> responses = new ArrayList<>();
            for (int i = 1; i <= 100; i++) {
                responses.add(alice.resolver().query(bob.peer().id(), "slow", Message.EMPTY, LONG));
                if (i % 10 == 0) {
                    fixture.transports.breakAll();
                }
            }
            // Messages that were not acknowledged are sent again on the next connection, whose loss it does not
            // survive.
            Eventually.until(() -> "pending queries: " + alice.resolver().pendingQueries(), () -> {
                Eventually.get(alice.query(bob, "rain?").handle((body, failure) -> ""), "end of the query");
                fixture.transports.breakAll();
                return responses.stream().allMatch(CompletableFuture::isDone);
            });
            responses.forEach(response -> assertFails(response, ErrorCode.UNREACHABLE));
        }
        // The last connection may still be on its way down.
        Eventually.until(
                () -> "no query succeeds",
                () -> Eventually.get(
                        alice.query(bob, "rain?").handle((body, failure) -> body != null), "end of the query"));
    }

    @Test
    void noResponse_timesOut() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        bob.resolver().close();
        bob.peer().endpoint().listen(GroupResolver.service(GROUP), ReceivedMessage::release);
        CompletableFuture<Message> response = alice.query(bob, "rain?");
        fixture.scheduler.advance(LONG);
        assertFails(response, ErrorCode.TIMEOUT, bob.peer().id().text(), NAME);
    }

    @Test
    void handlerThatFailsOnManyQueries_makesOneLineOfLog() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        bob.resolver().registerHandler("thrown", query -> {
            throw new IllegalStateException("failed");
        });
        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 3; i++) {
                assertFails(
                        alice.resolver().query(bob.peer().id(), "thrown", Message.EMPTY, LONG),
                        ErrorCode.SERVICE_FAILED);
            }
            assertThat(bob.count(Counter.HANDLER_FAILURES)).isEqualTo(3);
            assertThat(log.lines("Handler \"thrown\" failed")).hasSize(1);
        }
    }

    @Test
    void handlerThatFails_sendsOwnCodesOnly() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        bob.resolver().registerHandler("thrown", query -> {
            throw new IllegalStateException("password 1234");
        });
        bob.resolver()
                .registerHandler(
                        "failed", query -> CompletableFuture.failedFuture(ErrorCode.NOT_ENCODABLE.exception("no ink")));
        bob.resolver().registerHandler("error", query -> {
            throw new StackOverflowError("password 1234");
        });
        bob.resolver().registerHandler("null", query -> null);
        bob.resolver().registerHandler("nothing", query -> CompletableFuture.completedFuture(null));

        CompletableFuture<Message> thrown = alice.resolver().query(bob.peer().id(), "thrown", Message.EMPTY, LONG);
        assertFails(thrown, ErrorCode.SERVICE_FAILED, "thrown");
        assertThat(Eventually.failure(thrown, "failure of the query")).hasMessageNotContaining("1234");
        assertFails(
                alice.resolver().query(bob.peer().id(), "failed", Message.EMPTY, LONG),
                ErrorCode.SERVICE_FAILED,
                "no ink",
                bob.peer().id().text());
        for (String name : List.of("error", "null", "nothing")) {
            assertFails(alice.resolver().query(bob.peer().id(), name, Message.EMPTY, LONG), ErrorCode.SERVICE_FAILED);
        }
        assertThat(bob.count(Counter.HANDLER_FAILURES)).isEqualTo(5);
    }

    @Test
    void handlerTimeout_failsTheQuery() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        CountDownLatch entered = new CountDownLatch(1);
        bob.resolver().registerHandler(NAME, query -> {
            entered.countDown();
            return new CompletableFuture<>();
        });
        CompletableFuture<Message> response = alice.query(bob, "rain?");
        Eventually.latch(entered, "query");
        fixture.scheduler.advance(ResolverLimits.DEFAULTS.handlerTimeout());
        assertFails(response, ErrorCode.TIMEOUT, "handler");
        Eventually.until(() -> "bob has pending queries", () -> bob.resolver().pendingQueries() == 0);
    }

    @Test
    void lateResponse_isDroppedAndCounted() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        CompletableFuture<Optional<Message>> slow = new CompletableFuture<>();
        bob.resolver().registerHandler(NAME, query -> slow);
        CompletableFuture<Message> response = alice.query(bob, "rain?");
        bob.awaitCount(Counter.QUERIES_HANDLED, 1);
        assertThat(response.cancel(false)).isTrue();
        Eventually.until(() -> "the query is pending", () -> alice.resolver().pendingQueries() == 0);

        slow.complete(Optional.of(Message.EMPTY));
        alice.awaitCount(Counter.RESPONSES_UNSOLICITED, 1);
        assertThat(alice.count(Counter.RESPONSES_RECEIVED)).isZero();
    }

    @Test
    void manyQueriers_fitInTheMemoryOfOneWindow() {
        int window = EndpointLimits.DEFAULTS.windowBytes();
        TestPeer bob = fixture.start(
                ResolverLimits.DEFAULTS,
                EndpointLimits.DEFAULTS.toBuilder()
                        .peerMemoryBytes(window)
                        .totalMemoryBytes(window)
                        .build());
        bob.resolver().registerHandler(NAME, echo("bob: "));
        for (int i = 0; i < 10; i++) {
            assertThat(text(fixture.start().query(bob, "rain?"))).isEqualTo("bob: rain?");
        }
    }

    @Test
    void thousandConcurrentQueries_receiveTheirOwnResponses() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        bob.resolver().registerHandler(NAME, echo("bob: "));
        List<CompletableFuture<Message>> responses = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            responses.add(alice.query(bob, "rain " + i + "?"));
        }
        for (int i = 0; i < responses.size(); i++) {
            assertThat(text(responses.get(i))).isEqualTo("bob: rain " + i + "?");
        }
        assertThat(alice.count(Counter.RESPONSES_UNSOLICITED)).isZero();
    }

    @Test
    void largeResponses_beyondTheQueueSize_allArrive() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start(ResolverLimits.DEFAULTS.toBuilder()
                .maxUnsentResponseBytes(256 << 20)
                .build());
        int size = 900_000;
        bob.resolver()
                .registerHandler(
                        NAME,
                        query -> CompletableFuture.completedFuture(Optional.of(Message.of("data", new byte[size]))));
        List<CompletableFuture<Message>> responses = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            responses.add(alice.query(bob, "all of it"));
        }
        for (CompletableFuture<Message> response : responses) {
            assertThat(Eventually.get(response, "response").payloadBytes()).isEqualTo(size);
        }
    }

    @Test
    void tooLarge_failsAtTheFirstCheck() {
        TestPeer alice = fixture.start();
        TestPeer small = fixture.start(
                ResolverLimits.DEFAULTS.toBuilder().maxBodyBytes(1000).build());
        Message large = Message.of("data", new byte[10_000]);
        small.resolver().registerHandler(NAME, query -> CompletableFuture.completedFuture(Optional.of(large)));
        alice.resolver().registerHandler(NAME, query -> CompletableFuture.completedFuture(Optional.of(large)));

        assertFails(small.resolver().query(alice.peer().id(), NAME, large, LONG), ErrorCode.MESSAGE_TOO_LARGE, "query");
        assertFails(alice.resolver().query(small.peer().id(), NAME, large, LONG), ErrorCode.MESSAGE_TOO_LARGE, "query");
        assertFails(alice.query(small, "small"), ErrorCode.MESSAGE_TOO_LARGE, "response");
        assertFails(small.query(alice, "small"), ErrorCode.MESSAGE_TOO_LARGE, "response");
    }

    @Test
    void tooManyPendingQueries_failWithBusy() {
        TestPeer alice = fixture.start(
                ResolverLimits.DEFAULTS.toBuilder().maxPendingQueries(2).build());
        TestPeer bob = fixture.start();
        CompletableFuture<Optional<Message>> slow = new CompletableFuture<>();
        bob.resolver().registerHandler(NAME, query -> slow);
        CompletableFuture<Message> first = alice.query(bob, "1");
        CompletableFuture<Message> second = alice.query(bob, "2");
        assertFails(alice.query(bob, "3"), ErrorCode.BUSY, "maxPendingQueries");

        slow.complete(Optional.of(Message.of("text", "yes")));
        assertThat(text(first)).isEqualTo("yes");
        assertThat(text(second)).isEqualTo("yes");
        Eventually.until(
                () -> "alice has pending queries", () -> alice.resolver().pendingQueries() == 0);
        assertThat(text(alice.query(bob, "4"))).isEqualTo("yes");
    }

    @Test
    void allHandlersBusy_failsWithBusy_andOnePeerHasAQuota() {
        TestPeer alice = fixture.start();
        TestPeer carol = fixture.start();
        TestPeer bob = fixture.start(ResolverLimits.DEFAULTS.toBuilder()
                .maxConcurrentQueries(8)
                .maxConcurrentQueryBytes(1 << 20)
                .build());
        CompletableFuture<Optional<Message>> slow = new CompletableFuture<>();
        bob.resolver().registerHandler(NAME, query -> slow);
        List<CompletableFuture<Message>> open = List.of(alice.query(bob, "1"), alice.query(bob, "2"));
        assertFails(alice.query(bob, "3"), ErrorCode.BUSY);
        CompletableFuture<Message> carols = carol.query(bob, "1");
        bob.awaitCount(Counter.QUERIES_HANDLED, 3);
        assertThat(bob.count(Counter.QUERIES_THROTTLED)).isEqualTo(1);

        slow.complete(Optional.of(Message.of("text", "yes")));
        open.forEach(response -> assertThat(text(response)).isEqualTo("yes"));
        assertThat(text(carols)).isEqualTo("yes");
    }

    @Test
    void blockedHandler_countsUntilItReturns() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start(ResolverLimits.DEFAULTS.toBuilder()
                .maxConcurrentQueries(4)
                .maxConcurrentQueryBytes(1 << 20)
                .build());
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        bob.resolver().registerHandler(NAME, query -> {
            entered.countDown();
            Eventually.latch(released, "end of the test");
            return echo("bob: ").onQuery(query);
        });
        CompletableFuture<Message> first = alice.query(bob, "1");
        Eventually.latch(entered, "query");
        fixture.scheduler.advance(ResolverLimits.DEFAULTS.handlerTimeout());
        assertFails(first, ErrorCode.TIMEOUT);
        assertFails(alice.query(bob, "2"), ErrorCode.BUSY); // blocked handlers must not accumulate

        released.countDown();
        Eventually.until(() -> "bob has pending queries", () -> bob.resolver().pendingQueries() == 0);
        assertThat(text(alice.query(bob, "3"))).isEqualTo("bob: 3");
    }

    @Test
    void rateExceeded_failsWithBusy_untilTimePasses() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start(ResolverLimits.DEFAULTS.toBuilder()
                .queriesPerSecond(5)
                .propagatedQueriesPerSecond(5)
                .build());
        bob.resolver().registerHandler(NAME, echo("bob: "));
        for (int i = 0; i < 10; i++) {
            assertThat(text(alice.query(bob, "1"))).isEqualTo("bob: 1");
        }
        assertFails(alice.query(bob, "2"), ErrorCode.BUSY);
        fixture.scheduler.advance(Duration.ofSeconds(1));
        assertThat(text(alice.query(bob, "3"))).isEqualTo("bob: 3");
    }

    @Test
    void nameOfARefusedQuery_isEscapedInTheLog() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start(
                ResolverLimits.DEFAULTS.toBuilder().queriesPerSecond(1).build());
        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 10; i++) {
                CompletableFuture<Message> refused =
                        alice.resolver().query(bob.peer().id(), "a\n\u001b[2Jb", Message.EMPTY, LONG);
                Eventually.failure(refused, "the query");
            }
            assertThat(log.lines("Refused query"))
                    .singleElement()
                    .asString()
                    .contains("Refused query \"a\\u000a\\u001b[2Jb\" of peer");
        }
    }

    @Test
    void failureOfAHandler_thatQuotesTheQuery_isPrintableInTheLog() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        bob.resolver().registerHandler(HostileText.TEXT, query -> {
            throw new NumberFormatException(HostileText.TEXT);
        });
        try (CapturedLog log = new CapturedLog()) {
            Throwable failure = Eventually.failure(
                    alice.resolver().query(bob.peer().id(), HostileText.TEXT, Message.EMPTY, LONG), "the query");
            HostileText.assertPrintable(failure);
            assertThat(log.lines("Handler \"a")).hasSize(1);
            HostileText.assertPrintableLines(String.join("\n", log.lines("")));
        }
    }

    @Test
    void reasonOfAFailure_isPrintable() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        bob.resolver()
                .registerHandler(
                        NAME, query -> CompletableFuture.failedFuture(ErrorCode.BUSY.exception(HostileText.TEXT)));
        HostileText.assertPrintable(Eventually.failure(alice.query(bob, "1"), "the query"));
    }

    @Test
    void close_failsPendingQueries_andIsIdempotent() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        bob.resolver().registerHandler(NAME, query -> new CompletableFuture<>());
        CompletableFuture<Message> open = alice.query(bob, "rain?");
        bob.awaitCount(Counter.QUERIES_HANDLED, 1);

        alice.resolver().close();
        alice.resolver().close();
        assertFails(open, ErrorCode.CLOSED);
        assertFails(alice.query(bob, "rain?"), ErrorCode.CLOSED);
        assertThatThrownBy(() -> alice.resolver().registerHandler(NAME, echo("")))
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> alice.resolver().addPropagator(alice.multicast()))
                .hasMessageContaining("closed");
        assertThat(alice.resolver().whenClosed()).isDone();
        assertThat(fixture.inGroup(alice, GROUP).resolver().isClosing()).isFalse();
    }

    @Test
    void invalidArguments_areRejected() {
        TestPeer alice = fixture.start();
        Message header = Message.of(MessageElement.ofText("x", "y").withNamespace("parley.resolver"));
        assertThatThrownBy(() -> alice.resolver().query(alice.peer().id(), NAME, header, LONG))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("parley.resolver");
        for (String name : List.of("", "n".repeat(129), "€".repeat(43))) {
            assertThatThrownBy(() -> alice.resolver().query(alice.peer().id(), name, Message.EMPTY, LONG))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1 to 128");
        }
        for (Duration timeout : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(366))) {
            assertThatThrownBy(() -> alice.resolver().query(alice.peer().id(), NAME, Message.EMPTY, timeout))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("timeout");
        }
    }

    @Test
    void defaultScheduler_usesSystemTime() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        try (Resolver client = open(alice);
                Resolver server = open(bob)) {
            assertThat(client.group()).isEqualTo(GroupId.ofName("others"));
            server.registerHandler(NAME, echo("bob: "));
            server.registerHandler("never", query -> new CompletableFuture<>());
            CompletableFuture<Message> response =
                    client.query(bob.peer().id(), NAME, Message.of("text", "rain?"), Duration.ofDays(1));
            assertThat(text(response)).isEqualTo("bob: rain?");
            assertFails(
                    client.query(bob.peer().id(), "never", Message.EMPTY, Duration.ofMillis(20)), ErrorCode.TIMEOUT);
        }
    }

    private static Resolver open(TestPeer testPeer) {
        return new ResolverBuilder(
                        testPeer.peer().endpoint(),
                        GroupId.ofName("others"),
                        testPeer.peer().callbackExecutor())
                .limits(ResolverLimits.DEFAULTS)
                .open();
    }
}

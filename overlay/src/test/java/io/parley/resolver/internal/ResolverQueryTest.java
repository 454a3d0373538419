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
import io.parley.resolver.internal.ResolverFixture.Node;
import io.parley.resolver.internal.ResolverMetrics.Counter;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Questions to one peer. */
class ResolverQueryTest {

    private final ResolverFixture bed = new ResolverFixture();

    @AfterEach
    void closeAll() {
        bed.close();
    }

    @Test
    void ask_isAnswered_byThePeerThatWasAsked() {
        Node alice = bed.start();
        Node bob = bed.start();
        AtomicReference<Query> seen = new AtomicReference<>();
        bob.resolver().registerHandler(NAME, query -> {
            seen.set(query);
            return echo("bob: ").onQuery(query);
        });

        assertThat(text(alice.ask(bob, "rain?"))).isEqualTo("bob: rain?");
        assertThat(seen.get()).isEqualTo(new Query(alice.peer().id(), NAME, Message.of("text", "rain?"), false, 0));
        bob.awaitCount(Counter.RESPONSES_SENT, 1);
        alice.awaitCount(Counter.RESPONSES_RECEIVED, 1);
    }

    @Test
    void ask_ofOneself_isAnswered() {
        Node alice = bed.start();
        alice.resolver().registerHandler(NAME, echo("me: "));
        assertThat(text(alice.ask(alice, "rain?"))).isEqualTo("me: rain?");
    }

    @Test
    void body_comesAsItWasSent_elementByElement() {
        Node alice = bed.start();
        Node bob = bed.start();
        bob.resolver().registerHandler(NAME, query -> CompletableFuture.completedFuture(Optional.of(query.body())));
        Message body = Message.builder()
                .add(MessageElement.ofXml("Name", "<x/>"))
                .add(MessageElement.of("Ask", new byte[300]).withNamespace("jxta"))
                .add("Name", "again")
                .build();
        assertThat(Eventually.get(alice.resolver().query(bob.peer().id(), NAME, body, LONG), "an answer"))
                .isEqualTo(body);
    }

    @Test
    void noAnswer_isTheEmptyMessage() {
        Node alice = bed.start();
        Node bob = bed.start();
        bob.resolver().registerHandler(NAME, query -> CompletableFuture.completedFuture(Optional.empty()));
        assertThat(Eventually.get(alice.ask(bob, "rain?"), "an answer")).isEqualTo(Message.EMPTY);
    }

    @Test
    void noHandler_failsWithNoSuchService_alsoWhenItWasClosed() {
        Node alice = bed.start();
        Node bob = bed.start();
        AsyncCloseable handling = bob.resolver().registerHandler(NAME, echo("bob: "));
        assertFails(
                alice.resolver().query(bob.peer().id(), "tides", Message.EMPTY, LONG),
                ErrorCode.NO_SUCH_SERVICE,
                "tides",
                bob.peer().id().text());
        assertThat(text(alice.ask(bob, "rain?"))).isEqualTo("bob: rain?");

        handling.close();
        handling.close();
        assertThat(handling.isClosing()).isTrue();
        assertFails(alice.ask(bob, "rain?"), ErrorCode.NO_SUCH_SERVICE, NAME);
        bob.resolver().registerHandler(NAME, echo("again: "));
        assertThat(text(alice.ask(bob, "rain?"))).isEqualTo("again: rain?");
    }

    @Test
    void nameWithHandler_takesNoSecondOne() {
        Node alice = bed.start();
        alice.resolver().registerHandler(NAME, echo(""));
        assertThatThrownBy(() -> alice.resolver().registerHandler(NAME, echo("")))
                .hasMessageContaining(NAME);
        assertThatThrownBy(() -> bed.inGroup(alice, GROUP)).hasMessageContaining("resolver");
    }

    @Test
    void otherGroup_hearsNothing() {
        Node alice = bed.start();
        Node bob = bed.start();
        bed.inGroup(bob, GroupId.ofName("others")).resolver().registerHandler(NAME, echo("net: "));
        assertFails(alice.ask(bob, "rain?"), ErrorCode.NO_SUCH_SERVICE);

        bob.resolver().registerHandler(NAME, echo("weather: "));
        Node aliceInNet = bed.inGroup(alice, GroupId.ofName("others"));
        assertThat(text(aliceInNet.ask(bob, "rain?"))).isEqualTo("net: rain?");
        assertThat(text(alice.ask(bob, "rain?"))).isEqualTo("weather: rain?");
    }

    @Test
    void peerWithoutResolver_failsWithNoSuchService() {
        Node alice = bed.start();
        Node bob = bed.start();
        bob.resolver().close();
        assertFails(alice.ask(bob, "rain?"), ErrorCode.NO_SUCH_SERVICE);
    }

    @Test
    void unknownPeer_failsWithUnreachable() {
        Node alice = bed.start();
        assertFails(
                alice.resolver().query(Identity.generate().peerId(), NAME, Message.EMPTY, LONG), ErrorCode.UNREACHABLE);
    }

    @Test
    void peerThatGoes_beforeItHasAnswered_failsWithUnreachable_andTheOthersGoOn() {
        Node alice = bed.start();
        Node bob = bed.start();
        Node carol = bed.start();
        CompletableFuture<Optional<Message>> slow = new CompletableFuture<>();
        bob.resolver().registerHandler(NAME, query -> slow);
        carol.resolver().registerHandler(NAME, query -> slow);
        CompletableFuture<Message> lost = alice.ask(bob, "rain?");
        CompletableFuture<Message> open = alice.ask(carol, "rain?");
        bob.awaitCount(Counter.QUERIES_HANDLED, 1);
        carol.awaitCount(Counter.QUERIES_HANDLED, 1);
        bob.peer().close();
        assertThat(bob.resolver().isClosing()).isTrue();
        assertFails(lost, ErrorCode.UNREACHABLE, bob.peer().id().text(), NAME, "lost");
        assertThat(open).isNotDone();

        slow.complete(Optional.of(Message.of("text", "yes")));
        assertThat(text(open)).isEqualTo("yes");
    }

    @Test
    void connectionThatBreaks_failsWhatWasAsked_andTheNextQuestionGoesOverTheNext() {
        Node alice = bed.start();
        Node bob = bed.start();
        bob.resolver().registerHandler(NAME, echo("bob: "));
        bob.resolver().registerHandler("slow", query -> new CompletableFuture<>());
        for (int i = 1; i <= 200; i++) {
            CompletableFuture<Message> lost = alice.resolver().query(bob.peer().id(), "slow", Message.EMPTY, LONG);
            bob.awaitCount(Counter.QUERIES_HANDLED, 2 * i - 1);
            bed.transports.breakAll();
            assertFails(lost, ErrorCode.UNREACHABLE, "lost");
            assertThat(text(alice.ask(bob, "rain?"))).isEqualTo("bob: rain?");
        }
    }

    /** Those in the middle of being sent are the difficult ones: what is lost with the connection must not wait for ever. */
    @Test
    void manyAsks_whileConnectionsBreak_eachIsAnsweredOrFails() {
        Node alice = bed.start();
        Node bob = bed.start(ResolverLimits.DEFAULTS.toBuilder()
                .queriesPerSecond(1_000_000)
                .propagatedQueriesPerSecond(1)
                .build());
        bob.resolver().registerHandler(NAME, echo("bob: "));
        List<CompletableFuture<Message>> answers = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            answers.add(alice.ask(bob, "rain?"));
            if (i % 10 == 9) {
                bed.transports.breakAll();
            }
            if (i % 100 == 99) {
                answers.forEach(answer -> Eventually.get(answer.handle((body, failure) -> ""), "the question's end"));
            }
        }
        assertThat(answers).anyMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(text(alice.ask(bob, "rain?"))).isEqualTo("bob: rain?");
    }

    @Test
    void peerThatNeverAnswers_timesOut() {
        Node alice = bed.start();
        Node bob = bed.start();
        bob.resolver().close();
        bob.peer().endpoint().listen(GroupResolver.service(GROUP), ReceivedMessage::release);
        CompletableFuture<Message> answer = alice.ask(bob, "rain?");
        bed.scheduler.advance(LONG);
        assertFails(answer, ErrorCode.TIMEOUT, bob.peer().id().text(), NAME);
    }

    @Test
    void handlerThatFails_tellsOwnCodes_andNothingElse() {
        Node alice = bed.start();
        Node bob = bed.start();
        bob.resolver().registerHandler("thrown", query -> {
            throw new IllegalStateException("password 1234");
        });
        bob.resolver()
                .registerHandler(
                        "failed", query -> CompletableFuture.failedFuture(ErrorCode.NOT_ENCODABLE.exception("no ink")));
        bob.resolver().registerHandler("null", query -> null);
        bob.resolver().registerHandler("nothing", query -> CompletableFuture.completedFuture(null));

        CompletableFuture<Message> thrown = alice.resolver().query(bob.peer().id(), "thrown", Message.EMPTY, LONG);
        assertFails(thrown, ErrorCode.SERVICE_FAILED, "thrown");
        assertThat(Eventually.failure(thrown, "the question")).hasMessageNotContaining("1234");
        assertFails(
                alice.resolver().query(bob.peer().id(), "failed", Message.EMPTY, LONG),
                ErrorCode.SERVICE_FAILED,
                "no ink",
                bob.peer().id().text());
        for (String careless : List.of("null", "nothing")) {
            assertFails(
                    alice.resolver().query(bob.peer().id(), careless, Message.EMPTY, LONG), ErrorCode.SERVICE_FAILED);
        }
        assertThat(bob.count(Counter.HANDLER_FAILURES)).isEqualTo(4);
    }

    @Test
    void handlerThatNeverAnswers_isGivenUpAtItsTimeout_andTheAskerTold() {
        Node alice = bed.start();
        Node bob = bed.start();
        CountDownLatch entered = new CountDownLatch(1);
        bob.resolver().registerHandler(NAME, query -> {
            entered.countDown();
            return new CompletableFuture<>();
        });
        CompletableFuture<Message> answer = alice.ask(bob, "rain?");
        Eventually.latch(entered, "the question");
        bed.scheduler.advance(ResolverLimits.DEFAULTS.handlerTimeout());
        assertFails(answer, ErrorCode.TIMEOUT, "handler");
        Eventually.until(() -> "bob is busy", () -> bob.resolver().busyWith() == 0);
    }

    @Test
    void lateAnswer_isDroppedAndCounted() {
        Node alice = bed.start();
        Node bob = bed.start();
        CompletableFuture<Optional<Message>> slow = new CompletableFuture<>();
        bob.resolver().registerHandler(NAME, query -> slow);
        CompletableFuture<Message> answer = alice.ask(bob, "rain?");
        bob.awaitCount(Counter.QUERIES_HANDLED, 1);
        assertThat(answer.cancel(false)).isTrue();
        Eventually.until(
                () -> "the question is not forgotten", () -> alice.resolver().busyWith() == 0);

        slow.complete(Optional.of(Message.EMPTY));
        alice.awaitCount(Counter.RESPONSES_UNSOLICITED, 1);
        assertThat(alice.count(Counter.RESPONSES_RECEIVED)).isZero();
    }

    @Test
    void manyAskers_fitInTheMemoryOfOneWindowOfTheEndpoint() {
        int window = EndpointLimits.DEFAULTS.windowBytes();
        Node bob = bed.start(
                ResolverLimits.DEFAULTS,
                EndpointLimits.DEFAULTS.toBuilder()
                        .peerMemoryBytes(window)
                        .totalMemoryBytes(window)
                        .build());
        bob.resolver().registerHandler(NAME, echo("bob: "));
        for (int i = 0; i < 10; i++) {
            assertThat(text(bed.start().ask(bob, "rain?"))).isEqualTo("bob: rain?");
        }
    }

    @Test
    void thousandAsksAtOnce_allAreAnswered_eachWithItsOwn() {
        Node alice = bed.start();
        Node bob = bed.start();
        bob.resolver().registerHandler(NAME, echo("bob: "));
        List<CompletableFuture<Message>> answers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            answers.add(alice.ask(bob, "rain " + i + "?"));
        }
        for (int i = 0; i < answers.size(); i++) {
            assertThat(text(answers.get(i))).isEqualTo("bob: rain " + i + "?");
        }
        assertThat(alice.count(Counter.RESPONSES_UNSOLICITED)).isZero();
    }

    @Test
    void largeAnswers_moreThanAQueueHolds_allCome() {
        Node alice = bed.start();
        Node bob = bed.start();
        int size = 900_000;
        bob.resolver()
                .registerHandler(
                        NAME,
                        query -> CompletableFuture.completedFuture(Optional.of(Message.of("data", new byte[size]))));
        List<CompletableFuture<Message>> answers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            answers.add(alice.ask(bob, "all of it"));
        }
        for (CompletableFuture<Message> answer : answers) {
            assertThat(Eventually.get(answer, "an answer").payloadBytes()).isEqualTo(size);
        }
    }

    @Test
    void tooLarge_failsOnTheSideThatSeesItFirst() {
        Node alice = bed.start();
        Node small =
                bed.start(ResolverLimits.DEFAULTS.toBuilder().maxBodyBytes(1000).build());
        Message large = Message.of("data", new byte[10_000]);
        small.resolver().registerHandler(NAME, query -> CompletableFuture.completedFuture(Optional.of(large)));
        alice.resolver().registerHandler(NAME, query -> CompletableFuture.completedFuture(Optional.of(large)));

        assertFails(
                small.resolver().query(alice.peer().id(), NAME, large, LONG), ErrorCode.MESSAGE_TOO_LARGE, "question");
        assertFails(
                alice.resolver().query(small.peer().id(), NAME, large, LONG), ErrorCode.MESSAGE_TOO_LARGE, "question");
        assertFails(alice.ask(small, "small"), ErrorCode.MESSAGE_TOO_LARGE, "answer");
        assertFails(small.ask(alice, "small"), ErrorCode.MESSAGE_TOO_LARGE, "answer");
    }

    @Test
    void tooManyOpenQuestions_failWithBusy() {
        Node alice = bed.start(
                ResolverLimits.DEFAULTS.toBuilder().maxPendingQueries(2).build());
        Node bob = bed.start();
        CompletableFuture<Optional<Message>> slow = new CompletableFuture<>();
        bob.resolver().registerHandler(NAME, query -> slow);
        CompletableFuture<Message> first = alice.ask(bob, "1");
        CompletableFuture<Message> second = alice.ask(bob, "2");
        assertFails(alice.ask(bob, "3"), ErrorCode.BUSY, "maxOpenAsks");

        slow.complete(Optional.of(Message.of("text", "yes")));
        assertThat(text(first)).isEqualTo("yes");
        assertThat(text(second)).isEqualTo("yes");
        Eventually.until(() -> "no room again", () -> alice.resolver().busyWith() == 0);
        assertThat(text(alice.ask(bob, "4"))).isEqualTo("yes");
    }

    @Test
    void handlersAllBusy_askersAreTold_andOnePeerHasNoMoreThanItsShare() {
        Node alice = bed.start();
        Node carol = bed.start();
        Node bob = bed.start(ResolverLimits.DEFAULTS.toBuilder()
                .maxConcurrentQueries(8)
                .maxConcurrentQueryBytes(1 << 20)
                .build());
        CompletableFuture<Optional<Message>> slow = new CompletableFuture<>();
        bob.resolver().registerHandler(NAME, query -> slow);
        List<CompletableFuture<Message>> open = List.of(alice.ask(bob, "1"), alice.ask(bob, "2"));
        assertFails(alice.ask(bob, "3"), ErrorCode.BUSY);
        CompletableFuture<Message> carols = carol.ask(bob, "1");
        bob.awaitCount(Counter.QUERIES_HANDLED, 3);
        assertThat(bob.count(Counter.QUERIES_THROTTLED)).isEqualTo(1);

        slow.complete(Optional.of(Message.of("text", "yes")));
        open.forEach(answer -> assertThat(text(answer)).isEqualTo("yes"));
        assertThat(text(carols)).isEqualTo("yes");
    }

    @Test
    void handlerThatBlocks_keepsItsPlace_whenItsTimeIsUp() {
        Node alice = bed.start();
        Node bob = bed.start(ResolverLimits.DEFAULTS.toBuilder()
                .maxConcurrentQueries(4)
                .maxConcurrentQueryBytes(1 << 20)
                .build());
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        bob.resolver().registerHandler(NAME, query -> {
            entered.countDown();
            Eventually.latch(goOn, "the end of the test");
            return echo("bob: ").onQuery(query);
        });
        CompletableFuture<Message> first = alice.ask(bob, "1");
        Eventually.latch(entered, "the question");
        bed.scheduler.advance(ResolverLimits.DEFAULTS.handlerTimeout());
        assertFails(first, ErrorCode.TIMEOUT);
        assertFails(alice.ask(bob, "2"), ErrorCode.BUSY); // else blocked handlers would pile up without a bound

        goOn.countDown();
        Eventually.until(() -> "bob is busy", () -> bob.resolver().busyWith() == 0);
        assertThat(text(alice.ask(bob, "3"))).isEqualTo("bob: 3");
    }

    @Test
    void floodOfQuestions_isAnsweredWithBusy_untilTimePasses() {
        Node alice = bed.start();
        Node bob = bed.start(ResolverLimits.DEFAULTS.toBuilder()
                .queriesPerSecond(5)
                .propagatedQueriesPerSecond(5)
                .build());
        bob.resolver().registerHandler(NAME, echo("bob: "));
        for (int i = 0; i < 10; i++) {
            assertThat(text(alice.ask(bob, "1"))).isEqualTo("bob: 1");
        }
        assertFails(alice.ask(bob, "2"), ErrorCode.BUSY);
        bed.scheduler.advance(Duration.ofSeconds(1));
        assertThat(text(alice.ask(bob, "3"))).isEqualTo("bob: 3");
    }

    @Test
    void close_failsWhatIsAsked_andTwiceDoesNoHarm() {
        Node alice = bed.start();
        Node bob = bed.start();
        bob.resolver().registerHandler(NAME, query -> new CompletableFuture<>());
        CompletableFuture<Message> open = alice.ask(bob, "rain?");
        bob.awaitCount(Counter.QUERIES_HANDLED, 1);

        alice.resolver().close();
        alice.resolver().close();
        assertFails(open, ErrorCode.CLOSED);
        assertFails(alice.ask(bob, "rain?"), ErrorCode.CLOSED);
        assertThatThrownBy(() -> alice.resolver().registerHandler(NAME, echo("")))
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> alice.resolver().addPropagator(alice.nearby())).hasMessageContaining("closed");
        assertThat(alice.resolver().whenClosed()).isDone();
        assertThat(bed.inGroup(alice, GROUP).resolver().isClosing()).isFalse();
    }

    @Test
    void callsThatCanNotBeRight_areRefused() {
        Node alice = bed.start();
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
    void resolverAsUsersOpenIt_asksAndTimesOutByTheSystemsTime() {
        Node alice = bed.start();
        Node bob = bed.start();
        try (Resolver asking = open(alice);
                Resolver answering = open(bob)) {
            assertThat(asking.group()).isEqualTo(GroupId.ofName("others"));
            answering.registerHandler(NAME, echo("bob: "));
            answering.registerHandler("never", query -> new CompletableFuture<>());
            CompletableFuture<Message> answer =
                    asking.query(bob.peer().id(), NAME, Message.of("text", "rain?"), Duration.ofDays(1));
            assertThat(text(answer)).isEqualTo("bob: rain?");
            assertFails(
                    asking.query(bob.peer().id(), "never", Message.EMPTY, Duration.ofMillis(20)), ErrorCode.TIMEOUT);
        }
    }

    private static Resolver open(Node node) {
        return new ResolverBuilder(
                        node.peer().endpoint(),
                        GroupId.ofName("others"),
                        node.peer().callbackExecutor())
                .limits(ResolverLimits.DEFAULTS)
                .open();
    }
}

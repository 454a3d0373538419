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
import io.parley.resolver.internal.ResolverFixture.Node;
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

/** Questions to many. */
class ResolverPropagateTest {

    private static final Message RAIN = Message.of("text", "rain?");

    private final ResolverFixture bed = new ResolverFixture();
    private final Queue<QueryResponse> heard = new ConcurrentLinkedQueue<>();

    @AfterEach
    void closeAll() {
        bed.close();
    }

    private PropagatedQuery propagate(Node asker, int maxAnswers) {
        return asker.resolver().propagate(NAME, RAIN, new PropagateOptions(LONG, maxAnswers), heard::add);
    }

    private void awaitHeard(int count) {
        Eventually.until(() -> "heard " + heard, () -> heard.size() >= count);
        assertThat(heard).hasSize(count);
    }

    private List<Node> startAnswering(int count) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Node node = bed.start();
            node.resolver().registerHandler(NAME, echo("yes, "));
            nodes.add(node);
        }
        return nodes;
    }

    @Test
    void everyPeer_answersOnce_untilTheDeadline() {
        Node alice = bed.start();
        List<Node> others = startAnswering(8);
        PropagatedQuery answers = propagate(alice, 100);
        awaitHeard(others.size());
        assertThat(heard)
                .extracting(QueryResponse::from)
                .containsExactlyInAnyOrder(
                        others.stream().map(node -> node.peer().id()).toArray(PeerId[]::new));
        assertThat(heard)
                .extracting(answer -> answer.body().text("text").orElseThrow())
                .containsOnly("yes, rain?");
        assertThat(answers.whenDone()).isNotDone();
        assertThat(answers.isClosing()).isFalse();

        bed.scheduler.advance(LONG);
        assertThat(Eventually.get(answers.whenDone(), "the end")).isEqualTo(others.size());
        Eventually.get(answers.whenClosed(), "closing");
    }

    @Test
    void asker_isLearned_onlyByThoseWhoHaveAnAnswer() {
        Node alice = bed.startStranger(ResolverLimits.DEFAULTS);
        Node bob = bed.startStranger(ResolverLimits.DEFAULTS);
        Node carol = bed.startStranger(ResolverLimits.DEFAULTS);
        bob.resolver().registerHandler(NAME, echo("yes, "));
        carol.resolver().registerHandler(NAME, query -> CompletableFuture.completedFuture(Optional.empty()));
        PropagatedQuery answers = propagate(alice, 1);
        assertThat(Eventually.get(answers.whenDone(), "the end")).isEqualTo(1);
        assertThat(heard)
                .extracting(QueryResponse::from)
                .containsExactly(bob.peer().id());
        carol.awaitCount(Counter.QUERIES_HANDLED, 1);
        Eventually.until(() -> "carol is busy", () -> carol.resolver().busyWith() == 0);

        assertFails(carol.ask(alice, "where?"), ErrorCode.UNREACHABLE);
        assertFails(bob.ask(alice, "where?"), ErrorCode.NO_SUCH_SERVICE); // reached, but has no handler
    }

    @Test
    void enoughAnswers_endIt_andTheRestIsDropped() {
        Node alice = bed.start();
        startAnswering(5);
        PropagatedQuery answers = propagate(alice, 2);
        assertThat(Eventually.get(answers.whenDone(), "the end")).isEqualTo(2);
        alice.awaitCount(Counter.RESPONSES_UNSOLICITED, 3);
        assertThat(heard).hasSize(2);
        assertThat(answers.isClosing()).isTrue();
    }

    @Test
    void noAnswer_endsAtTheDeadline_withNone() {
        Node alice = bed.start();
        Node bob = bed.start();
        CountDownLatch asked = new CountDownLatch(1);
        bob.resolver().registerHandler(NAME, query -> {
            assertThat(query.propagated()).isTrue();
            assertThat(query.from()).isEqualTo(alice.peer().id());
            asked.countDown();
            return CompletableFuture.completedFuture(Optional.empty());
        });
        PropagatedQuery answers = propagate(alice, 1);
        Eventually.latch(asked, "the question");
        Eventually.until(() -> "bob is busy", () -> bob.resolver().busyWith() == 0); // before its time is up as well
        bed.scheduler.advance(LONG);
        assertThat(Eventually.get(answers.whenDone(), "the end")).isZero();
        assertThat(bob.count(Counter.RESPONSES_SENT)).isZero();
        assertThat(bob.count(Counter.HANDLER_FAILURES)).isZero();
    }

    @Test
    void handlerThatFails_saysNothing() {
        Node alice = bed.start();
        Node bob = bed.start();
        bob.resolver().registerHandler(NAME, query -> {
            throw new IllegalStateException("no");
        });
        PropagatedQuery answers = propagate(alice, 1);
        bob.awaitCount(Counter.HANDLER_FAILURES, 1);
        Eventually.until(() -> "bob is busy", () -> bob.resolver().busyWith() == 0);
        bed.scheduler.advance(LONG);
        assertThat(Eventually.get(answers.whenDone(), "the end")).isZero();
        assertThat(alice.count(Counter.RESPONSES_UNSOLICITED)).isZero();
    }

    @Test
    void otherGroups_hearNothing() {
        Node alice = bed.start();
        Node bob = bed.start();
        Node bobInNet = bed.inGroup(bob, GroupId.ofName("others"));
        bob.resolver().registerHandler(NAME, echo("weather, "));
        bobInNet.resolver().registerHandler(NAME, echo("net, "));
        PropagatedQuery answers = propagate(bed.inGroup(alice, GroupId.ofName("others")), 1);
        Eventually.get(answers.whenDone(), "the end");
        assertThat(heard)
                .extracting(answer -> answer.body().text("text").orElseThrow())
                .containsExactly("net, rain?");
        assertThat(bob.count(Counter.QUERIES_HANDLED)).isZero();
        assertThat(bobInNet.count(Counter.QUERIES_HANDLED)).isEqualTo(1);
    }

    @Test
    void heardByTwoWays_isAnsweredOnce() {
        Node alice = bed.start();
        Node bob = startAnswering(1).get(0);
        alice.resolver().addPropagator(sayAgain(alice.nearby()));
        PropagatedQuery answers = propagate(alice, 100);
        bob.awaitCount(Counter.QUERIES_DUPLICATE, 1);
        awaitHeard(1);
        assertThat(bob.count(Counter.QUERIES_HANDLED)).isEqualTo(1);
        answers.close();
    }

    /** A second way that in truth is the same. */
    private static Propagator sayAgain(Propagator way) {
        return new Propagator() {
            @Override
            public PropagationScope scope() {
                return PropagationScope.GROUP;
            }

            @Override
            public CompletableFuture<Void> propagate(ServiceAddress service, Message message) {
                return way.propagate(service, message);
            }

            @Override
            public AsyncCloseable listen(ServiceAddress service, PropagatedMessageListener listener) {
                return new Registration(() -> {});
            }
        };
    }

    @Test
    void secondAnswerOfAPeer_isDropped_whileAnyPeerMayGiveOne() {
        Node alice = bed.start();
        Node mallory = bed.start();
        mallory.resolver().close(); // its place is taken by one that hears the bare question
        CompletableFuture<Long> id = new CompletableFuture<>();
        mallory.nearby()
                .listen(
                        GroupResolver.service(alice.resolver().group()),
                        (sender, message) ->
                                id.complete(ResolverMessageFormat.read(message).id()));
        PropagatedQuery answers = propagate(alice, 100);
        ResolverMessage reply =
                new ResolverMessage.ResponseMessage(Eventually.get(id, "the question"), Message.of("text", "mine"));
        for (int i = 0; i < 3; i++) {
            Eventually.get(send(mallory, alice, reply), "an answer");
        }
        alice.awaitCount(Counter.RESPONSES_UNSOLICITED, 2);
        awaitHeard(1);
        assertThat(heard)
                .extracting(QueryResponse::from)
                .containsExactly(mallory.peer().id());
        answers.close();
    }

    static CompletableFuture<Void> send(Node from, Node to, ResolverMessage packet) {
        return from.peer()
                .endpoint()
                .send(
                        to.peer().id(),
                        GroupResolver.service(to.resolver().group()),
                        ResolverMessageFormat.write(packet));
    }

    @Test
    void close_endsIt_twiceWithoutHarm_andLaterAnswersAreDropped() {
        Node alice = bed.start();
        Node bob = bed.start();
        CompletableFuture<Optional<Message>> slow = new CompletableFuture<>();
        bob.resolver().registerHandler(NAME, query -> slow);
        PropagatedQuery answers = propagate(alice, 1);
        bob.awaitCount(Counter.QUERIES_HANDLED, 1);
        answers.close();
        answers.close();
        assertThat(Eventually.get(answers.whenDone(), "the end")).isZero();
        slow.complete(Optional.of(RAIN));
        alice.awaitCount(Counter.RESPONSES_UNSOLICITED, 1);
        assertThat(heard).isEmpty();
    }

    @Test
    void resolverCloses_endFailsWithClosed() {
        Node alice = bed.start();
        PropagatedQuery answers = propagate(alice, 1);
        alice.resolver().close();
        assertFails(answers.whenDone(), ErrorCode.CLOSED);
        assertFails(propagate(alice, 1).whenDone(), ErrorCode.CLOSED);
    }

    @Test
    void listenerThatThrows_getsTheNextAnswerToo() {
        Node alice = bed.start();
        startAnswering(3);
        PropagatedQuery answers = alice.resolver().propagate(NAME, RAIN, new PropagateOptions(LONG, 3), answer -> {
            throw new IllegalStateException("no");
        });
        assertThat(Eventually.get(answers.whenDone(), "the end")).isEqualTo(3);
        assertThat(alice.count(Counter.HANDLER_FAILURES)).isEqualTo(3);
    }

    @Test
    void noWayToPropagate_failsWithUnreachable() {
        Node alice = bed.start();
        Node bob = bed.start();
        AsyncCloseable way =
                bed.inGroup(bob, GroupId.ofName("others")).resolver().addPropagator(sayAgain(bob.nearby()));
        way.close();
        way.close();
        GroupResolver without = GroupResolver.open(
                alice.peer().endpoint(),
                GroupId.ofName("others"),
                Runnable::run,
                ResolverLimits.DEFAULTS,
                new ResolverMetrics(),
                bed.scheduler);
        assertFails(
                without.propagate(NAME, RAIN, new PropagateOptions(LONG, 1), heard::add)
                        .whenDone(),
                ErrorCode.UNREACHABLE,
                "propagate");
        without.close();
    }

    @Test
    void wayThatIsClosed_failsWithItsReason() {
        Node alice = bed.start();
        alice.nearby().close();
        assertFails(propagate(alice, 1).whenDone(), ErrorCode.CLOSED);
    }

    @Test
    void questionThatIsTooLarge_failsWithItsReason() {
        Node alice = bed.start();
        Message large = Message.of("data", new byte[70_000]);
        PropagatedQuery answers = alice.resolver().propagate(NAME, large, new PropagateOptions(LONG, 1), heard::add);
        assertFails(answers.whenDone(), ErrorCode.MESSAGE_TOO_LARGE);
    }

    @Test
    void tooManyOpen_failWithBusy_andTooManyAnswersAreRefused() {
        Node alice = bed.start(
                ResolverLimits.DEFAULTS.toBuilder().maxPropagatedQueries(1).build());
        PropagatedQuery first = propagate(alice, 1);
        assertFails(propagate(alice, 1).whenDone(), ErrorCode.BUSY, "maxOpenPropagated");
        first.close();
        PropagatedQuery second = propagate(alice, 1);
        assertThat(second.whenDone()).isNotDone();
        second.close();
        assertThatThrownBy(() -> propagate(alice, 1001))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxAnswers");
        assertThatThrownBy(() -> new PropagateOptions(Duration.ZERO, 1)).hasMessageContaining("deadline");
        assertThatThrownBy(() -> new PropagateOptions(LONG, 0)).hasMessageContaining("maxAnswers");
    }

    @Test
    void floodOfQuestions_isThrottled_withoutAWord() {
        Node alice = bed.start();
        Node bob = bed.start(ResolverLimits.DEFAULTS.toBuilder()
                .queriesPerSecond(5)
                .propagatedQueriesPerSecond(5)
                .build());
        bob.resolver().registerHandler(NAME, echo("yes, "));
        List<PropagatedQuery> open = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            open.add(propagate(alice, 1));
        }
        bob.awaitCount(Counter.QUERIES_THROTTLED, 20);
        awaitHeard(10);
        bob.awaitCount(Counter.RESPONSES_SENT, 10);
        open.forEach(PropagatedQuery::close);
    }

    @Test
    void whatIsNoQuestion_isRefused() {
        Node alice = bed.start();
        Node bob = bed.start();
        PeerAddress asker = alice.peer().address();
        assertThat(asker.addresses()).isNotEmpty();
        List<Message> wrong = List.of(
                Message.EMPTY,
                ResolverMessageFormat.write(new ResolverMessage.ResponseMessage(1, RAIN)),
                ResolverMessageFormat.write(new ResolverMessage.QueryMessage(false, 1, NAME, 0, LONG, RAIN)),
                ResolverMessageFormat.write(new ResolverMessage.QueryMessage(
                        true, 1, NAME, ResolverLimits.DEFAULTS.maxHops() + 1, LONG, RAIN)));
        for (Message message : wrong) {
            Eventually.get(
                    alice.nearby()
                            .propagate(GroupResolver.service(bob.resolver().group()), message),
                    "propagating");
        }
        bob.awaitCount(Counter.MESSAGES_REJECTED, wrong.size());
        assertThat(bob.count(Counter.QUERIES_HANDLED)).isZero();
    }

    @Test
    void propagatedGarbage_isRefused_andTheNextQuestionIsHeard() {
        Node alice = bed.start();
        Node bob = startAnswering(1).get(0);
        try (PropagationTransport mallory = bed.propagation(bed.start().peer())) {
            Eventually.get(mallory.start((sender, payload) -> payload.skipBytes(payload.readableBytes())), "starting");
            for (byte[] garbage : List.of(new byte[0], new byte[100])) {
                Eventually.get(mallory.propagate(List.of(), Unpooled.wrappedBuffer(garbage)), "propagating");
            }
            EndpointMetrics metrics = bob.peer().endpoint().metrics();
            Eventually.until(
                    () -> "not all is refused", () -> metrics.get(EndpointMetrics.Counter.PROPAGATIONS_REJECTED) == 2);
        }
        assertThat(Eventually.get(propagate(alice, 1).whenDone(), "the end")).isEqualTo(1);
    }
}

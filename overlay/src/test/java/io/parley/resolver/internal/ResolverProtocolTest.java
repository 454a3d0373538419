package io.parley.resolver.internal;

import static io.parley.resolver.internal.ResolverFixture.LONG;
import static io.parley.resolver.internal.ResolverFixture.NAME;
import static io.parley.resolver.internal.ResolverFixture.assertFails;
import static io.parley.resolver.internal.ResolverFixture.echo;
import static io.parley.resolver.internal.ResolverFixture.text;
import static io.parley.resolver.internal.ResolverPropagateTest.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.internal.frame.WireStatus;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.resolver.internal.ResolverFixture.Node;
import io.parley.resolver.internal.ResolverMetrics.Counter;
import io.parley.testkit.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Peers that do not keep to the protocol. */
class ResolverProtocolTest {

    private final ResolverFixture bed = new ResolverFixture();

    @AfterEach
    void closeAll() {
        bed.close();
    }

    /** A question of alice to bob, who does not answer it, and its number. */
    private record Open(CompletableFuture<Message> answer, long id) {}

    private Open askInVain(Node alice, Node bob) {
        bob.resolver().close();
        CompletableFuture<Long> id = new CompletableFuture<>();
        bob.peer().endpoint().listen(GroupResolver.service(alice.resolver().group()), received -> {
            id.complete(ResolverMessageFormat.read(received.message()).id());
            received.release();
        });
        CompletableFuture<Message> answer = alice.ask(bob, "rain?");
        return new Open(answer, Eventually.get(id, "the question"));
    }

    @Test
    void answerOfAnotherPeer_isNotTaken_alsoNotItsRefusal() {
        Node alice = bed.start();
        Node bob = bed.start();
        Node mallory = bed.start();
        Open open = askInVain(alice, bob);
        Eventually.get(
                send(mallory, alice, new ResolverMessage.ResponseMessage(open.id(), Message.of("text", "forged"))),
                "forging");
        WireStatus refusal = WireStatus.of(ErrorCode.NO_SUCH_SERVICE, "forged");
        Eventually.get(send(mallory, alice, new ResolverMessage.ErrorMessage(open.id(), refusal)), "forging");
        alice.awaitCount(Counter.RESPONSES_UNSOLICITED, 2);
        assertThat(open.answer()).isNotDone();

        Eventually.get(
                send(bob, alice, new ResolverMessage.ResponseMessage(open.id(), Message.of("text", "true"))),
                "answering");
        assertThat(text(open.answer())).isEqualTo("true");
    }

    @Test
    void answerNobodyAskedFor_andASecondOne_areDropped() {
        Node alice = bed.start();
        Node bob = bed.start();
        Open open = askInVain(alice, bob);
        ResolverMessage.ResponseMessage reply =
                new ResolverMessage.ResponseMessage(open.id(), Message.of("text", "true"));
        Eventually.get(send(bob, alice, reply), "answering");
        Eventually.get(send(bob, alice, reply), "answering");
        Eventually.get(
                send(bob, alice, new ResolverMessage.ResponseMessage(open.id() + 1, Message.EMPTY)), "answering");
        assertThat(text(open.answer())).isEqualTo("true");
        alice.awaitCount(Counter.RESPONSES_UNSOLICITED, 2);
    }

    @Test
    void refusalWithUnknownCode_andControlCharacters_isAFailureForPeopleToRead() {
        Node alice = bed.start();
        Node bob = bed.start();
        Open open = askInVain(alice, bob);
        WireStatus unknown = new WireStatus(9999, "new\nline", OptionalLong.empty());
        Eventually.get(send(bob, alice, new ResolverMessage.ErrorMessage(open.id(), unknown)), "answering");
        assertFails(open.answer(), ErrorCode.DISCONNECTED, "new line", bob.peer().id().text());
    }

    @Test
    void malformedHeaders_areRefused_andTheNextQuestionIsAnswered() {
        Node alice = bed.start();
        Node bob = bed.start();
        bob.resolver().registerHandler(NAME, echo("bob: "));
        Message good =
                ResolverMessageFormat.write(new ResolverMessage.QueryMessage(false, 1, NAME, 0, LONG, Message.EMPTY));
        List<Message> wrong = new ArrayList<>();
        wrong.add(Message.EMPTY);
        wrong.add(Message.of("text", "rain?"));
        wrong.add(good.with(header("Ask", 8)));
        wrong.add(good.with(header("Answer", 8)));
        wrong.add(good.with(header("Hops", 9)));
        wrong.add(good.with(header("Hops", 8, 1, 0))); // 256
        wrong.add(Message.of(header("Ask", 7), header("Name", 1, 'n'), header("Time", 1, 1)));
        wrong.add(Message.of(header("Ask", 8), header("Time", 1, 1)));
        wrong.add(Message.of(header("Ask", 8), header("Name", 1, 'n')));
        wrong.add(Message.of(header("Ask", 8), header("Name", 0), header("Time", 1, 1)));
        wrong.add(Message.of(header("Ask", 8), header("Name", 129), header("Time", 1, 1)));
        wrong.add(Message.of(header("Ask", 8), header("Name", 1, 'n'), header("Time", 0)));
        wrong.add(Message.of(header("Ask", 8), header("Name", 1, 'n'), header("Time", 8, 255, 0, 0, 0, 0, 0, 0, 0)));
        wrong.add(Message.of(header("Error", 8)));
        wrong.add(Message.of(header("Error", 8), header("Code", 1)));
        wrong.add(ResolverMessageFormat.write(
                new ResolverMessage.QueryMessage(true, 1, NAME, 0, LONG, Message.EMPTY))); // not propagated
        for (Message message : wrong) {
            Eventually.get(
                    alice.peer()
                            .endpoint()
                            .send(
                                    bob.peer().id(),
                                    GroupResolver.service(bob.resolver().group()),
                                    message),
                    "sending");
        }
        bob.awaitCount(Counter.MESSAGES_REJECTED, wrong.size());
        assertThat(text(alice.ask(bob, "rain?"))).isEqualTo("bob: rain?");
    }

    private static MessageElement header(String name, int size, int... last) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < last.length; i++) {
            bytes[size - last.length + i] = (byte) last[i];
        }
        return MessageElement.of(name, bytes).withNamespace(ResolverMessageFormat.NAMESPACE);
    }

    @Test
    void hugeHeader_takesNoHandlersMemory() {
        Node alice = bed.start();
        Node bob = bed.start();
        bob.resolver().registerHandler(NAME, query -> CompletableFuture.completedFuture(Optional.empty()));
        Message question = ResolverMessageFormat.write(
                        new ResolverMessage.QueryMessage(false, 1, NAME, 0, LONG, Message.EMPTY))
                .with(header("Unknown", 2 << 20));
        Eventually.get(
                alice.peer()
                        .endpoint()
                        .send(
                                bob.peer().id(),
                                GroupResolver.service(bob.resolver().group()),
                                question),
                "sending");
        alice.awaitCount(Counter.RESPONSES_UNSOLICITED, 1); // that it is too large
        assertThat(bob.count(Counter.QUERIES_HANDLED)).isZero();
    }

    @Test
    void randomHeaders_neverGetAnythingButAPacketOrARefusal() {
        long seed = System.nanoTime();
        System.out.println("ResolverProtocolTest seed " + seed);
        Random random = new Random(seed);
        List<String> names = List.of("Ask", "Query", "Answer", "Error", "Name", "Time", "Hops", "Code", "Text", "New");
        int read = 0;
        for (int i = 0; i < 20_000; i++) {
            Message.Builder message = Message.builder();
            for (String name : names) {
                if (random.nextInt(3) == 0) {
                    byte[] bytes = new byte[random.nextInt(3) == 0 ? 8 : random.nextInt(10)];
                    if (bytes.length > 0) {
                        bytes[random.nextInt(bytes.length)] = 1;
                    }
                    message.add(MessageElement.of(name, bytes).withNamespace(ResolverMessageFormat.NAMESPACE));
                }
            }
            try {
                ResolverMessage packet = ResolverMessageFormat.read(message.build());
                assertThat(ResolverMessageFormat.read(ResolverMessageFormat.write(packet)))
                        .isEqualTo(packet);
                read++;
            } catch (ParleyException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE);
            }
        }
        assertThat(read).isPositive();
    }
}

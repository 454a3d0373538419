package io.parley.resolver.internal;

import static io.parley.resolver.internal.ResolverFixture.LONG;
import static io.parley.resolver.internal.ResolverFixture.NAME;
import static io.parley.resolver.internal.ResolverFixture.assertFails;
import static io.parley.resolver.internal.ResolverFixture.echo;
import static io.parley.resolver.internal.ResolverFixture.text;
import static io.parley.resolver.internal.ResolverPropagateTest.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.internal.WireStatus;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.resolver.internal.ResolverFixture.TestPeer;
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

/** Peers that violate the protocol. */
class ResolverProtocolTest {

    private final ResolverFixture fixture = new ResolverFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    /** A query to which the other peer does not respond, and its id. */
    private record Open(CompletableFuture<Message> response, long id) {}

    private Open queryWithoutResponse(TestPeer alice, TestPeer bob) {
        bob.resolver().close();
        CompletableFuture<Long> id = new CompletableFuture<>();
        bob.peer().endpoint().listen(GroupResolver.service(alice.resolver().group()), received -> {
            id.complete(ResolverMessageFormat.read(received.message()).id());
            received.release();
        });
        CompletableFuture<Message> response = alice.query(bob, "rain?");
        return new Open(response, Eventually.get(id, "query"));
    }

    @Test
    void responseOrErrorOfAnotherPeer_isDropped() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        TestPeer mallory = fixture.start();
        Open open = queryWithoutResponse(alice, bob);
        Eventually.get(
                send(mallory, alice, new ResolverMessage.ResponseMessage(open.id(), Message.of("text", "forged"))),
                "sending");
        WireStatus status = WireStatus.of(ErrorCode.NO_SUCH_SERVICE, "forged");
        Eventually.get(send(mallory, alice, new ResolverMessage.ErrorMessage(open.id(), status)), "sending");
        alice.awaitCount(Counter.RESPONSES_UNSOLICITED, 2);
        assertThat(open.response()).isNotDone();

        Eventually.get(
                send(bob, alice, new ResolverMessage.ResponseMessage(open.id(), Message.of("text", "true"))),
                "sending");
        assertThat(text(open.response())).isEqualTo("true");
    }

    @Test
    void unsolicitedAndRepeatedResponses_areDropped() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        Open open = queryWithoutResponse(alice, bob);
        ResolverMessage.ResponseMessage response =
                new ResolverMessage.ResponseMessage(open.id(), Message.of("text", "true"));
        Eventually.get(send(bob, alice, response), "sending");
        Eventually.get(send(bob, alice, response), "sending");
        Eventually.get(send(bob, alice, new ResolverMessage.ResponseMessage(open.id() + 1, Message.EMPTY)), "sending");
        assertThat(text(open.response())).isEqualTo("true");
        alice.awaitCount(Counter.RESPONSES_UNSOLICITED, 2);
    }

    @Test
    void errorWithUnknownCode_andControlCharacters_failsWithReadableText() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        Open open = queryWithoutResponse(alice, bob);
        WireStatus unknown = new WireStatus(9999, "new\nline", OptionalLong.empty());
        Eventually.get(send(bob, alice, new ResolverMessage.ErrorMessage(open.id(), unknown)), "sending");
        assertFails(
                open.response(),
                ErrorCode.DISCONNECTED,
                "new line",
                bob.peer().id().text());
    }

    @Test
    void malformedHeaders_areRejected_andTheNextQueryIsHandled() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        bob.resolver().registerHandler(NAME, echo("bob: "));
        Message good =
                ResolverMessageFormat.write(new ResolverMessage.QueryMessage(false, 1, NAME, 0, LONG, Message.EMPTY));
        List<Message> invalid = new ArrayList<>();
        invalid.add(Message.EMPTY);
        invalid.add(Message.of("text", "rain?"));
        invalid.add(good.with(header("Ask", 8)));
        invalid.add(good.with(header("Answer", 8)));
        invalid.add(good.with(header("Hops", 9)));
        invalid.add(good.with(header("Hops", 8, 1, 0))); // 256
        invalid.add(Message.of(header("Ask", 7), header("Name", 1, 'n'), header("Time", 1, 1)));
        invalid.add(Message.of(header("Ask", 8), header("Time", 1, 1)));
        invalid.add(Message.of(header("Ask", 8), header("Name", 1, 'n')));
        invalid.add(Message.of(header("Ask", 8), header("Name", 0), header("Time", 1, 1)));
        invalid.add(Message.of(header("Ask", 8), header("Name", 129), header("Time", 1, 1)));
        invalid.add(Message.of(header("Ask", 8), header("Name", 1, 'n'), header("Time", 0)));
        invalid.add(Message.of(header("Ask", 8), header("Name", 1, 'n'), header("Time", 8, 255, 0, 0, 0, 0, 0, 0, 0)));
        invalid.add(Message.of(header("Error", 8)));
        invalid.add(Message.of(header("Error", 8), header("Code", 1)));
        invalid.add(ResolverMessageFormat.write(
                new ResolverMessage.QueryMessage(true, 1, NAME, 0, LONG, Message.EMPTY))); // sent directly
        for (Message message : invalid) {
            sendByHand(alice, bob, message);
        }
        bob.awaitCount(Counter.MESSAGES_REJECTED, invalid.size());
        assertThat(text(alice.query(bob, "rain?"))).isEqualTo("bob: rain?");
    }

    private static void sendByHand(TestPeer from, TestPeer to, Message message) {
        ServiceAddress service = GroupResolver.service(to.resolver().group());
        Eventually.get(from.peer().endpoint().send(to.peer().id(), service, message), "sending");
    }

    private static MessageElement header(String name, int size, int... last) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < last.length; i++) {
            bytes[size - last.length + i] = (byte) last[i];
        }
        return MessageElement.of(name, bytes).withNamespace(ResolverMessageFormat.NAMESPACE);
    }

    @Test
    void hugeHeader_isRejected() {
        TestPeer alice = fixture.start();
        TestPeer bob = fixture.start();
        bob.resolver().registerHandler(NAME, query -> CompletableFuture.completedFuture(Optional.empty()));
        Message query = ResolverMessageFormat.write(
                        new ResolverMessage.QueryMessage(false, 1, NAME, 0, LONG, Message.EMPTY))
                .with(header("Unknown", 2 << 20));
        sendByHand(alice, bob, query);
        alice.awaitCount(Counter.RESPONSES_UNSOLICITED, 1); // the error that the query is too large
        assertThat(bob.count(Counter.QUERIES_HANDLED)).isZero();
    }

    @Test
    void randomHeaders_areReadOrRejected() {
        long seed = Long.getLong("parley.test.seed", System.nanoTime());
        System.out.println("parley.test.seed=" + seed);
        Random random = new Random(seed);
        List<String> names = List.of("Ask", "Query", "Answer", "Error", "Name", "Time", "Hops", "Code", "Text", "New");
        int accepted = 0;
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
                ResolverMessage resolverMessage = ResolverMessageFormat.read(message.build());
                assertThat(ResolverMessageFormat.read(ResolverMessageFormat.write(resolverMessage)))
                        .isEqualTo(resolverMessage);
                accepted++;
            } catch (ParleyException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE);
            }
        }
        assertThat(accepted).isPositive();
    }
}

package io.parley.examples.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.Pipes;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConversationTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Peer hostPeer = Peer.loopback().start();
    private final Peer guestPeer = Peer.builder().start();

    @AfterEach
    void stop() {
        guestPeer.close();
        hostPeer.close();
    }

    private ConversationServer host(int maxGuests, ConversationServer.Handler handler) {
        return new ConversationServer(hostPeer, PipeId.random(GroupId.NET), "test", maxGuests, handler);
    }

    private Conversation join(PipeTicket ticket, String topic) throws InterruptedException {
        return Conversation.join(guestPeer, ticket, topic, Message.of("hello", "it is me"), TIMEOUT);
    }

    private static void echo(Conversation conversation, Message hello) throws InterruptedException {
        conversation.send(hello);
        Optional<Message> next = conversation.receive();
        while (next.isPresent()) {
            conversation.send(next.get());
            next = conversation.receive();
        }
    }

    private static void assertCode(ErrorCode code, Throwable failure) {
        assertThat(failure)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void messages_arriveInOrderInBothDirections() throws Exception {
        try (ConversationServer host = host(1, ConversationTest::echo);
                Conversation conversation = join(host.ticket(), "test")) {
            assertThat(conversation.other()).isEqualTo(hostPeer.id());
            assertThat(conversation.receive().orElseThrow().text("hello")).contains("it is me");
            for (int i = 0; i < 1000; i++) {
                conversation.send(Message.of("n", Integer.toString(i)));
            }
            for (int i = 0; i < 1000; i++) {
                assertThat(conversation.receive().orElseThrow().text("n")).contains(Integer.toString(i));
            }
        }
    }

    @Test
    void otherTopic_isRefusedWithTheExpectedOne() {
        try (ConversationServer host = host(1, ConversationTest::echo)) {
            assertThatThrownBy(() -> join(host.ticket(), "other"))
                    .satisfies(e -> assertCode(ErrorCode.NO_SUCH_SERVICE, e))
                    .hasMessageContaining("parley test");
        }
    }

    @Test
    void guestAboveTheLimit_isRefusedUntilAnotherLeaves() throws Exception {
        try (ConversationServer host = host(1, ConversationTest::echo)) {
            try (Conversation first = join(host.ticket(), "test")) {
                assertThat(first.receive()).isPresent();
                assertThatThrownBy(() -> join(host.ticket(), "test")).satisfies(e -> assertCode(ErrorCode.BUSY, e));
            }
            await().atMost(TIMEOUT).until(() -> {
                try (Conversation second = join(host.ticket(), "test")) {
                    return second.receive().isPresent();
                } catch (ParleyException e) {
                    assertCode(ErrorCode.BUSY, e);
                    return false;
                }
            });
        }
    }

    @Test
    void failureOfTheHandler_reachesTheGuest() throws Exception {
        try (ConversationServer host = host(1, (conversation, hello) -> {
                    throw ErrorCode.NOT_ENCODABLE.exception("cannot read it");
                });
                Conversation conversation = join(host.ticket(), "test")) {
            assertThatThrownBy(conversation::receive)
                    .satisfies(e -> assertCode(ErrorCode.SERVICE_FAILED, e))
                    .hasMessageContaining("cannot read it");
            assertThat(conversation.receive()).isEmpty();
        }
    }

    @Test
    void bugInTheHandler_reachesTheGuestAsAFailure_withoutItsMessage() throws Exception {
        try (ConversationServer host = host(1, (conversation, hello) -> {
                    throw new IllegalStateException("/home/alice");
                });
                Conversation conversation = join(host.ticket(), "test")) {
            assertThatThrownBy(conversation::receive)
                    .satisfies(e -> assertCode(ErrorCode.SERVICE_FAILED, e))
                    .hasMessageNotContaining("alice");
        }
    }

    @Test
    void guestThatDisconnects_isDetected() throws Exception {
        CompletableFuture<Throwable> detected = new CompletableFuture<>();
        try (ConversationServer host = host(1, (conversation, hello) -> {
            try {
                echo(conversation, hello);
                detected.complete(new AssertionError("an end came"));
            } catch (ParleyException e) {
                detected.complete(e);
            }
        })) {
            Conversation conversation = join(host.ticket(), "test");
            assertThat(conversation.receive()).isPresent();
            guestPeer.close();

            assertCode(ErrorCode.DISCONNECTED, detected.get(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void offer_otherPeerDoesNotRead_returnsFalse() throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture<Integer> taken = new CompletableFuture<>();
        Message large = Message.of("data", new byte[256 * 1024]);
        try (ConversationServer host = host(1, (conversation, hello) -> {
                    int offered = 0;
                    while (conversation.offer(large)) {
                        offered++;
                    }
                    taken.complete(offered);
                    done.join();
                });
                Conversation conversation = join(host.ticket(), "test")) {
            int offered = taken.get(20, TimeUnit.SECONDS);
            assertThat(offered).isBetween(1, 100);
            for (int i = 0; i < offered; i++) {
                assertThat(conversation.receive()).contains(withNumber(i + 1, large));
            }
            done.complete(null);
            assertThat(conversation.receive()).isEmpty();
        }
    }

    private static Message withNumber(int number, Message message) {
        return Message.builder()
                .add(ConversationProtocol.element(ConversationProtocol.NUMBER, Integer.toString(number)))
                .addAll(message)
                .build();
    }

    @Test
    void gap_isNoticed() throws Exception {
        CompletableFuture<PipeTicket> inner = new CompletableFuture<>();
        try (ConversationServer host = host(1, (conversation, hello) -> {
                    inner.complete(new PipeTicket(ConversationProtocol.pipe(hello), guestPeer.address()));
                    conversation.receive();
                });
                Conversation conversation = join(host.ticket(), "test");
                OutputPipe forged = Pipes.of(hostPeer)
                        .connect(guestPeer.id(), inner.get(20, TimeUnit.SECONDS).pipe(), TIMEOUT)) {
            forged.send(Message.of(
                            MessageElement.ofText("n", "x"),
                            ConversationProtocol.element(ConversationProtocol.NUMBER, "2")))
                    .join();

            assertThatThrownBy(conversation::receive)
                    .satisfies(e -> assertCode(ErrorCode.DISCONNECTED, e))
                    .hasMessageContaining("lost");
        }
    }

    @Test
    void helloWithoutAPipe_isIgnored() throws Exception {
        try (ConversationServer host = host(1, ConversationTest::echo);
                OutputPipe hostPipe = Pipes.of(guestPeer).connect(host.ticket(), TIMEOUT)) {
            hostPipe.send(Message.EMPTY).join();
            hostPipe.send(Message.of(ConversationProtocol.element(ConversationProtocol.TOPIC, "test")))
                    .join();
            hostPipe.send(Message.of(
                            ConversationProtocol.element(ConversationProtocol.TOPIC, "test"),
                            ConversationProtocol.element(ConversationProtocol.PIPE, "nonsense")))
                    .join();

            try (Conversation conversation = join(host.ticket(), "test")) {
                assertThat(conversation.receive()).isPresent();
            }
        }
    }
}

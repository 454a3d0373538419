package io.parley.examples.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.pipes.PipeTicket;
import io.parley.testkit.transport.BreakableTransportProvider;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.tcp.TcpTransportProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConversationTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** The limits of a peer that soon takes another one for lost. A peer that has to connect again needs more time. */
    private static final EndpointLimits IMPATIENT = EndpointLimits.DEFAULTS.toBuilder()
            .reconnectTimeout(Duration.ofSeconds(3))
            .build();

    private final Identity hostIdentity = Identity.generate();
    private final BreakableTransportProvider connections = new BreakableTransportProvider(new TcpTransportProvider());
    private final Peer hostPeer = startHost(Peer.loopback());
    private final Peer guestPeer = Peer.builder().transport(connections).start();

    private Peer startHost(PeerBuilder builder) {
        return builder.identity(hostIdentity).start();
    }

    @AfterEach
    void stop() {
        guestPeer.close();
        hostPeer.close();
    }

    private ConversationServer host(int maxGuests, ConversationServer.Handler handler) {
        return host(hostPeer, maxGuests, handler);
    }

    private static ConversationServer host(Peer peer, int maxGuests, ConversationServer.Handler handler) {
        return new ConversationServer(peer, PipeId.random(GroupId.NET), "test", maxGuests, handler);
    }

    private Conversation join(PipeTicket ticket, String topic) throws InterruptedException {
        return join(guestPeer, ticket, topic);
    }

    private static Conversation join(Peer guest, PipeTicket ticket, String topic) throws InterruptedException {
        return Conversation.join(guest, ticket, topic, Message.of("hello", "it is me"), TIMEOUT);
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
                assertThatThrownBy(() -> join(host.ticket(), "test"))
                        .satisfies(e -> assertCode(ErrorCode.BUSY, e))
                        .hasMessageContaining("serves one peer, and another peer is connected");
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

    /** It could otherwise take all places and say nothing. */
    @Test
    void guestWithAQuarterOfThePlaces_isRefusedAndOthersAreServed() throws Exception {
        List<Conversation> conversations = new ArrayList<>();
        try (ConversationServer host = host(16, ConversationTest::echo);
                Peer other = Peer.builder().start()) {
            for (int i = 0; i < 4; i++) {
                conversations.add(join(host.ticket(), "test"));
            }
            assertThatThrownBy(() -> join(host.ticket(), "test"))
                    .satisfies(e -> assertCode(ErrorCode.BUSY, e))
                    .hasMessageContaining("4 conversations with one peer");
            conversations.add(join(other, host.ticket(), "test"));
            assertThat(conversations.get(4).receive()).isPresent();

            conversations.get(0).close();
            await().atMost(TIMEOUT).until(() -> {
                try (Conversation next = join(host.ticket(), "test")) {
                    return next.receive().isPresent();
                } catch (ParleyException e) {
                    assertCode(ErrorCode.BUSY, e);
                    return false;
                }
            });
        } finally {
            conversations.forEach(Conversation::close);
        }
    }

    @Test
    void threadThatCannotStart_leavesItsPlace() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        ThreadFactory threads = work -> {
            if (requests.incrementAndGet() == 1) {
                throw new InternalError("no thread");
            }
            return new Thread(work, "guest");
        };
        try (ConversationServer host = new ConversationServer(
                hostPeer, PipeId.random(GroupId.NET), "test", 1, threads, ConversationTest::echo)) {
            assertThatThrownBy(() -> join(host.ticket(), "test"))
                    .satisfies(e -> assertCode(ErrorCode.SERVICE_FAILED, e));
            try (Conversation second = join(host.ticket(), "test")) {
                assertThat(second.receive()).isPresent();
            }
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
        try (Peer impatient = Peer.loopback().limits(IMPATIENT).start();
                ConversationServer host = host(impatient, 1, (conversation, hello) -> {
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
                assertThat(conversation.receive()).contains(large);
            }
            done.complete(null);
            assertThat(conversation.receive()).isEmpty();
        }
    }

    @Test
    void connectionsThatBreak_loseAndRepeatNothing() throws Exception {
        int count = 4000;
        try (ConversationServer host = host(1, ConversationTest::echo);
                Conversation conversation = join(host.ticket(), "test")) {
            assertThat(conversation.receive()).isPresent();
            CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < count; i++) {
                    conversation.send(Message.of("n", Integer.toString(i)));
                    if (i % 1000 == 500) {
                        connections.breakAll();
                    }
                }
            });
            for (int i = 0; i < count; i++) {
                assertThat(conversation.receive().orElseThrow().text("n")).contains(Integer.toString(i));
            }
            sent.join();
        }
    }

    @Test
    void guestThatOnlyReceives_connectsAgain() throws Exception {
        CompletableFuture<Void> broken = new CompletableFuture<>();
        try (ConversationServer host = host(1, (conversation, hello) -> {
                    broken.join();
                    conversation.send(Message.of("after", "the break"));
                    conversation.awaitDelivery();
                });
                Conversation conversation = join(host.ticket(), "test")) {
            connections.breakAll();
            await().atMost(TIMEOUT).until(() -> hostPeer.endpoint().metrics().get(Counter.CONNECTIONS_OPENED) >= 2);
            broken.complete(null);

            assertThat(conversation.receive().orElseThrow().text("after")).contains("the break");
            assertThat(conversation.receive()).isEmpty();
        }
    }

    @Test
    void hostThatHasRestarted_isDetected() throws Exception {
        CompletableFuture<Void> end = new CompletableFuture<>();
        try (ConversationServer host = host(1, (conversation, hello) -> end.join());
                Conversation conversation = join(host.ticket(), "test")) {
            String address = hostPeer.address().addresses().get(0).toString();
            hostPeer.close();
            try (Peer restarted = startHost(Peer.builder().listen(address))) {
                assertThatThrownBy(conversation::receive).satisfies(e -> assertCode(ErrorCode.DISCONNECTED, e));
                assertThat(restarted.isClosing()).isFalse();
            }
        } finally {
            end.complete(null);
        }
    }

    @Test
    void awaitDelivery_otherPeerIsGone_fails() throws Exception {
        try (Peer impatient = Peer.builder().limits(IMPATIENT).start();
                ConversationServer host = host(1, ConversationTest::echo);
                Conversation conversation = join(impatient, host.ticket(), "test")) {
            assertThat(conversation.receive()).isPresent();
            conversation.send(Message.of("n", "1"));
            conversation.awaitDelivery();
            hostPeer.close();
            assertThatThrownBy(() -> {
                        conversation.send(Message.of("n", "2"));
                        conversation.awaitDelivery();
                    })
                    .satisfies(e -> assertCode(ErrorCode.DISCONNECTED, e));
        }
    }

    @Test
    void receive_nothingWithinTheTimeout_fails() throws Exception {
        CompletableFuture<Void> end = new CompletableFuture<>();
        try (ConversationServer host = host(1, (conversation, hello) -> end.join());
                Conversation conversation = join(host.ticket(), "test")) {
            assertThatThrownBy(() -> conversation.receive(Duration.ZERO))
                    .satisfies(e -> assertCode(ErrorCode.TIMEOUT, e));
        } finally {
            end.complete(null);
        }
    }

    @Test
    void closeOutput_otherPeerContinues() throws Exception {
        try (ConversationServer host = host(1, (conversation, hello) -> {
                    while (conversation.receive().isPresent()) {
                        // to the end
                    }
                    conversation.send(hello);
                });
                Conversation conversation = join(host.ticket(), "test")) {
            conversation.closeOutput();
            assertThat(conversation.receive().orElseThrow().text("hello")).contains("it is me");
            assertThat(conversation.receive()).isEmpty();
        }
    }
}

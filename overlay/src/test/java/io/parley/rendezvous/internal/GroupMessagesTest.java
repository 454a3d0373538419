package io.parley.rendezvous.internal;

import static io.parley.rendezvous.internal.Publisher.GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.message.Message;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousFixture.Node;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.internal.GroupResolver;
import io.parley.resolver.internal.PropagateOptions;
import io.parley.resolver.internal.ResolverBuilder;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GroupMessagesTest {

    private static final ServiceAddress SERVICE = ServiceAddress.of("radio");

    private final RendezvousFixture fixture = new RendezvousFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    /** The messages that one peer receives. */
    private static final class Receiver {

        private final Node node;
        private final List<PeerAddress> senders = new CopyOnWriteArrayList<>();
        private final List<String> texts = new CopyOnWriteArrayList<>();

        private Receiver(Node node, GroupId group) {
            this.node = node;
            node.service().propagator(group).listen(SERVICE, (sender, message) -> {
                senders.add(sender);
                texts.add(message.text("text").orElseThrow());
            });
        }

        private void awaitText(String text) {
            Eventually.until(() -> node.service() + " received " + texts, () -> texts.contains(text));
        }
    }

    private static CompletableFuture<Void> propagate(Node node, String text) {
        return node.service().propagator(GROUP).propagate(SERVICE, Message.of("text", text));
    }

    private static void send(Node node, String text) {
        Eventually.get(propagate(node, text), "sending " + text);
    }

    @Test
    void message_isReceivedOnce_byAllOtherMembers_ofAnyRendezvous() {
        List<Node> overlay = fixture.overlay(3);
        List<Receiver> receivers = new ArrayList<>();
        for (Node rendezvous : overlay) {
            receivers.add(new Receiver(rendezvous.joined(), GROUP));
            receivers.add(new Receiver(fixture.member(rendezvous), GROUP));
            receivers.add(new Receiver(fixture.member(rendezvous), GROUP));
        }
        Receiver sender = receivers.get(1);
        send(sender.node, "hail");
        send(sender.node, "snow");
        for (Receiver receiver : receivers) {
            if (receiver != sender) {
                receiver.awaitText("hail");
                receiver.awaitText("snow");
            }
        }
        send(receivers.get(0).node, "the end"); // from a rendezvous
        for (Receiver receiver : receivers) {
            if (receiver != receivers.get(0)) {
                receiver.awaitText("the end");
                assertThat(receiver.texts).doesNotHaveDuplicates();
            }
        }
        assertThat(sender.texts).containsExactly("the end");
        assertThat(receivers.get(8).senders.get(0))
                .isEqualTo(sender.node.endpoint().peerAddress());
    }

    @Test
    void listenerThatFails_receivesTheNext_andMakesOneLineOfLog() {
        List<Node> overlay = fixture.overlay(1);
        Node alice = fixture.member(overlay.get(0));
        Node bob = fixture.member(overlay.get(0));
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>(List.of(
                new IllegalStateException("failed"), new StackOverflowError(), new IllegalStateException("again")));
        List<String> texts = new CopyOnWriteArrayList<>();
        bob.service().propagator(GROUP).listen(SERVICE, (sender, message) -> {
            Throwable failure = failures.poll();
            if (failure instanceof Error e) {
                throw e;
            } else if (failure instanceof RuntimeException e) {
                throw e;
            }
            texts.add(message.text("text").orElseThrow());
        });
        try (CapturedLog log = new CapturedLog()) {
            List<String> failing = List.of("hail", "snow", "sleet");
            failing.forEach(text -> send(alice, text));
            awaitCount(bob, Counter.GROUP_LISTENER_FAILURES, failing.size()); // in any order: groups have none
            send(alice, "rain");
            Eventually.until(() -> "bob received " + texts, () -> !texts.isEmpty());
            assertThat(texts).containsExactly("rain");
            assertThat(bob.count(Counter.GROUP_LISTENER_FAILURES)).isEqualTo(failing.size());
            assertThat(log.lines("Listener of service")).hasSize(1);
        }
    }

    @Test
    void message_isNotReceived_outsideTheGroup() {
        List<Node> overlay = fixture.overlay(2);
        Node alice = fixture.member(overlay.get(0));
        Receiver insider = new Receiver(fixture.member(overlay.get(1)), GROUP);
        Node outsider = fixture.client(overlay.get(1));
        fixture.await("a lease", () -> outsider.isLeasedWith(overlay.get(1)));
        Receiver outside = new Receiver(outsider, GROUP);
        Receiver left = new Receiver(fixture.member(overlay.get(1)), GROUP);
        left.node.service().leave(GROUP);
        send(alice, "hail");
        insider.awaitText("hail");
        assertThat(outside.texts).isEmpty();
        assertThat(left.texts).isEmpty();
        assertThat(outsider.count(Counter.GROUP_MESSAGES_REJECTED)).isZero(); // the message was not sent to it
        assertThat(RendezvousFixture.failure(propagate(outsider, "me too"))).isEqualTo(ErrorCode.UNREACHABLE);
    }

    @Test
    void propagatedQuery_isAnsweredAcrossRendezvous() {
        List<Node> overlay = fixture.overlay(2);
        Node alice = fixture.member(overlay.get(0));
        Node bob = fixture.member(overlay.get(1));
        GroupResolver client = new ResolverBuilder(alice.endpoint(), GROUP, fixture.executor).open();
        GroupResolver server = new ResolverBuilder(bob.endpoint(), GROUP, fixture.executor).open();
        client.addPropagator(alice.service().propagator(GROUP));
        server.addPropagator(bob.service().propagator(GROUP));
        server.registerHandler(
                "forecast", query -> CompletableFuture.completedFuture(Optional.of(Message.of("text", "rain"))));
        Set<String> responses = ConcurrentHashMap.newKeySet();
        Eventually.get(
                client.propagate(
                                "forecast",
                                Message.of("text", "tomorrow?"),
                                new PropagateOptions(Duration.ofSeconds(20), 1),
                                response -> responses.add(response.from()
                                        + response.body().text("text").orElseThrow()))
                        .whenDone(),
                "a response");
        assertThat(responses).containsExactly(bob.id() + "rain");
    }

    private SignedGroupMessage signed(UnleasedPeer sender, long number, String text, Duration ago) {
        return SignedGroupMessage.sign(
                sender.publisher.identity,
                List.of(),
                number,
                fixture.clock.millis() - ago.toMillis(),
                GROUP,
                SERVICE,
                Message.of("text", text),
                1000);
    }

    private static void send(UnleasedPeer sender, Node to, SignedGroupMessage message, int ttl) {
        Eventually.get(
                sender.endpoint.send(to.id(), RendezvousContext.SERVICE, GroupMessageRouter.encode(message, ttl)),
                "sending");
    }

    private static SignedGroupMessage forged(SignedGroupMessage message) {
        byte[] bytes = message.bytes().clone();
        bytes[bytes.length - 65] ^= 1;
        return SignedGroupMessage.read(bytes);
    }

    private void awaitCount(Node node, Counter counter, long count) {
        fixture.await(counter + " to be " + count, () -> node.count(counter) == count);
    }

    @Test
    void message_withAForgedSignature_isRejected_andDoesNotSuppressTheGenuineOne() {
        Node rendezvous = fixture.rendezvous();
        Receiver receiver = new Receiver(fixture.member(rendezvous), GROUP);
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous).leased(GROUP)) {
            SignedGroupMessage genuine = signed(mallory, 7, "hail", Duration.ZERO);
            send(mallory, rendezvous, forged(genuine), 2);
            awaitCount(rendezvous, Counter.GROUP_MESSAGES_REJECTED, 1);
            send(mallory, rendezvous, genuine, 2);
            receiver.awaitText("hail");
            assertThat(receiver.texts).containsExactly("hail");
        }
    }

    @Test
    void message_thatIsADuplicate_isSuppressed() {
        Node rendezvous = fixture.rendezvous();
        Receiver receiver = new Receiver(fixture.member(rendezvous), GROUP);
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous).leased(GROUP)) {
            SignedGroupMessage message = signed(mallory, 7, "hail", Duration.ZERO);
            send(mallory, rendezvous, message, 2);
            receiver.awaitText("hail");
            send(mallory, rendezvous, message, 2);
            awaitCount(rendezvous, Counter.GROUP_MESSAGES_DUPLICATE, 1);
            send(mallory, rendezvous, signed(mallory, 8, "snow", Duration.ZERO), 2);
            receiver.awaitText("snow");
            assertThat(receiver.texts).containsExactlyInAnyOrder("hail", "snow");
        }
    }

    @Test
    void message_thatIsTooOld_orUnauthorized_orOfAnotherSigner_isRejected() {
        Node rendezvous = fixture.rendezvous();
        Receiver receiver = new Receiver(fixture.member(rendezvous), GROUP);
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous);
                UnleasedPeer other = new UnleasedPeer(fixture, rendezvous)) {
            send(mallory, rendezvous, signed(mallory, 1, "no lease", Duration.ZERO), 2);
            awaitCount(rendezvous, Counter.GROUP_MESSAGES_REJECTED, 1);
            mallory.leased(GROUP);
            send(mallory, rendezvous, signed(mallory, 2, "old", Duration.ofMinutes(3)), 2);
            awaitCount(rendezvous, Counter.GROUP_MESSAGES_REJECTED, 2);
            send(mallory, rendezvous, signed(mallory, 3, "early", Duration.ofMinutes(-3)), 2);
            awaitCount(rendezvous, Counter.GROUP_MESSAGES_REJECTED, 3);
            send(mallory, rendezvous, signed(other, 4, "not mine", Duration.ZERO), 2);
            awaitCount(rendezvous, Counter.GROUP_MESSAGES_REJECTED, 4);
            send(mallory, rendezvous, signed(mallory, 5, "fine", Duration.ZERO), 2);
            receiver.awaitText("fine");
            assertThat(receiver.texts).containsExactly("fine");
        }
    }

    @Test
    void message_withoutRemainingTtl_isForwardedToClientsOnly() {
        List<Node> overlay = fixture.overlay(2);
        Receiver near = new Receiver(fixture.member(overlay.get(0)), GROUP);
        Receiver far = new Receiver(fixture.member(overlay.get(1)), GROUP);
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, overlay.get(0)).leased(GROUP)) {
            send(mallory, overlay.get(0), signed(mallory, 1, "near", Duration.ZERO), 1);
            near.awaitText("near");
            send(mallory, overlay.get(0), signed(mallory, 2, "far", Duration.ZERO), 200); // no more than 2
            far.awaitText("far");
            assertThat(far.texts).containsExactly("far");
        }
    }

    @Test
    void messages_aboveTheRate_areDropped_othersAreReceived() {
        int perSecond = RendezvousLimits.PropagationLimits.DEFAULTS.messagesPerSecond();
        Node rendezvous = fixture.rendezvous();
        Receiver receiver = new Receiver(fixture.member(rendezvous), GROUP);
        Node alice = fixture.member(rendezvous);
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous).leased(GROUP)) {
            for (int i = 0; i < 5 * perSecond; i++) {
                send(mallory, rendezvous, signed(mallory, i, "noise " + i, Duration.ZERO), 2);
            }
            awaitCount(rendezvous, Counter.GROUP_MESSAGES_THROTTLED, 3L * perSecond);
        }
        send(alice, "hail");
        receiver.awaitText("hail");
        assertThat(receiver.texts).hasSizeLessThanOrEqualTo(2 * perSecond + 1);
    }

    @Test
    void propagate_aboveTheRate_failsWithBusy() {
        Node rendezvous = fixture.rendezvous();
        Node alice = fixture.member(rendezvous);
        for (int i = 0; i < 2 * RendezvousLimits.PropagationLimits.DEFAULTS.messagesPerSecond(); i++) {
            send(alice, "noise " + i);
        }
        assertThat(RendezvousFixture.failure(propagate(alice, "more"))).isEqualTo(ErrorCode.BUSY);
    }

    @Test
    void propagate_ofATooLargeMessage_fails() {
        Node alice = fixture.member(fixture.rendezvous());
        assertThat(RendezvousFixture.failure(
                        alice.service().propagator(GROUP).propagate(SERVICE, Message.of("data", new byte[70_000]))))
                .isEqualTo(ErrorCode.MESSAGE_TOO_LARGE);
    }

    @Test
    void malformedMessage_isRejectedAndCounted() {
        Node rendezvous = fixture.rendezvous();
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous).leased(GROUP)) {
            Message garbage =
                    Message.of(RendezvousElements.bytes("Said", new byte[20]), RendezvousElements.number("Ttl", 2));
            Eventually.get(mallory.endpoint.send(rendezvous.id(), RendezvousContext.SERVICE, garbage), "sending");
            Eventually.get(mallory.endpoint.send(rendezvous.id(), RendezvousContext.SERVICE, Message.EMPTY), "sending");
            awaitCount(rendezvous, Counter.GROUP_MESSAGES_REJECTED, 2);
        }
    }
}

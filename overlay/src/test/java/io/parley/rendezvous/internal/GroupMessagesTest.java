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
import io.parley.testkit.Eventually;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
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

    /** What one peer hears. */
    private static final class Ear {

        private final Node node;
        private final List<PeerAddress> senders = new CopyOnWriteArrayList<>();
        private final List<String> texts = new CopyOnWriteArrayList<>();

        private Ear(Node node, GroupId group) {
            this.node = node;
            node.service().propagator(group).listen(SERVICE, (sender, message) -> {
                senders.add(sender);
                texts.add(message.text("text").orElseThrow());
            });
        }

        private void awaitText(String text) {
            Eventually.until(() -> node.service() + " heard " + texts, () -> texts.contains(text));
        }
    }

    private static CompletableFuture<Void> say(Node node, String text) {
        return node.service().propagator(GROUP).propagate(SERVICE, Message.of("text", text));
    }

    private static void said(Node node, String text) {
        Eventually.get(say(node, text), "saying " + text);
    }

    @Test
    void message_isHeardOnce_byAllOthersInTheGroup_whateverTheirRendezvous() {
        List<Node> overlay = fixture.overlay(3);
        List<Ear> ears = new ArrayList<>();
        for (Node rendezvous : overlay) {
            ears.add(new Ear(rendezvous.joined(), GROUP));
            ears.add(new Ear(fixture.member(rendezvous), GROUP));
            ears.add(new Ear(fixture.member(rendezvous), GROUP));
        }
        Ear speaker = ears.get(1);
        said(speaker.node, "hail");
        said(speaker.node, "snow");
        for (Ear ear : ears) {
            if (ear != speaker) {
                ear.awaitText("hail");
                ear.awaitText("snow");
            }
        }
        said(ears.get(0).node, "the end"); // a rendezvous says something, too
        for (Ear ear : ears) {
            if (ear != ears.get(0)) {
                ear.awaitText("the end");
                assertThat(ear.texts).doesNotHaveDuplicates();
            }
        }
        assertThat(speaker.texts).containsExactly("the end");
        assertThat(ears.get(8).senders.get(0)).isEqualTo(speaker.node.endpoint().peerAddress());
    }

    @Test
    void message_isNotHeard_byThoseOutsideTheGroup() {
        List<Node> overlay = fixture.overlay(2);
        Node alice = fixture.member(overlay.get(0));
        Ear insider = new Ear(fixture.member(overlay.get(1)), GROUP);
        Node outsider = fixture.client(overlay.get(1));
        fixture.await("a lease", () -> outsider.isLeasedWith(overlay.get(1)));
        Ear deaf = new Ear(outsider, GROUP);
        Ear left = new Ear(fixture.member(overlay.get(1)), GROUP);
        left.node.service().leave(GROUP);
        said(alice, "hail");
        insider.awaitText("hail");
        assertThat(deaf.texts).isEmpty();
        assertThat(left.texts).isEmpty();
        assertThat(outsider.count(Counter.GROUP_MESSAGES_REJECTED)).isZero(); // it was not even sent there
        assertThat(RendezvousFixture.failure(say(outsider, "me too"))).isEqualTo(ErrorCode.UNREACHABLE);
    }

    @Test
    void resolverQuestion_isAnsweredAcrossRendezvous() {
        List<Node> overlay = fixture.overlay(2);
        Node alice = fixture.member(overlay.get(0));
        Node bob = fixture.member(overlay.get(1));
        GroupResolver asking = new ResolverBuilder(alice.endpoint(), GROUP, fixture.executor).open();
        GroupResolver answering = new ResolverBuilder(bob.endpoint(), GROUP, fixture.executor).open();
        asking.addPropagator(alice.service().propagator(GROUP));
        answering.addPropagator(bob.service().propagator(GROUP));
        answering.registerHandler(
                "forecast", query -> CompletableFuture.completedFuture(Optional.of(Message.of("text", "rain"))));
        Set<String> answers = ConcurrentHashMap.newKeySet();
        Eventually.get(
                asking.propagate(
                                "forecast",
                                Message.of("text", "tomorrow?"),
                                new PropagateOptions(Duration.ofSeconds(20), 1),
                                answer -> answers.add(answer.from()
                                        + answer.body().text("text").orElseThrow()))
                        .whenDone(),
                "an answer");
        assertThat(answers).containsExactly(bob.id() + "rain");
    }

    private SignedGroupMessage signed(UnleasedPeer stranger, long number, String text, Duration ago) {
        return SignedGroupMessage.sign(
                stranger.publisher.identity,
                List.of(),
                number,
                fixture.clock.millis() - ago.toMillis(),
                GROUP,
                SERVICE,
                Message.of("text", text),
                1000);
    }

    private static void send(UnleasedPeer stranger, Node to, SignedGroupMessage said, int ttl) {
        Eventually.get(
                stranger.endpoint.send(to.id(), RendezvousContext.SERVICE, GroupMessageRouter.encode(said, ttl)),
                "sending");
    }

    private static SignedGroupMessage forged(SignedGroupMessage said) {
        byte[] bytes = said.bytes().clone();
        bytes[bytes.length - 65] ^= 1;
        return SignedGroupMessage.read(bytes);
    }

    private void awaitCount(Node node, Counter counter, long count) {
        fixture.await(counter + " to be " + count, () -> node.count(counter) == count);
    }

    @Test
    void message_withAForgedSignature_isRefused_andDoesNotSuppressTheGenuineOne() {
        Node rendezvous = fixture.rendezvous();
        Ear ear = new Ear(fixture.member(rendezvous), GROUP);
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous).leased(GROUP)) {
            SignedGroupMessage genuine = signed(mallory, 7, "hail", Duration.ZERO);
            send(mallory, rendezvous, forged(genuine), 2);
            awaitCount(rendezvous, Counter.GROUP_MESSAGES_REJECTED, 1);
            send(mallory, rendezvous, genuine, 2);
            ear.awaitText("hail");
            assertThat(ear.texts).containsExactly("hail");
        }
    }

    @Test
    void message_thatComesAgain_isSuppressed() {
        Node rendezvous = fixture.rendezvous();
        Ear ear = new Ear(fixture.member(rendezvous), GROUP);
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous).leased(GROUP)) {
            SignedGroupMessage said = signed(mallory, 7, "hail", Duration.ZERO);
            send(mallory, rendezvous, said, 2);
            ear.awaitText("hail");
            send(mallory, rendezvous, said, 2);
            awaitCount(rendezvous, Counter.GROUP_MESSAGES_DUPLICATE, 1);
            send(mallory, rendezvous, signed(mallory, 8, "snow", Duration.ZERO), 2);
            ear.awaitText("snow");
            assertThat(ear.texts).containsExactlyInAnyOrder("hail", "snow");
        }
    }

    @Test
    void message_thatIsTooOld_orOfAStranger_orOfSomebodyElse_isRefused() {
        Node rendezvous = fixture.rendezvous();
        Ear ear = new Ear(fixture.member(rendezvous), GROUP);
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
            ear.awaitText("fine");
            assertThat(ear.texts).containsExactly("fine");
        }
    }

    @Test
    void message_whoseTtlIsUsedUp_goesNoFurtherThanTheClients() {
        List<Node> overlay = fixture.overlay(2);
        Ear near = new Ear(fixture.member(overlay.get(0)), GROUP);
        Ear far = new Ear(fixture.member(overlay.get(1)), GROUP);
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, overlay.get(0)).leased(GROUP)) {
            send(mallory, overlay.get(0), signed(mallory, 1, "near", Duration.ZERO), 1);
            near.awaitText("near");
            send(mallory, overlay.get(0), signed(mallory, 2, "far", Duration.ZERO), 200); // no more than 2
            far.awaitText("far");
            assertThat(far.texts).containsExactly("far");
        }
    }

    @Test
    void messages_fasterThanTheRate_areThrownAway_othersAreHeard() {
        int perSecond = RendezvousLimits.PropagationLimits.DEFAULTS.messagesPerSecond();
        Node rendezvous = fixture.rendezvous();
        Ear ear = new Ear(fixture.member(rendezvous), GROUP);
        Node alice = fixture.member(rendezvous);
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous).leased(GROUP)) {
            for (int i = 0; i < 5 * perSecond; i++) {
                send(mallory, rendezvous, signed(mallory, i, "noise " + i, Duration.ZERO), 2);
            }
            awaitCount(rendezvous, Counter.GROUP_MESSAGES_THROTTLED, 3L * perSecond);
        }
        said(alice, "hail");
        ear.awaitText("hail");
        assertThat(ear.texts).hasSizeLessThanOrEqualTo(2 * perSecond + 1);
    }

    @Test
    void propagate_fasterThanTheRate_failsWithBusy() {
        Node rendezvous = fixture.rendezvous();
        Node alice = fixture.member(rendezvous);
        for (int i = 0; i < 2 * RendezvousLimits.PropagationLimits.DEFAULTS.messagesPerSecond(); i++) {
            said(alice, "noise " + i);
        }
        assertThat(RendezvousFixture.failure(say(alice, "more"))).isEqualTo(ErrorCode.BUSY);
    }

    @Test
    void propagate_ofTooMuch_fails() {
        Node alice = fixture.member(fixture.rendezvous());
        assertThat(RendezvousFixture.failure(
                        alice.service().propagator(GROUP).propagate(SERVICE, Message.of("data", new byte[70_000]))))
                .isEqualTo(ErrorCode.MESSAGE_TOO_LARGE);
    }

    @Test
    void garbage_isRefused_andCounted() {
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

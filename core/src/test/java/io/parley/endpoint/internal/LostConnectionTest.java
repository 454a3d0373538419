package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static io.parley.endpoint.internal.ReconnectingPeer.LIMITS;
import static io.parley.endpoint.internal.ReconnectingPeer.NONE;
import static io.parley.endpoint.internal.ReconnectingPeer.WINDOW;
import static io.parley.endpoint.internal.ReconnectingPeer.ack;
import static io.parley.endpoint.internal.ReconnectingPeer.lose;
import static io.parley.endpoint.internal.ReconnectingPeer.open;
import static io.parley.endpoint.internal.ReconnectingPeer.pass;
import static io.parley.endpoint.internal.ReconnectingPeer.sendFirst;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.internal.WireStatus;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.QueueLimits;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.messenger.OutboundMessage;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.identity.Identity;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointMetrics.Counter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages that are unacknowledged when their connection ends. The remote peer is written frame by frame. */
class LostConnectionTest {

    private final EndpointFixture fixture =
            new EndpointFixture(3); // so that two connections of one peer are on different event loops

    private final PeerEndpoint alice = fixture.start(LIMITS);
    private final ReconnectingPeer bob = new ReconnectingPeer(fixture);

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    @Test
    void lostConnection_messagesThatDidNotArriveAreSentAgain() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        List<CompletableFuture<Void>> sent =
                List.of(messenger.send(text("1")), messenger.send(text("22")), messenger.send(text("333")));
        open(raw, NONE);
        String firstMessage = raw.expect("MESSAGE");
        raw.expect("MESSAGE");
        String third = raw.expect("MESSAGE");
        assertThat(third).isNotEqualTo(firstMessage);
        ack(raw, 1);
        join(sent.get(0));
        long channel = raw.openedChannel();
        lose(alice, raw);

        RawPeer next = bob.connect(alice);
        next.expect("OPEN 1 " + SERVICE + " from 1");
        assertThat(next.openedChannel()).isEqualTo(channel);
        next.write(frames -> frames.opened(1, WINDOW, OptionalLong.of(2)));
        join(sent.get(1)); // it had arrived
        assertThat(next.expect("MESSAGE")).isEqualTo(third);
        pass(alice, next);
        assertThat(sent.get(2)).isNotDone();
        ack(next, 3);
        join(sent.get(2));
        assertThat(count(alice, Counter.MESSAGES_RESENT)).isEqualTo(1);
    }

    /** A sender that has seen room finds it, also if the connection was lost meanwhile. */
    @Test
    void lostConnection_messagesThatReturnToTheQueue_takeNoRoom() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(
                bob.peerId(), SERVICE, MessengerOptions.DEFAULTS.withQueueLimits(QueueLimits.of(2, 1 << 20)));
        List<CompletableFuture<Void>> sent =
                new ArrayList<>(List.of(messenger.send(text("1")), messenger.send(text("22"))));
        assertThat(messenger.isWritable()).isFalse();
        open(raw, NONE);
        int firstBytes = Integer.parseInt(raw.expect("MESSAGE").split(" ")[2]);
        raw.expect("MESSAGE");
        assertThat(messenger.isWritable()).isTrue();
        lose(alice, raw);

        RawPeer next = bob.connect(alice);
        next.expect("OPEN 1 " + SERVICE + " from 0");
        next.write(frames -> frames.opened(1, 0, OptionalLong.of(0))); // so that nothing leaves the queue
        until("both messages in the queue", () -> count(alice, Counter.MESSAGES_RESENT) == 2);
        assertThat(messenger.isWritable()).isTrue();
        sent.add(messenger.send(text("333")));
        sent.add(messenger.send(text("4444")));
        assertThat(messenger.isWritable()).isFalse();
        assertFails(messenger.send(text("5")), ErrorCode.QUEUE_FULL, "maxMessages: 2");
        assertThat(sent.remove(0).cancel(false)).isTrue();
        assertThat(messenger.isWritable()).isFalse();

        next.write(frames -> frames.credit(1, WINDOW));
        for (int i = 1; i < 4; i++) { // each is a byte longer than the one before
            next.expect("MESSAGE 1 " + (firstBytes + i));
        }
        ack(next, 3);
        sent.forEach(EndpointFixture::join);
        lose(alice, next);
        messenger.send(text("6"));
        assertThat(messenger.isWritable()).isTrue();
        messenger.send(text("7"));
        assertThat(messenger.isWritable()).isFalse();
    }

    @Test
    void turnThatCannotBeWritten_messagesThatReturnToTheQueue_takeNoRoom() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger( // whose channel is not open yet
                bob.peerId(), SERVICE, MessengerOptions.DEFAULTS.withQueueLimits(QueueLimits.of(1, 1 << 20)));
        messenger.send(text("1"));
        Deque<OutboundMessage> polled = new ArrayDeque<>();
        messenger.queue().poll(polled, Long.MAX_VALUE, true);
        assertThat(messenger.isWritable()).isTrue();
        messenger.queue().restore(polled, true); // as a link does whose connection takes no more
        assertThat(messenger.isWritable()).isTrue();
        messenger.send(text("22"));
        assertThat(messenger.isWritable()).isFalse();
        open(raw, NONE);
        String first = raw.expect("MESSAGE");
        assertThat(raw.expect("MESSAGE")).isNotEqualTo(first);
        until("room", messenger::isWritable);
    }

    /** The borrowed memory is gone when the message is sent again, so its encoded form is kept. */
    @Test
    void lostConnection_borrowedMessageIsSentAgain_withoutItsMemory() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> opening = sendFirst(messenger, raw);
        ack(raw, 1);
        join(opening);
        byte[] memory = {1, 2, 3, 4};
        BorrowScope scope = new BorrowScope(() -> {});
        CompletableFuture<Void> sent = messenger.send(Message.of(MessageElement.of(
                "", "data", MessageElement.TYPE_BYTES, Payload.borrowed(scope, ByteBuffer.wrap(memory)))));
        scope.end();
        Arrays.fill(memory, (byte) 9);
        raw.expect("MESSAGE");
        assertThat(raw.lastMessage().bytes("data").orElseThrow()).containsExactly(1, 2, 3, 4);
        for (int i = 0; i < 2; i++) {
            lose(alice, raw);
            raw = bob.connect(alice);
            open(raw, OptionalLong.of(1));
            raw.expect("MESSAGE");
            assertThat(raw.lastMessage().bytes("data").orElseThrow()).containsExactly(1, 2, 3, 4);
        }
        ack(raw, 2);
        join(sent);
    }

    @Test
    void messageCutInTheMiddle_isSentAgainAsAWhole() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = messenger.send(EndpointFixture.bytes(3 << 20));
        open(raw, NONE);
        String begin = raw.expect("FIRST");
        lose(alice, raw);
        RawPeer next = bob.connect(alice);
        open(next, OptionalLong.of(0));
        assertThat(next.expect("FIRST")).isEqualTo(begin);
        ack(next, 1);
        join(sent);
    }

    @Test
    void receiverThatHasForgottenTheChannel_theOutcomeIsUnknown_andTheRestIsSent() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> unknown = sendFirst(messenger, raw);
        lose(alice, raw);
        CompletableFuture<Void> queued = messenger.send(text("22"));
        RawPeer next = bob.connect(alice);
        open(next, NONE);
        assertFails(unknown, ErrorCode.LOST, "may have arrived");
        next.expect("MESSAGE");
        ack(next, 1);
        join(queued);
    }

    @Test
    void peerThatDoesNotReturn_theOutcomeIsUnknown() throws Exception {
        PeerEndpoint impatient = fixture.start(EndpointLimits.DEFAULTS.toBuilder()
                .reconnectTimeout(Duration.ofMillis(50))
                .closeTimeout(Duration.ofMillis(100))
                .build());
        RawPeer raw = bob.connect(impatient);
        PeerMessenger messenger = impatient.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendFirst(messenger, raw);
        CompletableFuture<Void> queued = new CompletableFuture<>();
        raw.connection.abort(null);
        assertFails(sent, ErrorCode.LOST, "may have arrived");
        assertThat(queued).isNotDone();
    }

    /** The messengers fail one after another, and call the application. */
    @Test
    void peerThatReturns_whileTheMessengersFail_getsTheMessagesOfThoseThatHaveNotFailed() throws Exception {
        PeerEndpoint impatient = fixture.start(EndpointLimits.DEFAULTS.toBuilder()
                .reconnectTimeout(Duration.ofMillis(50))
                .closeTimeout(Duration.ofMillis(100))
                .build());
        RawPeer raw = bob.connect(impatient);
        CountDownLatch failing = new CountDownLatch(1);
        CountDownLatch returned = new CountDownLatch(1);
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        for (int handle = 1; handle <= 2; handle++) {
            int opened = handle;
            CompletableFuture<Void> sent =
                    impatient.messenger(bob.peerId(), SERVICE).send(text("1"));
            raw.expect("OPEN " + handle);
            raw.write(frames -> frames.opened(opened, WINDOW, NONE));
            raw.expect("MESSAGE " + handle);
            sent.whenComplete((done, failure) -> {
                failing.countDown();
                Eventually.latch(returned, "the return");
            });
            sends.add(sent);
        }
        raw.connection.abort(null);
        Eventually.latch(failing, "the first failure");
        RawPeer next = bob.connect(impatient);
        next.expect("OPEN 1 " + SERVICE + " from 0");
        returned.countDown();
        assertFails(
                impatient.connect(Identity.generate().peerId()), ErrorCode.UNREACHABLE); // after the other messenger
        next.write(frames -> frames.opened(1, WINDOW, OptionalLong.of(1)));
        until("both", () -> sends.stream().allMatch(CompletableFuture::isDone));
        assertThat(sends)
                .filteredOn(CompletableFuture::isCompletedExceptionally)
                .hasSize(1);
        assertThat(count(impatient, Counter.CONNECTIONS_DROPPED)).isZero();
        next.connection.abort(null);
    }

    @Test
    void peerThatDropsTheConnection_doesNotGetTheMessagesAgain() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendFirst(messenger, raw);
        raw.write(frames -> frames.goodbye(WireStatus.of(ErrorCode.MALFORMED_MESSAGE, "bad")));
        raw.connection.close();
        assertFails(sent, ErrorCode.LOST, "bad");
    }

    @Test
    void peerThatEndsTheConnectionForAWhile_getsTheMessagesAgain() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendFirst(messenger, raw);
        Link link = Objects.requireNonNull(
                Objects.requireNonNull(alice.association(bob.peerId())).activeLink());
        raw.write(frames -> frames.goodbye(WireStatus.of(ErrorCode.BUSY, "no memory")));
        raw.connection.close();
        join(link.whenClosed());
        RawPeer next = bob.connect(alice);
        next.expect("OPEN 1 " + SERVICE + " from 0");
        next.write(frames -> frames.opened(1, WINDOW, OptionalLong.of(0)));
        next.expect("MESSAGE");
        ack(next, 1);
        join(sent);
    }
}

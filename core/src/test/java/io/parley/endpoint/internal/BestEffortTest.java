package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.SOON;
import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.bytes;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.QueueLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.messenger.OutboundMessage;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.transport.EndpointMetrics.Counter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messengers that drop messages when their queue is full, and send nothing again. */
class BestEffortTest {

    private static final MessengerOptions DROP_OLDEST =
            MessengerOptions.DEFAULTS.withDelivery(MessengerOptions.Delivery.DROP_OLDEST);
    private static final MessengerOptions DROP_NEWEST =
            MessengerOptions.DEFAULTS.withDelivery(MessengerOptions.Delivery.DROP_NEWEST);

    private static final int SIZE = 10_000;
    private static final int MESSAGES = 100;

    /** The messages that the receiver gets before it releases one: with their overhead they use the window. */
    private static final int WINDOW_MESSAGES = 8;

    private static final EndpointLimits SMALL = EndpointLimits.DEFAULTS.toBuilder()
            .windowBytes(8 * SIZE)
            .queueBytes(8 * SIZE)
            .build();

    private final EndpointFixture fixture = new EndpointFixture();
    private final BlockingQueue<ReceivedMessage> held = new LinkedBlockingQueue<>();
    private final Queue<Integer> arrived = new ConcurrentLinkedQueue<>();
    private final List<RawPeer> raws = new ArrayList<>();
    private final PeerEndpoint alice = fixture.start(SMALL);
    private final PeerEndpoint bob = fixture.start(SMALL);

    BestEffortTest() {
        exchangeAddresses(alice, bob);
        alice.listen(SERVICE, received -> {
            arrived.add(number(received.message()));
            held.add(received);
        });
    }

    @AfterEach
    void closeAll() {
        raws.forEach(raw -> raw.connection.abort(null));
        alice.closeAsync();
        bob.closeAsync();
        until("the endpoints to close", () -> {
            release();
            return alice.isClosed() && bob.isClosed();
        });
        release(); // what has arrived since
        fixture.close();
    }

    /** Connects a peer that does not respond to GOODBYE, so that the test ends its connection. */
    private RawPeer connect(PeerEndpoint endpoint, Identity identity, long connection, OptionalLong lost)
            throws InterruptedException {
        RawPeer raw = RawPeer.connectAcknowledging(fixture, endpoint, identity, connection, lost);
        raws.add(raw);
        return raw;
    }

    private void release() {
        for (ReceivedMessage next = held.poll(); next != null; next = held.poll()) {
            next.release();
        }
    }

    private PeerMessenger messenger(boolean dropOldest) {
        return bob.messenger(alice.peerId(), SERVICE, dropOldest ? DROP_OLDEST : DROP_NEWEST);
    }

    private static Message numbered(int number) {
        return Message.of(
                "data", ByteBuffer.allocate(SIZE).putInt(number).rewind().array());
    }

    private static int number(Message message) {
        return ByteBuffer.wrap(message.bytes("data").orElseThrow()).getInt();
    }

    /**
     * Sends more messages than the window and the queue hold. The first one has arrived before the second one is sent, and the
     * window is full before the last ones are sent.
     */
    private List<CompletableFuture<Void>> overflow(PeerMessenger messenger) {
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        sends.add(messenger.send(numbered(0)));
        until("the first message", () -> !arrived.isEmpty());
        for (int i = 1; i < MESSAGES; i++) {
            if (i == MESSAGES / 2) {
                until("the window to fill", () -> arrived.size() == WINDOW_MESSAGES);
            }
            sends.add(messenger.send(numbered(i)));
        }
        return sends;
    }

    private static List<Integer> dropped(List<CompletableFuture<Void>> sends) {
        List<Integer> dropped = new ArrayList<>();
        for (int i = 0; i < sends.size(); i++) {
            if (sends.get(i).isCompletedExceptionally()) {
                assertFails(sends.get(i), ErrorCode.QUEUE_FULL, "queueBytes: " + 8 * SIZE);
                dropped.add(i);
            }
        }
        return dropped;
    }

    private void awaitOthers(List<CompletableFuture<Void>> sends, List<Integer> dropped) {
        List<Integer> others = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            if (!dropped.contains(i)) {
                others.add(i);
            }
        }
        until("the other messages", () -> {
            release();
            return arrived.size() == others.size();
        });
        assertThat(arrived).containsExactlyElementsOf(others);
        others.forEach(i -> join(sends.get(i)));
    }

    @Test
    void fullQueue_dropsTheOldestMessages_andTheOthersArriveInOrder() {
        PeerMessenger messenger = messenger(true);
        List<CompletableFuture<Void>> sends = overflow(messenger);
        List<Integer> dropped = dropped(sends);
        assertThat(dropped).hasSizeGreaterThan(MESSAGES / 2).doesNotContain(0, MESSAGES - 1);
        assertThat(messenger.droppedMessages()).isEqualTo(dropped.size());
        assertThat(count(bob, Counter.MESSAGES_DROPPED)).isEqualTo(dropped.size());
        awaitOthers(sends, dropped);
        messenger.close();
    }

    @Test
    void fullQueue_dropsTheNewMessages() {
        PeerMessenger messenger = messenger(false);
        List<CompletableFuture<Void>> sends = overflow(messenger);
        List<Integer> dropped = dropped(sends);
        assertThat(dropped).hasSizeGreaterThan(MESSAGES / 2).contains(MESSAGES - 1);
        assertThat(messenger.droppedMessages()).isEqualTo(dropped.size());
        assertThat(count(bob, Counter.MESSAGES_DROPPED)).isEqualTo(dropped.size());
        awaitOthers(sends, dropped);
        messenger.close();
    }

    @Test
    void blockingSend_doesNotWaitForRoom() throws Exception {
        Identity carol = Identity.generate();
        RawPeer raw = connect(bob, carol, 1, OptionalLong.empty());
        until("the link", () -> bob.isConnected(carol.peerId()));
        PeerMessenger messenger = bob.messenger(carol.peerId(), SERVICE, DROP_NEWEST);
        messenger.send(numbered(0)); // uses the whole window
        messenger.send(numbered(1));
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, EndpointLimits.MIN_WINDOW_BYTES, OptionalLong.empty()));
        raw.expect("BLOCKED 1"); // and gets no more credit, so the queue stays full
        while (!messenger.send(numbered(2)).isCompletedExceptionally()) {}
        long dropped = messenger.droppedMessages();
        assertThatThrownBy(() -> messenger.send(numbered(3), SOON))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.QUEUE_FULL));
        assertThat(messenger.droppedMessages()).isEqualTo(dropped + 1);
        raw.connection.abort(null);
        messenger.closeAsync();
    }

    @Test
    void reliableMessenger_dropsNothing() {
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        List<Integer> refused = dropped(overflow(messenger));
        assertThat(refused).isNotEmpty();
        assertThat(messenger.droppedMessages()).isZero();
        assertThat(count(bob, Counter.MESSAGES_DROPPED)).isZero();
    }

    @Test
    void message_isSentWithoutAnAcknowledgement_andNotSentAgain() throws Exception {
        Identity carol = Identity.generate();
        RawPeer raw = connect(bob, carol, 1, OptionalLong.empty());
        until("the link", () -> bob.isConnected(carol.peerId()));
        PeerMessenger messenger = bob.messenger(carol.peerId(), SERVICE, DROP_OLDEST);
        CompletableFuture<Void> first = messenger.send(text("1"));
        assertThat(raw.expect("OPEN 1")).doesNotContain("from");
        raw.write(frames -> frames.opened(1, 1 << 20, OptionalLong.empty()));
        String written = raw.expect("MESSAGE");
        join(first);

        raw.connection.abort(null);
        until("the loss", () -> bob.connectedPeers().isEmpty());
        CompletableFuture<Void> second = messenger.send(text("22"));
        RawPeer next = connect(bob, carol, 2, OptionalLong.empty());
        next.expect("OPEN 1");
        next.write(frames -> frames.opened(1, 1 << 20, OptionalLong.empty()));
        assertThat(next.expect("MESSAGE")).isNotEqualTo(written);
        join(second);
        assertThat(count(bob, Counter.MESSAGES_RESENT)).isZero();
    }

    /** A reliable messenger drops no message, so it must not accept a time after which it would. */
    @Test
    void timeToLive_ofAReliableMessenger_isRejected() {
        MessengerOptions options =
                MessengerOptions.DEFAULTS.withQueueLimits(new QueueLimits(1, 1 << 20, Duration.ofSeconds(1)));
        assertThatThrownBy(() -> bob.messenger(alice.peerId(), SERVICE, options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("timeToLive: 1 s");
        bob.messenger(alice.peerId(), SERVICE, options.withDelivery(MessengerOptions.Delivery.DROP_NEWEST))
                .close();
    }

    @Test
    void messageThatCannotBeEncoded_dropsNoOther() throws Exception {
        Identity carol = Identity.generate();
        RawPeer raw = connect(bob, carol, 1, OptionalLong.empty());
        until("the link", () -> bob.isConnected(carol.peerId()));
        PeerMessenger messenger =
                bob.messenger(carol.peerId(), SERVICE, DROP_OLDEST.withQueueLimits(QueueLimits.of(1, 1 << 20)));
        CompletableFuture<Void> waiting = messenger.send(text("1"));
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, 0, OptionalLong.empty()));
        raw.expect("BLOCKED 1");
        assertThat(messenger.send(Message.of("x".repeat(70_000), "a name that no codec encodes")))
                .isCompletedExceptionally();
        assertThat(waiting).isNotDone();
        assertThat(messenger.droppedMessages()).isZero();
        raw.write(frames -> frames.credit(1, 1 << 20));
        join(waiting);
    }

    @Test
    void windowOfAChannelWithoutNumber_grows() throws Exception {
        RawPeer raw = connect(alice, Identity.generate(), 1, OptionalLong.empty());
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        raw.expect("OPENED 1 " + EndpointLimits.MIN_WINDOW_BYTES);
        raw.message(1, bytes(EndpointLimits.MIN_WINDOW_BYTES));
        held.poll(SOON.toSeconds(), TimeUnit.SECONDS).release();
        assertThat(Long.parseLong(raw.expect("CREDIT 1 ").split(" ")[2]))
                .isGreaterThan(2L * EndpointLimits.MIN_WINDOW_BYTES);
    }

    /** Otherwise it would keep more messages than its limits say. */
    @Test
    void messagesThatReturnToTheQueue_takeRoom() {
        PeerMessenger messenger = messenger(true);
        overflow(messenger);
        assertThat(messenger.isWritable()).isFalse();
        long dropped = messenger.droppedMessages();
        Deque<OutboundMessage> polled = new ArrayDeque<>();
        messenger.queue().poll(polled, Long.MAX_VALUE, false);
        assertThat(messenger.isWritable()).isTrue();
        messenger.queue().restore(polled, false); // as a link does that has no credit for them
        messenger.queue().notifyWritable();
        assertThat(messenger.isWritable()).isFalse();
        messenger.send(numbered(MESSAGES));
        assertThat(messenger.droppedMessages()).isEqualTo(dropped + 1);
    }

    @Test
    void whenIdle_messagesOnTheirWayToTheNetwork_areNotForgotten() throws InterruptedException {
        PeerMessenger messenger = messenger(true);
        overflow(messenger);
        Deque<OutboundMessage> polled = new ArrayDeque<>();
        messenger.queue().poll(polled, Long.MAX_VALUE, false);
        assertThat(polled).isNotEmpty();
        CompletableFuture<Void> idle = messenger.whenIdle();
        assertThat(idle).isNotDone();
        messenger.queue().restore(polled, false); // as a link does that has no credit for them
        messenger.queue().notifyWritable();
        assertThat(idle).isNotDone();
        until("the queue to be empty", () -> {
            release();
            return idle.isDone();
        });
    }

    @Test
    void abort_messagesOnTheirWayToTheNetworkThatReturn_fail() {
        PeerMessenger messenger = messenger(true);
        List<CompletableFuture<Void>> sends = overflow(messenger);
        Deque<OutboundMessage> polled = new ArrayDeque<>();
        messenger.queue().poll(polled, Long.MAX_VALUE, false);
        assertThat(polled).isNotEmpty();
        assertThat(sends.get(MESSAGES - 1).cancel(false)).isFalse(); // it is on its way
        CompletableFuture<Void> waiting = messenger.send(numbered(MESSAGES));
        assertThat(waiting.cancel(false)).isTrue();
        messenger.abort();
        assertThat(messenger.isClosed()).isFalse();
        messenger.queue().restore(polled, false); // as a link does that has no credit for them
        messenger.queue().notifyWritable();
        assertThat(sends).allMatch(CompletableFuture::isDone);
        assertFails(sends.get(MESSAGES - 1), ErrorCode.CLOSED);
        messenger.binding().wakeCarrier(); // as a link does after it has written
        join(messenger.whenClosed());
    }

    @Test
    void close_inTheCallbackOfAMessageThatCannotBeEncoded_sendsTheNextOnesFirst() throws Exception {
        Identity carol = Identity.generate();
        RawPeer raw = connect(bob, carol, 1, OptionalLong.empty());
        PeerMessenger messenger = bob.messenger(carol.peerId(), SERVICE, DROP_OLDEST);
        raw.connection.abort(null);
        until("the loss", () -> bob.connectedPeers().isEmpty());
        CompletableFuture<Void> closed = messenger
                .send(Message.of("x".repeat(70_000), "a name that no codec encodes"))
                .handle((sent, failure) -> messenger.closeAsync())
                .thenCompose(closing -> closing);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        RawPeer next = connect(bob, carol, 2, OptionalLong.empty());
        next.expect("OPEN 1");
        next.write(frames -> frames.opened(1, 1 << 20, OptionalLong.empty()));
        assertThat(next.expect("MESSAGE", "END")).startsWith("MESSAGE");
        next.expect("END 1");
        join(sent);
        join(closed);
    }
}

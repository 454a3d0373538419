package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Subscribers that do not receive, with each way to treat the messages, and what that means to the others. */
class TopicSlowReceiverTest {

    private static final Duration SOON = Eventually.DEADLINE;
    private static final int SIZE = 16 * 1024;
    private static final int MESSAGES = 500;

    private final PipePeers peers = new PipePeers(Duration.ofMillis(200));
    private final Peer publishing = peers.near("publisher");
    private final Peer slow = peers.near("slow");
    private final Peer fast = peers.near("fast");

    @AfterEach
    void close() {
        peers.close();
    }

    private static Topic topic(Peer peer) {
        return Pipes.of(peer).topic("positions");
    }

    private static Message numbered(int number) {
        return Message.of("n", ByteBuffer.allocate(SIZE).putInt(number).rewind().array());
    }

    private static int number(PipeMessage received) {
        return ByteBuffer.wrap(received.message().bytes("n").orElseThrow()).getInt();
    }

    private static void awaitReceivers(TopicPublisher publisher, int count) {
        Eventually.until(
                () -> count + " receivers instead of " + publisher.receivers(),
                () -> publisher.receivers().size() == count);
    }

    /** Publishes all messages at the speed of the fast subscriber, which must get all of them. */
    private static void publishAll(TopicPublisher publisher, TopicSubscription fastOne) throws InterruptedException {
        for (int i = 0; i < MESSAGES; i++) {
            publisher.send(numbered(i), SOON);
            assertThat(number(fastOne.receive(SOON).orElseThrow())).isEqualTo(i);
        }
    }

    private static List<Integer> receiveUntilLast(TopicSubscription subscription) throws InterruptedException {
        List<Integer> numbers = new ArrayList<>();
        while (numbers.isEmpty() || numbers.get(numbers.size() - 1) < MESSAGES - 1) {
            numbers.add(number(subscription.receive(SOON).orElseThrow()));
        }
        return numbers;
    }

    @Test
    void dropOldest_slowSubscriberGetsTheNewestMessages_andKnowsHowManyItMissed() throws InterruptedException {
        TopicSubscription slowOne = topic(slow).subscribe(SubscriptionOptions.DEFAULTS);
        TopicSubscription fastOne = topic(fast).subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = topic(publishing).openPublisher();
        awaitReceivers(publisher, 2);
        publishAll(publisher, fastOne);
        List<Integer> numbers = receiveUntilLast(slowOne);
        assertThat(numbers).isSorted().doesNotHaveDuplicates().hasSizeLessThan(MESSAGES / 2);
        int missed = MESSAGES - numbers.size();
        assertThat(publisher.droppedMessages()).isEqualTo(missed);
        Eventually.until(
                () -> missed + " missed messages instead of " + slowOne.missedMessages(),
                () -> slowOne.missedMessages() == missed);
        assertThat(fastOne.missedMessages()).isZero();
    }

    @Test
    void dropOldest_withFewMessages_keepsNoMore() throws InterruptedException {
        TopicSubscription slowOne = topic(slow).subscribe(SubscriptionOptions.dropOldest(3));
        TopicSubscription fastOne = topic(fast).subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = topic(publishing).openPublisher();
        awaitReceivers(publisher, 2);
        publishAll(publisher, fastOne);
        Eventually.until(
                () -> "497 missed messages instead of " + slowOne.missedMessages(),
                () -> slowOne.missedMessages() == MESSAGES - 3);
        assertThat(receiveUntilLast(slowOne)).containsExactly(MESSAGES - 3, MESSAGES - 2, MESSAGES - 1);
    }

    @Test
    void newestOnly_slowSubscriberGetsTheNewestMessage() throws InterruptedException {
        TopicSubscription slowOne = topic(slow).subscribe(SubscriptionOptions.newestOnly());
        TopicSubscription fastOne = topic(fast).subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = topic(publishing).openPublisher();
        awaitReceivers(publisher, 2);
        publishAll(publisher, fastOne);
        Eventually.until(
                () -> "499 missed messages instead of " + slowOne.missedMessages(),
                () -> slowOne.missedMessages() == MESSAGES - 1);
        assertThat(receiveUntilLast(slowOne)).containsExactly(MESSAGES - 1);
    }

    @Test
    void block_slowSubscriberStopsThePublisher_andNothingIsLost() throws InterruptedException {
        TopicSubscription slowOne = topic(slow).subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = topic(publishing).openPublisher();
        awaitReceivers(publisher, 1);
        int sent = 0;
        CompletableFuture<Void> last = publisher.send(numbered(sent));
        while (!last.isCompletedExceptionally()) {
            last = publisher.send(numbered(++sent));
            assertThat(sent)
                    .as("messages that are queued for a receiver that does not read")
                    .isLessThan(10_000);
        }
        assertThat(Eventually.failure(last, "send"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.QUEUE_FULL))
                .hasMessageContaining("have no room");
        CompletableFuture<Void> writable = publisher.whenWritable();
        for (int i = 0; i < sent; i++) {
            assertThat(number(slowOne.receive(SOON).orElseThrow())).isEqualTo(i);
        }
        Eventually.get(writable, "room");
        assertThat(publisher.droppedMessages()).isZero();
        assertThat(publisher.droppedReceivers()).isZero();
    }

    @Test
    void block_stoppedSubscriberIsRemovedAfterTheTimeout_andTheOthersContinue() throws InterruptedException {
        topic(slow).subscribe(SubscriptionOptions.blocking());
        TopicSubscription fastOne = topic(fast).subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher =
                topic(publishing).withBlockTimeout(Duration.ofMillis(200)).openPublisher();
        awaitReceivers(publisher, 2);
        CompletableFuture<PeerId> removed = new CompletableFuture<>(); // a search may find the removed one again
        publisher.addReceiverListener(new TopicPublisher.ReceiverListener() {
            @Override
            public void onClosed(PeerId receiver) {
                removed.complete(receiver);
            }
        });
        publishAll(publisher, fastOne);
        assertThat(Eventually.get(removed, "removed receiver")).isEqualTo(slow.id());
        // A search during a long flood finds the removed one again, and it is removed again.
        Eventually.until(() -> "no dropped receiver", () -> publisher.droppedReceivers() >= 1);
        assertThat(publisher.receivers()).contains(fast.id());
    }

    /** A caller that asks before it sends never meets a full queue. */
    @Test
    void block_stoppedSubscriberOfACallerThatAsks_isRemovedToo() {
        topic(slow).subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher =
                topic(publishing).withBlockTimeout(Duration.ofMillis(200)).openPublisher();
        awaitReceivers(publisher, 1);
        Eventually.until(() -> "no dropped receiver", () -> {
            for (int i = 0; publisher.isWritable() && i < MESSAGES; i++) {
                Eventually.get(publisher.send(numbered(i)), "send");
            }
            return publisher.droppedReceivers() >= 1;
        });
    }

    /** The end of the first time-out falls into the second loss. */
    @Test
    void block_subscriberLostTwice_hasTheWholeTimeToReturnEachTime() {
        ManualScheduler time = new ManualScheduler();
        Peer publisherPeer =
                peers.start(peers.impatient("impatient").propagationTransport(peers.network.propagationProvider()));
        PeerGroup group = ManualTimeGroup.of(publisherPeer.netGroup(), time);
        topic(slow).subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = Pipes.of(group).topic("positions").openPublisher();
        awaitReceivers(publisher, 1);
        AtomicInteger losses = new AtomicInteger();
        publisherPeer.endpoint().addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onDisconnected(PeerId peer) { // the publisher, whose listener is older, knows it already
                losses.incrementAndGet();
            }
        });
        Duration timeout = publisherPeer.endpoint().limits().reconnectTimeout();
        lose(publisherPeer, losses);
        time.advance(timeout.minusMillis(1));
        peers.network.restore(slow.id());
        Eventually.get(publisherPeer.endpoint().connect(slow.id()), "a connection");
        lose(publisherPeer, losses);
        time.advance(Duration.ofMillis(1));
        Eventually.get(CompletableFuture.runAsync(() -> {}, group.workExecutor()), "the tasks before it");
        assertThat(publisher.receivers()).contains(slow.id());
        time.advance(timeout);
        Eventually.until(
                () -> "no receiver is removed", () -> publisher.receivers().isEmpty());
    }

    private void lose(Peer by, AtomicInteger losses) {
        int before = losses.get();
        peers.network.isolate(slow.id());
        Eventually.until(
                () -> "no loss", () -> losses.get() > before && !by.endpoint().isConnected(slow.id()));
    }

    @Test
    void lostSubscriber_isRemoved_andTheOthersContinue() throws InterruptedException {
        topic(slow).subscribe(SubscriptionOptions.DEFAULTS);
        TopicSubscription fastOne = topic(fast).subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = topic(publishing).openPublisher();
        awaitReceivers(publisher, 2);
        slow.close();
        awaitReceivers(publisher, 1);
        publishAll(publisher, fastOne);
    }
}

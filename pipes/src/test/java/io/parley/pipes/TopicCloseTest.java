package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A publisher that closes while a subscriber does not receive. */
@Timeout(120)
class TopicCloseTest {

    private static final int SIZE = 16 * 1024;

    /** More than the window of a subscription, less than that and the queue of a publisher. */
    private static final int MESSAGES = 50;

    private final PipePeers peers = new PipePeers(Duration.ofMillis(500));
    private final Peer publishing = peers.near("publisher");
    private final Peer slow = peers.near("slow");

    @AfterEach
    void close() {
        peers.close();
    }

    private static Topic topic(Peer peer) {
        return Pipes.of(peer).topic("prices");
    }

    private TopicPublisher publishTo(TopicSubscription subscription) throws InterruptedException {
        TopicPublisher publisher = topic(publishing).openPublisher();
        Eventually.until(
                () -> subscription + " is no receiver",
                () -> publisher.receivers().size() == 1);
        for (int i = 0; i < MESSAGES; i++) {
            publisher.send(
                    Message.of("n", ByteBuffer.allocate(SIZE).putInt(i).rewind().array()), Eventually.DEADLINE);
        }
        return publisher;
    }

    private static void receive(TopicSubscription subscription, int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            byte[] bytes = subscription
                    .receive(Eventually.DEADLINE)
                    .orElseThrow()
                    .message()
                    .bytes("n")
                    .orElseThrow();
            assertThat(ByteBuffer.wrap(bytes).getInt()).isEqualTo(i);
        }
    }

    private void closesAndTells(TopicSubscription subscription) throws InterruptedException {
        TopicPublisher publisher = publishTo(subscription);
        assertThat(publisher.droppedMessages()).isZero();
        Eventually.get(publisher.closeAsync(), "close");
        long discarded = publisher.droppedMessages();
        assertThat(discarded).isPositive().isLessThan(MESSAGES);
        Eventually.until(
                () -> discarded + " missed messages instead of " + subscription.missedMessages(),
                () -> subscription.missedMessages() == discarded);
        receive(subscription, MESSAGES - (int) discarded);
        Eventually.get(subscription.whenPublishersLeft(), "no publisher is left");
    }

    @Test
    void close_countsWhatASlowSubscriberDidNotGet_andTellsIt() throws InterruptedException {
        closesAndTells(topic(slow).subscribe(SubscriptionOptions.DEFAULTS));
    }

    @Test
    void close_countsWhatABlockingSubscriberDidNotGet_andTellsIt() throws InterruptedException {
        FlowLimits small = FlowLimits.builder().windowBytes(64 * 1024).build();
        closesAndTells(Pipes.of(slow).withFlowLimits(small).topic("prices").subscribe(SubscriptionOptions.blocking()));
    }

    @Test
    void whenIdle_completesWhenTheSubscriberHasEverything_andTheCloseLosesNothing() throws InterruptedException {
        TopicSubscription subscription = topic(slow).subscribe(SubscriptionOptions.DEFAULTS);
        TopicPublisher publisher = publishTo(subscription);
        CompletableFuture<Void> idle = publisher.whenIdle();
        assertThat(idle).isNotDone();
        receive(subscription, MESSAGES);
        Eventually.get(idle, "idle publisher");
        assertThat(publisher.whenIdle()).isCompleted();
        publisher.close();
        assertThat(publisher.droppedMessages()).isZero();
        assertThat(subscription.missedMessages()).isZero();
    }

    @Test
    void whenIdle_doesNotWaitForALostReceiver() throws InterruptedException {
        TopicPublisher publisher = publishTo(topic(slow).subscribe(SubscriptionOptions.DEFAULTS));
        CompletableFuture<Void> idle = publisher.whenIdle();
        assertThat(idle).isNotDone();
        slow.close();
        Eventually.get(idle, "idle publisher");
    }

    @Test
    void unsubscribing_isNoLoss() throws InterruptedException {
        TopicSubscription subscription = topic(slow).subscribe(SubscriptionOptions.DEFAULTS);
        TopicPublisher publisher = publishTo(subscription);
        subscription.close();
        Eventually.until(
                () -> "receivers: " + publisher.receivers(),
                () -> publisher.receivers().isEmpty());
        assertThat(publisher.droppedMessages()).isZero();
    }
}

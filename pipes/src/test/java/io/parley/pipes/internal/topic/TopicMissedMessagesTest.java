package io.parley.pipes.internal.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.common.AsyncCloseable;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.group.PeerGroup;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.pipes.ManualTimeGroup;
import io.parley.pipes.PipePeers;
import io.parley.pipes.Pipes;
import io.parley.pipes.SubscriptionOptions;
import io.parley.pipes.TopicPublisher;
import io.parley.pipes.TopicSubscription;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a subscriber learns what a publisher has dropped for it, and what it counts itself. The time of the publisher is manual. */
@Timeout(120)
class TopicMissedMessagesTest {

    private static final Duration SOON = Eventually.DEADLINE;
    private static final int SUBSCRIPTION = 7;
    private static final int MESSAGES = 100;
    private static final int SIZE = 16 * 1024;

    private final PipePeers peers = new PipePeers(Duration.ofMillis(100));
    private final ManualScheduler time = new ManualScheduler();
    private final Peer publishing = peers.near("publisher");
    private final Identity identity = Identity.generate();
    private final Peer receiving = start("subscriber", identity);
    private final PeerGroup group = ManualTimeGroup.of(publishing.netGroup(), time);
    private final TopicNames names = TopicNames.of(group.id(), "prices", PipeSecurity.PLAIN);
    private final Queue<ReceivedMessage> unread = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<TopicMessage> notices = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        unread.forEach(ReceivedMessage::release);
        peers.close();
    }

    private Peer start(String name, Identity as) {
        return peers.start(peers.builder(name).identity(as).propagationTransport(peers.network.propagationProvider()));
    }

    private void send(Peer from, Peer to, ServiceAddress service, Message message) {
        from.endpoint().addPeerAddress(to.address());
        Eventually.get(from.endpoint().send(to.id(), service, message), "message");
    }

    private static Message numbered(int number) {
        return Message.builder()
                .add("n", Integer.toString(number))
                .add("filling", new byte[SIZE])
                .build();
    }

    /** Subscribes to the newest messages as a peer that reads only what fits into the smallest window. */
    private AsyncCloseable subscribeByHand(Peer subscriber) throws InterruptedException {
        PipeSecurity.PLAIN.listen(subscriber.endpoint(), names.data(), EndpointLimits.MIN_WINDOW_BYTES, unread::add);
        AsyncCloseable control = recordNotices(subscriber, names.subscriber());
        TopicMessage subscribe = new TopicMessage.Subscribe(SUBSCRIPTION, SubscriptionOptions.newestOnly());
        send(subscriber, publishing, names.publisher(), TopicMessageFormat.write(subscribe));
        assertThat(nextNotice()).isEqualTo(new TopicMessage.Accepted(SUBSCRIPTION));
        return control;
    }

    private static void publish(TopicPublisher publisher) {
        for (int i = 0; i < MESSAGES; i++) {
            Eventually.get(publisher.send(numbered(i)), "send");
        }
    }

    private static void awaitMissed(TopicSubscription subscription, long count) {
        Eventually.until(
                () -> count + " missed messages instead of " + subscription.missedMessages(),
                () -> subscription.missedMessages() == count);
    }

    /** Listens by hand as a publisher or subscriber. */
    private AsyncCloseable recordNotices(Peer peer, ServiceAddress service) {
        return peer.endpoint().listen(service, received -> {
            notices.add(TopicMessageFormat.read(received.message()));
            received.release();
        });
    }

    private TopicMessage nextNotice() throws InterruptedException {
        return Objects.requireNonNull(notices.poll(SOON.toSeconds(), TimeUnit.SECONDS), "no message of the publisher");
    }

    @Test
    void newestOnly_messagesThatThePublisherReplaces_areToldSoon() throws InterruptedException {
        TopicPublisher publisher = Pipes.of(group).topic("prices").openPublisher();
        subscribeByHand(receiving);
        publish(publisher);
        long replaced = publisher.droppedMessages();
        assertThat(replaced).isPositive().isEqualTo(publisher.replacedMessages());
        time.advance(ReceiverRegistry.REPORT_DELAY);
        assertThat(nextNotice()).isEqualTo(new TopicMessage.Missed(SUBSCRIPTION, replaced));
    }

    @Test
    void reportThatDoesNotArrive_isRepeated() throws InterruptedException {
        TopicPublisher publisher = Pipes.of(group).topic("prices").openPublisher();
        subscribeByHand(receiving).close();
        publish(publisher);
        time.advance(ReceiverRegistry.REPORT_DELAY);
        for (int i = 0; i < 10; i++) { // the report fails before or between these
            Eventually.failure(
                    publishing.endpoint().send(receiving.id(), names.subscriber(), Message.EMPTY), "message");
        }
        recordNotices(receiving, names.subscriber());
        Eventually.until(() -> "no report", () -> {
            time.advance(Duration.ofMillis(10));
            return notices.contains(new TopicMessage.Missed(SUBSCRIPTION, publisher.droppedMessages()));
        });
    }

    /** The number does not begin again when a subscriber was lost for a moment: it knows only one number of a publisher. */
    @Test
    void subscriberThatReturns_learnsAllThatItHasMissed() throws InterruptedException {
        TopicPublisher publisher = Pipes.of(group).topic("prices").openPublisher();
        subscribeByHand(receiving);
        publish(publisher);
        long before = publisher.droppedMessages();
        assertThat(before).isPositive();
        unread.forEach(ReceivedMessage::release);
        unread.clear();
        receiving.close();
        Eventually.until(() -> "the receiver is not removed", () -> {
            time.advance(Duration.ofMillis(10));
            return publisher.receivers().isEmpty();
        });
        assertThat(publisher.replacedMessages()).isEqualTo(before); // also of a former receiver
        notices.clear();

        subscribeByHand(start("again", identity));
        publish(publisher);
        long all = publisher.droppedMessages();
        assertThat(all).isGreaterThan(before);
        Eventually.until(() -> all + " missed messages instead of " + notices, () -> {
            time.advance(Duration.ofMillis(10));
            return notices.contains(new TopicMessage.Missed(SUBSCRIPTION, all));
        });
    }

    @Test
    void newestOnly_whatWasNotReceivedIsMissed_soonAfterTheNewestMessage() throws InterruptedException {
        TopicPublisher publisher = Pipes.of(group).topic("prices").openPublisher();
        TopicSubscription subscription =
                Pipes.of(receiving).topic("prices").subscribe(SubscriptionOptions.newestOnly());
        Eventually.until(() -> "no receiver", () -> !publisher.receivers().isEmpty());
        int sent = 0;
        while (sent < MESSAGES || publisher.droppedMessages() == 0) {
            Eventually.get(publisher.send(numbered(++sent)), "send");
        }
        int received = 0;
        for (String newest = ""; !newest.equals(Integer.toString(sent)); received++) {
            newest = subscription.receive(SOON).orElseThrow().text("n").orElseThrow();
        }
        time.advance(ReceiverRegistry.REPORT_DELAY);
        awaitMissed(subscription, sent - received);
    }

    /** Offers the topic as a publisher, and accepts the subscription. Returns its number. */
    private long acceptByHand(TopicSubscription subscription) throws InterruptedException {
        notifySubscriber(new TopicMessage.Offer());
        long number = ((TopicMessage.Subscribe) nextNotice()).subscription();
        notifySubscriber(new TopicMessage.Accepted(number));
        Eventually.until(() -> "no publisher", () -> !subscription.publishers().isEmpty());
        return number;
    }

    private void notifySubscriber(TopicMessage message) {
        send(publishing, receiving, names.subscriber(), TopicMessageFormat.write(message));
    }

    @Test
    void publisherThatReturns_continuesToCount() throws InterruptedException {
        TopicSubscription subscription = Pipes.of(receiving).topic("prices").subscribe(SubscriptionOptions.DEFAULTS);
        recordNotices(publishing, names.publisher());
        long number = acceptByHand(subscription);
        notifySubscriber(new TopicMessage.Missed(number, 5));
        awaitMissed(subscription, 5);
        notifySubscriber(new TopicMessage.Ended(number, ErrorCode.QUEUE_FULL));
        Eventually.get(subscription.whenPublishersLeft(), "no publisher is left");
        assertThat(subscription.missedMessages()).isEqualTo(5);

        assertThat(acceptByHand(subscription)).isEqualTo(number);
        notifySubscriber(new TopicMessage.Missed(number, 8));
        notifySubscriber(new TopicMessage.Ended(number, ErrorCode.CLOSED));
        Eventually.get(subscription.whenPublishersLeft(), "no publisher is left");
        assertThat(subscription.missedMessages()).isEqualTo(8);
    }

    /** A publisher that has lost a subscription offers the topic, because it finds a subscriber that it does not know. */
    @Test
    void publisherThatOffersAgain_getsTheSubscriptionAgain() throws InterruptedException {
        TopicSubscription subscription = Pipes.of(receiving).topic("prices").subscribe(SubscriptionOptions.DEFAULTS);
        recordNotices(publishing, names.publisher());
        long number = acceptByHand(subscription);
        assertThat(acceptByHand(subscription)).isEqualTo(number);
    }

    /** A closed publisher does not return: the next one of the same peer begins to count. */
    @Test
    void nextPublisherOfAPeer_beginsToCount() throws InterruptedException {
        TopicSubscription subscription = Pipes.of(receiving).topic("prices").subscribe(SubscriptionOptions.DEFAULTS);
        recordNotices(publishing, names.publisher());
        long number = acceptByHand(subscription);
        notifySubscriber(new TopicMessage.Missed(number, 5));
        awaitMissed(subscription, 5);
        notifySubscriber(new TopicMessage.Ended(number, ErrorCode.CLOSED));
        Eventually.get(subscription.whenPublishersLeft(), "no publisher is left");

        acceptByHand(subscription);
        notifySubscriber(new TopicMessage.Missed(number, 8));
        awaitMissed(subscription, 13);
    }

    /** Large messages may be decoded on another thread while the end of the publisher, on another channel, overtakes them. */
    @Test
    void messagesThatArriveAfterTheEndOfTheirPublisher_areReceived() throws InterruptedException {
        TopicSubscription subscription = Pipes.of(receiving).topic("prices").subscribe(SubscriptionOptions.DEFAULTS);
        recordNotices(publishing, names.publisher());
        long number = acceptByHand(subscription);
        notifySubscriber(new TopicMessage.Ended(number, ErrorCode.CLOSED));
        Eventually.get(subscription.whenPublishersLeft(), "no publisher is left");
        send(publishing, receiving, names.data(), numbered(1));
        assertThat(subscription.receive(SOON).orElseThrow().text("n")).contains("1");
        assertThat(subscription.missedMessages()).isZero();
    }

    /** Data that a removed publisher sends before it knows is missed. Data of a peer that never was a publisher is not counted. */
    @Test
    void messagesOfARemovedPublisher_areMissed_thoseOfOthersAreNot() throws InterruptedException {
        Peer other = peers.near("other");
        TopicSubscription subscription = Pipes.of(receiving).topic("prices").subscribe(SubscriptionOptions.DEFAULTS);
        recordNotices(publishing, names.publisher());
        long number = acceptByHand(subscription);
        send(publishing, receiving, names.data(), numbered(1));
        assertThat(subscription.receive(SOON).orElseThrow().text("n")).contains("1");

        notifySubscriber(new TopicMessage.Ended(number, ErrorCode.QUEUE_FULL));
        Eventually.get(subscription.whenPublishersLeft(), "no publisher is left");
        send(other, receiving, names.data(), numbered(2));
        send(publishing, receiving, names.data(), numbered(3));
        send(publishing, receiving, names.data(), numbered(4));
        assertThat(subscription.missedMessages()).isEqualTo(2);
        assertThat(subscription.receive(Duration.ZERO)).isEmpty();
    }

    /** The publisher learns that only when the channel opens again, after the send has succeeded. */
    @Test
    void messageSentDuringAnInterruption_thatCannotBeEncoded_isMissed() throws InterruptedException {
        Peer one = startImpatient("one");
        Peer other = startImpatient("other");
        TopicPublisher publisher = Pipes.of(one).topic("rates").openPublisher();
        TopicSubscription subscription = Pipes.of(other).topic("rates").subscribe(SubscriptionOptions.blocking());
        Eventually.until(() -> "no receiver", () -> !publisher.receivers().isEmpty());
        peers.network.isolate(other.id());
        Message invalid = Message.of("\ud800", "content"); // which is refused as long as the channel is open
        Eventually.until(
                () -> "the connection is not lost",
                () -> !publisher.send(invalid).isCompletedExceptionally());
        Eventually.get(publisher.send(numbered(1)), "send");
        peers.network.restore(other.id());
        assertThat(subscription.receive(SOON).orElseThrow().text("n")).contains("1");
        assertThat(publisher.droppedMessages()).isEqualTo(1);
        awaitMissed(subscription, 1);
    }

    private Peer startImpatient(String name) {
        return peers.start(peers.impatient(name).propagationTransport(peers.network.propagationProvider()));
    }
}

package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Peers that send wrong messages, too many of them, or messages that nobody has subscribed to. */
class TopicHostilePeerTest {

    private static final Duration SOON = Eventually.DEADLINE;

    private final PipePeers peers = new PipePeers();
    private final Peer publishing = peers.near("publisher");
    private final Peer receiving = peers.near("subscriber");
    private final Peer hostile = peers.near("hostile");
    private final TopicNames names = TopicNames.of(publishing.netGroup().id(), "prices");

    @AfterEach
    void close() {
        peers.close();
    }

    private static Topic topic(Peer peer) {
        return Pipes.of(peer).topic("prices");
    }

    private static void awaitReceivers(TopicPublisher publisher, int count) {
        Eventually.until(
                () -> count + " receivers instead of " + publisher.receivers(),
                () -> publisher.receivers().size() == count);
    }

    private void send(Peer target, ServiceAddress service, Message message) {
        hostile.netGroup().endpoint().addPeerAddress(target.address());
        Eventually.get(hostile.netGroup().endpoint().send(target.id(), service, message), "message");
    }

    private static Message write(TopicMessage message) {
        return TopicMessageFormat.write(message);
    }

    @Test
    void publishedMessagesOfPeersWithoutASubscription_areNotReceived() throws InterruptedException {
        TopicSubscription subscription = topic(receiving).subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = topic(publishing).openPublisher();
        awaitReceivers(publisher, 1);
        send(receiving, names.data(), Message.of("n", "forged"));
        publisher.send(Message.of("n", "true"), SOON);
        assertThat(subscription.receive(SOON).orElseThrow().text("n")).contains("true");
        assertThat(subscription.receive(Duration.ZERO)).isEmpty();
    }

    @Test
    void wrongMessages_endNothing() throws InterruptedException {
        TopicSubscription subscription = topic(receiving).subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = topic(publishing).openPublisher();
        awaitReceivers(publisher, 1);
        List<Message> wrong = List.of(
                Message.EMPTY,
                Message.of("n", "x"),
                write(new TopicMessage.Unsubscribe(1)),
                write(new TopicMessage.Accepted(2)),
                write(new TopicMessage.Ended(3, ErrorCode.CLOSED)),
                write(new TopicMessage.Missed(4, 5)));
        for (Message message : wrong) {
            send(publishing, names.publisher(), message);
            send(receiving, names.subscriber(), message);
        }
        publisher.send(Message.of("n", "1"), SOON);
        assertThat(subscription.receive(SOON).orElseThrow().text("n")).contains("1");
        assertThat(subscription.missedMessages()).isZero();
        assertThat(publisher.receivers()).containsExactly(receiving.id());
    }

    @Test
    void peerThatSubscribesWithoutTheService_isRemoved() {
        TopicPublisher publisher = topic(publishing).openPublisher();
        send(publishing, names.publisher(), write(new TopicMessage.Subscribe(1, SubscriptionOptions.DEFAULTS)));
        topic(receiving).subscribe(SubscriptionOptions.DEFAULTS);
        awaitReceivers(publisher, 1);
        assertThat(publisher.receivers()).containsExactly(receiving.id());
    }

    @Test
    void floodOfSubscriptions_isThrottled_andTheOthersAreServed() throws InterruptedException {
        hostile.netGroup().endpoint().listen(names.data(), received -> received.release());
        TopicPublisher publisher = topic(publishing).openPublisher();
        for (int i = 0; i < 500; i++) { // each one replaces the one before
            send(publishing, names.publisher(), write(new TopicMessage.Subscribe(i, SubscriptionOptions.DEFAULTS)));
        }
        TopicSubscription subscription = topic(receiving).subscribe(SubscriptionOptions.blocking());
        Eventually.until(() -> "the receiver", () -> publisher.receivers().contains(receiving.id()));
        publisher.send(Message.of("n", "1"), SOON);
        assertThat(subscription.receive(SOON).orElseThrow().text("n")).contains("1");
    }
}

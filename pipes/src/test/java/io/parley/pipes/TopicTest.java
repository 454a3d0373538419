package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Publishers and subscribers of a topic that find each other, and what they get. */
class TopicTest {

    private static final Duration SOON = Eventually.DEADLINE;
    private static final String NAME = "prices";

    private final PipePeers peers = new PipePeers();

    @AfterEach
    void close() {
        peers.close();
    }

    private static Topic topic(Peer peer) {
        return Pipes.of(peer).topic(NAME);
    }

    private static Message numbered(int number) {
        return Message.of("n", Integer.toString(number));
    }

    private static void awaitReceivers(TopicPublisher publisher, Peer... receivers) {
        PeerId[] ids = List.of(receivers).stream().map(Peer::id).toArray(PeerId[]::new);
        Eventually.until(
                () -> "receivers " + List.of(ids) + " instead of " + publisher.receivers(),
                () -> publisher.receivers().size() == ids.length
                        && publisher.receivers().containsAll(List.of(ids)));
    }

    private static void awaitPublishers(TopicSubscription subscription, int count) {
        Eventually.until(
                () -> count + " publishers instead of " + subscription.publishers(),
                () -> subscription.publishers().size() == count);
    }

    private static void assertReceives(TopicSubscription subscription, int from, int to) throws InterruptedException {
        for (int i = from; i < to; i++) {
            assertThat(subscription.receive(SOON).orElseThrow().text("n")).contains(Integer.toString(i));
        }
    }

    private static void publish(TopicPublisher publisher, int from, int to) throws InterruptedException {
        for (int i = from; i < to; i++) {
            publisher.send(numbered(i), SOON);
        }
    }

    @Test
    void everySubscriber_getsEveryMessageOnceAndInOrder() throws InterruptedException {
        Peer publishing = peers.near("publisher");
        List<TopicSubscription> subscriptions = new ArrayList<>();
        Peer[] receivers = new Peer[5];
        for (int i = 0; i < receivers.length; i++) {
            receivers[i] = peers.near("subscriber" + i);
            subscriptions.add(topic(receivers[i]).subscribe(SubscriptionOptions.blocking()));
        }
        TopicPublisher publisher = topic(publishing).openPublisher();
        awaitReceivers(publisher, receivers);
        publish(publisher, 0, 1000);
        for (TopicSubscription subscription : subscriptions) {
            assertReceives(subscription, 0, 1000);
            assertThat(subscription.receive(Duration.ZERO)).isEmpty();
            assertThat(subscription.publishers()).containsExactly(publishing.id());
        }
        assertThat(publisher.droppedMessages()).isZero();
        publisher.close();
    }

    @Test
    void lateSubscriber_onTheLocalNetwork_getsTheMessagesFromThenOn() throws InterruptedException {
        TopicPublisher publisher = topic(peers.near("publisher")).openPublisher();
        Peer first = peers.near("first");
        TopicSubscription early = topic(first).subscribe(SubscriptionOptions.blocking());
        awaitReceivers(publisher, first);
        publish(publisher, 0, 10);
        Peer second = peers.near("second");
        TopicSubscription late = topic(second).subscribe(SubscriptionOptions.blocking());
        awaitReceivers(publisher, first, second);
        publish(publisher, 10, 20);
        assertReceives(early, 0, 20);
        assertReceives(late, 10, 20);
    }

    @Test
    void peersOfARendezvous_findEachOther_whicheverOpensFirst() throws InterruptedException {
        peers.rendezvous();
        Peer early = peers.edge("early");
        Peer publishing = peers.edge("publisher");
        Peer late = peers.edge("late");
        TopicSubscription first = topic(early).subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = topic(publishing).openPublisher();
        awaitReceivers(publisher, early);
        publish(publisher, 0, 10);
        TopicSubscription second = topic(late).subscribe(SubscriptionOptions.blocking());
        awaitReceivers(publisher, early, late);
        publish(publisher, 10, 20);
        assertReceives(first, 0, 20);
        assertReceives(second, 10, 20);
    }

    @Test
    void peerThatPublishesAndSubscribes_getsItsOwnMessagesToo() throws InterruptedException {
        Peer both = peers.near("both");
        TopicSubscription subscription = topic(both).subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = topic(both).openPublisher();
        awaitReceivers(publisher, both);
        publish(publisher, 0, 100);
        assertReceives(subscription, 0, 100);
    }

    @Test
    void severalPublishers_reachASubscriber() throws InterruptedException {
        Peer receiving = peers.near("subscriber");
        Queue<PipeMessage> received = new ConcurrentLinkedQueue<>();
        TopicSubscription subscription = topic(receiving).subscribe(received::add);
        for (int i = 0; i < 3; i++) {
            TopicPublisher publisher = topic(peers.near("publisher" + i)).openPublisher();
            awaitReceivers(publisher, receiving);
            publish(publisher, i, i + 1);
        }
        Eventually.until(() -> "3 messages instead of " + received, () -> received.size() == 3);
        assertThat(received.stream().map(PipeMessage::from).distinct()).hasSize(3);
        awaitPublishers(subscription, 3);
    }

    @Test
    void topics_ofOtherNamesAndGroups_areSeparate() throws InterruptedException {
        Peer publishing = peers.near("publisher");
        Peer receiving = peers.near("subscriber");
        PeerGroup group = receiving.group("markets").join();
        TopicSubscription sameName = Pipes.of(group).topic(NAME).subscribe(SubscriptionOptions.blocking());
        TopicSubscription otherName = Pipes.of(receiving).topic("news").subscribe(SubscriptionOptions.blocking());
        TopicSubscription same = topic(receiving).subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = topic(publishing).openPublisher();
        awaitReceivers(publisher, receiving);
        publish(publisher, 0, 1);
        assertReceives(same, 0, 1);
        assertThat(sameName.receive(Duration.ZERO)).isEmpty();
        assertThat(otherName.receive(Duration.ZERO)).isEmpty();
        assertThat(topic(publishing).id()).isNotEqualTo(Pipes.of(publishing).pipeId(NAME));
    }

    @Test
    void receivers_thatComeAndGo_areTold() {
        Peer publishing = peers.near("publisher");
        Peer receiving = peers.near("subscriber");
        Queue<String> events = new ConcurrentLinkedQueue<>();
        TopicPublisher publisher = topic(publishing).openPublisher();
        publisher.addReceiverListener(new TopicPublisher.ReceiverListener() {
            @Override
            public void onOpened(PeerId receiver) {
                events.add("opened " + receiver.equals(receiving.id()));
            }

            @Override
            public void onClosed(PeerId receiver) {
                events.add("closed " + receiver.equals(receiving.id()));
            }
        });
        TopicSubscription subscription = topic(receiving).subscribe(SubscriptionOptions.DEFAULTS);
        awaitReceivers(publisher, receiving);
        subscription.close();
        awaitReceivers(publisher);
        TopicSubscription again = topic(receiving).subscribe(SubscriptionOptions.blocking());
        awaitReceivers(publisher, receiving);
        again.close();
        Eventually.until(() -> "4 events instead of " + events, () -> events.size() == 4);
        assertThat(events).containsExactly("opened true", "closed true", "opened true", "closed true");
    }

    @Test
    void publisherThatCloses_sendsTheQueuedMessages_andIsForgotten() throws InterruptedException {
        Peer publishing = peers.near("publisher");
        Peer receiving = peers.near("subscriber");
        TopicSubscription subscription = topic(receiving).subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = topic(publishing).openPublisher();
        awaitReceivers(publisher, receiving);
        publish(publisher, 0, 500);
        publisher.close();
        assertReceives(subscription, 0, 500);
        awaitPublishers(subscription, 0);
        assertThatThrownBy(() -> publisher.send(numbered(0), SOON))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
        TopicPublisher next = topic(publishing).openPublisher();
        awaitReceivers(next, receiving);
        publish(next, 0, 1);
        assertReceives(subscription, 0, 1);
    }

    @Test
    void whenPublishersLeft_completesWhenTheLastOneHasClosed() {
        Peer receiving = peers.near("subscriber");
        TopicSubscription subscription = topic(receiving).subscribe(SubscriptionOptions.DEFAULTS);
        assertThat(subscription.whenPublishersLeft()).isCompleted();
        TopicPublisher first = topic(peers.near("first")).openPublisher();
        TopicPublisher second = topic(peers.near("second")).openPublisher();
        awaitPublishers(subscription, 2);
        CompletableFuture<Void> left = subscription.whenPublishersLeft();
        first.close();
        awaitPublishers(subscription, 1);
        assertThat(left).isNotDone();
        assertThat(subscription.whenPublishersLeft()).isNotDone();
        second.close();
        Eventually.get(left, "no publisher is left");
        assertThat(subscription.publishers()).isEmpty();
        assertThat(subscription.whenPublishersLeft()).isCompleted();
    }

    @Test
    void whenPublishersLeft_waitsForALostPublisher_thatReturns() {
        Peer publishing = peers.near("publisher");
        Peer receiving =
                peers.start(peers.impatient("subscriber").propagationTransport(peers.network.propagationProvider()));
        TopicSubscription subscription = topic(receiving).subscribe(SubscriptionOptions.DEFAULTS);
        TopicPublisher publisher = topic(publishing).openPublisher();
        awaitPublishers(subscription, 1);
        CompletableFuture<Void> left = subscription.whenPublishersLeft();
        peers.network.isolate(publishing.id());
        awaitPublishers(subscription, 0);
        assertThat(left).isNotDone();
        assertThat(subscription.whenPublishersLeft()).isNotDone();
        peers.network.restore(publishing.id());
        awaitPublishers(subscription, 1);
        assertThat(left).isNotDone();
        publisher.close();
        Eventually.get(left, "no publisher is left");
    }

    @Test
    void whenPublishersLeft_completesWhenTheSubscriptionCloses() {
        TopicSubscription subscription = topic(peers.near("subscriber")).subscribe(SubscriptionOptions.DEFAULTS);
        topic(peers.near("publisher")).openPublisher();
        awaitPublishers(subscription, 1);
        CompletableFuture<Void> left = subscription.whenPublishersLeft();
        assertThat(left).isNotDone();
        subscription.close();
        Eventually.get(left, "the subscription is closed");
    }

    @Test
    void secondPublisherOrSubscription_ofAPeer_isRefused() {
        Peer peer = peers.near("peer");
        topic(peer).openPublisher();
        assertThatThrownBy(() -> topic(peer).openPublisher())
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_BOUND));
        TopicSubscription subscription = topic(peer).subscribe(SubscriptionOptions.DEFAULTS);
        assertThatThrownBy(() -> topic(peer).subscribe(SubscriptionOptions.DEFAULTS))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_BOUND));
        subscription.close();
        topic(peer).subscribe(SubscriptionOptions.DEFAULTS);
    }

    @Test
    void publisherThatRestarts_isSubscribedAgain() throws InterruptedException {
        Peer receiving = peers.near("subscriber");
        TopicSubscription subscription = topic(receiving).subscribe(SubscriptionOptions.DEFAULTS);
        for (int round = 0; round < 2; round++) {
            Peer publishing =
                    peers.start(peers.builder("publisher").propagationTransport(peers.network.propagationProvider()));
            TopicPublisher publisher = topic(publishing).openPublisher();
            awaitReceivers(publisher, receiving);
            publish(publisher, 0, 10);
            assertReceives(subscription, 0, 10);
            publishing.close();
        }
    }
}

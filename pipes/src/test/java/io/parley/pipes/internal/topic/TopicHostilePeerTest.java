package io.parley.pipes.internal.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.pipes.ManualTimeGroup;
import io.parley.pipes.PipePeers;
import io.parley.pipes.Pipes;
import io.parley.pipes.SubscriptionOptions;
import io.parley.pipes.Topic;
import io.parley.pipes.TopicPublisher;
import io.parley.pipes.TopicSubscription;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointMetrics.Counter;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Peers that send wrong messages, too many of them, or messages without a subscriber. */
class TopicHostilePeerTest {

    private static final Duration SOON = Eventually.DEADLINE;

    private final PipePeers peers = new PipePeers(Duration.ofMillis(200));
    private final Peer publishing = peers.near("publisher");
    private final Peer receiving = peers.near("subscriber");
    private final Peer hostile = peers.near("hostile");
    private final TopicNames names = TopicNames.of(publishing.netGroup().id(), "prices", PipeSecurity.PLAIN);

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

    /** Returns a view of a group whose work waits while the gate is not complete. */
    private static PeerGroup gated(PeerGroup group, CompletableFuture<Void> gate) {
        Executor work = task -> gate.thenRunAsync(task, group.workExecutor());
        return (PeerGroup) Proxy.newProxyInstance(
                PeerGroup.class.getClassLoader(),
                new Class<?>[] {PeerGroup.class},
                (proxy, method, arguments) ->
                        method.getName().equals("workExecutor") ? work : method.invoke(group, arguments));
    }

    @Test
    void peerWhoseServiceDoesNotRespond_losesItsPlaceAfterAWhile() throws InterruptedException {
        ManualScheduler time = new ManualScheduler();
        CompletableFuture<Void> gate = new CompletableFuture<>();
        PeerGroup group = gated(ManualTimeGroup.of(publishing.netGroup(), time), gate);
        Pipes.of(group).topic("prices").withMaxReceivers(1).openPublisher();
        Peer vanished = peers.near("vanished");
        vanished.endpoint().addPeerAddress(publishing.address());
        Message subscription = write(new TopicMessage.Subscribe(1, SubscriptionOptions.DEFAULTS));
        Eventually.get(vanished.endpoint().send(publishing.id(), names.publisher(), subscription), "subscription");
        peers.network.isolate(vanished.id());
        gate.complete(null);
        BlockingQueue<TopicMessage> notices = subscribeByHand(7);
        assertThat(next(notices)).isEqualTo(new TopicMessage.Ended(7, ErrorCode.BUSY));
        time.advance(ReceiverRegistry.OPEN_TIMEOUT);
        Eventually.until(() -> "the place is not free", () -> {
            subscribe(8);
            time.advance(Duration.ofSeconds(1)); // for the rate of such messages
            TopicMessage notice = notices.poll();
            return notice instanceof TopicMessage.Accepted;
        });
    }

    @Test
    void publishersBeyondTheMaximum_areIgnored() {
        PublisherRegistry registry = new PublisherRegistry(receiving.netGroup(), names, SubscriptionOptions.DEFAULTS);
        List<PeerId> invented = Stream.generate(() -> Identity.generate().peerId())
                .limit(PublisherRegistry.MAX_PUBLISHERS + 10)
                .toList();
        invented.forEach(registry::onFound);
        List<PeerId> admitted = invented.subList(0, PublisherRegistry.MAX_PUBLISHERS);
        Eventually.until(() -> "the first publishers", () -> admitted.stream().allMatch(registry::isSource));
        CompletableFuture<Void> handled = new CompletableFuture<>();
        registry.afterTasks(() -> handled.complete(null));
        Eventually.get(handled, "the tasks");
        assertThat(invented.stream().filter(registry::isSource)).hasSize(PublisherRegistry.MAX_PUBLISHERS);
        registry.close();
    }

    /** Subscribes as a peer that reads nothing. Returns the messages about its subscriptions. */
    private BlockingQueue<TopicMessage> subscribeByHand(long subscription) {
        BlockingQueue<TopicMessage> notices = new LinkedBlockingQueue<>();
        hostile.netGroup().endpoint().listen(names.data(), received -> received.release());
        hostile.netGroup().endpoint().listen(names.subscriber(), received -> {
            notices.add(TopicMessageFormat.read(received.message()));
            received.release();
        });
        subscribe(subscription);
        return notices;
    }

    private void subscribe(long subscription) {
        send(
                publishing,
                names.publisher(),
                write(new TopicMessage.Subscribe(subscription, SubscriptionOptions.DEFAULTS)));
    }

    private static TopicMessage next(BlockingQueue<TopicMessage> notices) throws InterruptedException {
        return Objects.requireNonNull(notices.poll(SOON.toSeconds(), TimeUnit.SECONDS), "no message of the publisher");
    }

    @Test
    void receiversBeyondTheMaximum_areRefused() throws InterruptedException {
        TopicPublisher publisher = topic(publishing).withMaxReceivers(1).openPublisher();
        TopicSubscription admitted = topic(receiving).subscribe(SubscriptionOptions.blocking());
        awaitReceivers(publisher, 1);
        try (CapturedLog log = new CapturedLog()) {
            BlockingQueue<TopicMessage> notices = subscribeByHand(7);
            assertThat(next(notices)).isEqualTo(new TopicMessage.Ended(7, ErrorCode.BUSY));
            subscribe(8);
            assertThat(next(notices)).isEqualTo(new TopicMessage.Ended(8, ErrorCode.BUSY));
            assertThat(log.lines("Refused subscription")).hasSize(1);
        }
        publisher.send(Message.of("n", "1"), SOON);
        assertThat(admitted.receive(SOON).orElseThrow().text("n")).contains("1");
        assertThat(publisher.receivers()).containsExactly(receiving.id());
    }

    @Test
    void floodOfSubscriptions_isThrottled_andTheOthersAreServed() throws InterruptedException {
        TopicPublisher publisher = topic(publishing).openPublisher();
        BlockingQueue<TopicMessage> notices = subscribeByHand(7);
        assertThat(next(notices)).isEqualTo(new TopicMessage.Accepted(7));
        for (int i = 0; i < 500; i++) { // renewals, each of which has a response
            subscribe(7);
        }
        TopicSubscription subscription = topic(receiving).subscribe(SubscriptionOptions.blocking());
        awaitReceivers(publisher, 2);
        publisher.send(Message.of("n", "1"), SOON);
        assertThat(subscription.receive(SOON).orElseThrow().text("n")).contains("1");
        assertThat(notices).as("responses: 10 at once and 10 a second").hasSizeLessThan(250);
    }

    @Test
    void messagesOnWhichTheListenerFails_makeOneLineOfLog() throws InterruptedException {
        TopicPublisher publisher = topic(publishing).openPublisher();
        topic(receiving).subscribe(SubscriptionOptions.blocking(), message -> {
            throw new IllegalStateException("failed");
        });
        awaitReceivers(publisher, 1);
        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 50; i++) {
                publisher.send(Message.of("n", "1"), SOON);
            }
            Eventually.until(
                    () -> "not all have failed",
                    () -> receiving.netGroup().endpoint().metrics().get(Counter.LISTENER_FAILURES) == 50);
            assertThat(log.lines("Listener of a subscription failed")).hasSize(1);
        }
    }
}

package io.parley.pipes.internal.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipePeers;
import io.parley.pipes.Pipes;
import io.parley.pipes.RecordedPeersFixture;
import io.parley.pipes.SubscriptionOptions;
import io.parley.pipes.Topic;
import io.parley.pipes.TopicPublisher;
import io.parley.pipes.TopicSubscription;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.testkit.Eventually;
import io.parley.transport.TransportSecurity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Topics whose publishers and subscribers are secure. */
@Timeout(180)
class SecureTopicTest {

    private static final Duration SOON = Eventually.DEADLINE;
    private static final String SECRET = "the price of wheat in Halifax";

    private static Topic secure(Peer peer) {
        return Pipes.of(peer).secure().topic("prices");
    }

    private static Topic plain(Peer peer) {
        return Pipes.of(peer).topic("prices");
    }

    private static Message numbered(int number) {
        return Message.builder()
                .add("n", Integer.toString(number))
                .add("text", SECRET)
                .build();
    }

    private static void awaitReceivers(TopicPublisher publisher, int count) {
        Eventually.until(
                () -> count + " receivers instead of " + publisher.receivers(),
                () -> publisher.receivers().size() == count);
    }

    @ParameterizedTest
    @EnumSource(TransportSecurity.class)
    void messages_overTcp_arriveInOrder_andAreNotReadable(TransportSecurity security) throws Exception {
        try (RecordedPeersFixture fixture = new RecordedPeersFixture(security);
                TopicPublisher publisher = secure(fixture.alice).openPublisher()) {
            List<TopicSubscription> subscriptions = new ArrayList<>();
            subscriptions.add(secure(fixture.bob).subscribe(SubscriptionOptions.blocking()));
            subscriptions.add(secure(fixture.edge("carol")).subscribe(SubscriptionOptions.dropOldest(1000)));
            subscriptions.add(secure(fixture.edge("dave")).subscribe(SubscriptionOptions.blocking()));
            awaitReceivers(publisher, 3);
            Message large = Message.of("text", (SECRET + " ").repeat(20_000));
            for (int i = 0; i < 200; i++) {
                publisher.send(numbered(i), SOON);
            }
            publisher.send(large, SOON);

            for (TopicSubscription subscription : subscriptions) {
                for (int i = 0; i < 200; i++) {
                    PipeMessage received = subscription.receive(SOON).orElseThrow();
                    assertThat(received.message()).isEqualTo(numbered(i));
                    assertThat(received.from()).isEqualTo(fixture.alice.id());
                }
                assertThat(subscription.receive(SOON).orElseThrow().message()).isEqualTo(large);
            }
            assertThat(fixture.proxy.contains(SECRET)).isFalse();
            subscriptions.forEach(TopicSubscription::closeAsync);
        }
    }

    @Test
    void plainTopic_overPlaintext_isReadable() throws Exception { // so that the test above proves something
        try (RecordedPeersFixture fixture = new RecordedPeersFixture(TransportSecurity.PLAINTEXT);
                TopicPublisher publisher = plain(fixture.alice).openPublisher();
                TopicSubscription subscription = plain(fixture.bob).subscribe(SubscriptionOptions.blocking())) {
            awaitReceivers(publisher, 1);
            publisher.send(numbered(1), SOON);
            assertThat(subscription.receive(SOON).orElseThrow().message()).isEqualTo(numbered(1));
            assertThat(fixture.proxy.contains(SECRET)).isTrue();
        }
    }

    @Test
    void endsOfBothKinds_areNotMixed() throws Exception {
        try (PipePeers peers = new PipePeers()) {
            Peer alice = peers.near("alice");
            Peer bob = peers.near("bob");
            Peer carol = peers.near("carol");
            Peer dave = peers.near("dave");
            TopicSubscription secure = secure(bob).subscribe(SubscriptionOptions.blocking());
            TopicSubscription plain = plain(carol).subscribe(SubscriptionOptions.blocking());
            TopicPublisher secretive = secure(alice).openPublisher();
            TopicPublisher open = plain(dave).openPublisher();
            awaitReceivers(secretive, 1);
            awaitReceivers(open, 1);
            for (int i = 0; i < 10; i++) {
                secretive.send(Message.of("text", "secure"), SOON);
                open.send(Message.of("text", "plain"), SOON);
            }

            for (int i = 0; i < 10; i++) {
                assertThat(secure.receive(SOON).orElseThrow().text("text")).contains("secure");
                assertThat(plain.receive(SOON).orElseThrow().text("text")).contains("plain");
            }
            assertThat(secretive.receivers()).isEqualTo(Set.of(bob.id()));
            assertThat(open.receivers()).isEqualTo(Set.of(carol.id()));
            assertThat(secure.receive(Duration.ZERO)).isEmpty();
            assertThat(plain.receive(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void plainMessages_toSecureEnds_areRefused() throws Exception {
        try (PipePeers peers = new PipePeers()) {
            Peer alice = peers.near("alice");
            Peer bob = peers.near("bob");
            TopicSubscription subscription = secure(bob).subscribe(SubscriptionOptions.blocking());
            TopicPublisher publisher = secure(alice).openPublisher();
            awaitReceivers(publisher, 1);
            TopicNames names = TopicNames.of(alice.netGroup().id(), "prices", PipeSecurity.PLAIN);
            alice.endpoint().addPeerAddress(bob.address());
            bob.endpoint().addPeerAddress(alice.address());

            assertRefused(alice, bob, names.data(), Message.of("text", "forged"));
            assertRefused(alice, bob, names.subscriber(), TopicMessageFormat.write(new TopicMessage.Offer()));
            assertRefused(bob, alice, names.publisher(), TopicMessageFormat.write(new TopicMessage.Unsubscribe(1)));

            publisher.send(Message.of("text", "true"), SOON);
            assertThat(subscription.receive(SOON).orElseThrow().text("text")).contains("true");
        }
    }

    private static void assertRefused(Peer from, Peer to, ServiceAddress service, Message message) {
        Throwable failure = Eventually.failure(from.endpoint().send(to.id(), service, message), "a plain message");
        assertThat(((ParleyException) ParleyException.unwrap(failure)).code()).isEqualTo(ErrorCode.SECURITY_MISMATCH);
    }
}

package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FanOutPublisherTest {

    /** Reports what the publisher states as its receivers while one is added or removed. */
    private static final class WatchedFanOut implements FanOut {

        private final FanOut target = new DirectFanOut();
        private final CompletableFuture<FanOutPublisher> publisher = new CompletableFuture<>();
        final CompletableFuture<Set<PeerId>> whenAdded = new CompletableFuture<>();
        final CompletableFuture<Set<PeerId>> whenRemoved = new CompletableFuture<>();

        @Override
        public void add(TopicReceiver receiver) {
            publisher.thenAccept(present -> whenAdded.complete(present.receivers()));
            target.add(receiver);
        }

        @Override
        public void remove(TopicReceiver receiver) {
            target.remove(receiver);
            publisher.thenAccept(present -> whenRemoved.complete(present.receivers()));
        }

        @Override
        public List<TopicReceiver> blocking() {
            return target.blocking();
        }

        @Override
        public List<TopicReceiver> send(Message message) {
            return target.send(message);
        }
    }

    private final PipePeers peers = new PipePeers();

    @AfterEach
    void close() {
        peers.close();
    }

    @Test
    void receivers_areThoseThatGetTheMessages() {
        Peer publishing = peers.near("publisher");
        Peer subscribing = peers.near("subscriber");
        TopicNames names = TopicNames.of(publishing.netGroup().id(), "positions", PipeSecurity.PLAIN);
        WatchedFanOut fanOut = new WatchedFanOut();
        FanOutPublisher publisher = FanOutPublisher.open(
                publishing.netGroup(), names, PipeOptions.DEFAULTS, 10, Duration.ofSeconds(10), fanOut);
        fanOut.publisher.complete(publisher);
        TopicSubscription subscription =
                Pipes.of(subscribing).topic("positions").subscribe(message -> {});
        assertThat(Eventually.get(fanOut.whenAdded, "receiver")).isEmpty();
        Eventually.until(() -> "a receiver", () -> publisher.receivers().equals(Set.of(subscribing.id())));
        subscription.close();
        assertThat(Eventually.get(fanOut.whenRemoved, "removed receiver")).isEmpty();
        publisher.close();
    }
}

package io.parley.examples.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.parley.Peer;
import io.parley.endpoint.EndpointLimits;
import io.parley.examples.console.Console;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
import io.parley.pipes.SubscriptionOptions;
import io.parley.pipes.Topic;
import io.parley.pipes.TopicPublisher;
import io.parley.transport.memory.InMemoryNetwork;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LinePublisherTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Peer start(String name, EndpointLimits limits) {
        Peer peer = Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .propagationTransport(network.propagationProvider())
                .listen("mem://" + name)
                .limits(limits)
                .start();
        peers.add(peer);
        return peer;
    }

    private static Topic topic(Peer peer) {
        return Pipes.of(peer.netGroup()).topic("news");
    }

    private LinePublisher linePublisher(TopicPublisher publisher, boolean json) {
        return new LinePublisher(
                publisher,
                "alice",
                new Console(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        json,
                        false));
    }

    private void follow(TopicPublisher publisher, Peer bob, SubscriptionOptions options) {
        topic(bob).subscribe(options, message -> received.add(text(message)));
        await().atMost(TIMEOUT).until(() -> publisher.receivers().size() == 1);
    }

    private static String text(PipeMessage message) {
        return AdvertisementPublisher.text(message.message());
    }

    @AfterEach
    void close() {
        Collections.reverse(peers);
        peers.forEach(Peer::close);
    }

    @Test
    void follower_thatIsThere_hasAllLinesAtTheEnd() throws Exception {
        TopicPublisher publisher =
                topic(start("alice", EndpointLimits.DEFAULTS)).openPublisher();
        LinePublisher lines = linePublisher(publisher, false);
        follow(publisher, start("bob", EndpointLimits.DEFAULTS), SubscriptionOptions.blocking());
        lines.send("one");
        lines.send("two");

        assertThat(lines.finish(TIMEOUT, new CompletableFuture<>())).isZero();

        assertThat(received.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isEqualTo("one");
        assertThat(received.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isEqualTo("two");
        assertThat(err.toString(StandardCharsets.UTF_8)).doesNotContain("did not get");
    }

    @Test
    void follower_thatIsLost_isNamedWithTheNumberOfUnsentLines() throws Exception {
        EndpointLimits limits = EndpointLimits.DEFAULTS.toBuilder()
                .keepAliveInterval(Duration.ofMillis(200))
                .reconnectTimeout(Duration.ofSeconds(3))
                .build();
        Peer alice = start("alice", limits);
        Peer bob = start("bob", limits);
        TopicPublisher publisher = topic(alice).openPublisher();
        LinePublisher lines = linePublisher(publisher, true);
        follow(publisher, bob, SubscriptionOptions.blocking());
        lines.send("one");
        assertThat(received.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isEqualTo("one");
        await().atMost(TIMEOUT).until(() -> publisher.whenIdle().isDone());
        network.isolate(bob.id());
        await().atMost(TIMEOUT).until(() -> !alice.endpoint().isConnected(bob.id()));
        lines.send("two");
        lines.send("three");
        await().atMost(TIMEOUT).until(() -> out.toString(StandardCharsets.UTF_8).contains("closed"));

        assertThat(lines.finish(TIMEOUT, new CompletableFuture<>())).isEqualTo(2);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("Peer " + bob.id().shortText() + " did not get 2 lines. Send them again.");
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("{\"event\":\"closed\",\"peer\":\"" + bob.id().text() + "\",\"unsent\":2}");
    }

    @Test
    void lineThatAFollowerReplacesByANewerOne_isNotUnsent() throws Exception {
        TopicPublisher publisher =
                topic(start("alice", EndpointLimits.DEFAULTS)).openPublisher();
        LinePublisher lines = linePublisher(publisher, false);
        follow(publisher, start("bob", EndpointLimits.DEFAULTS), SubscriptionOptions.newestOnly());
        int count = 0;
        while (publisher.droppedMessages() == 0 && count < 1_000_000) {
            lines.send("line " + count++);
        }

        assertThat(publisher.droppedMessages()).isPositive();
        assertThat(lines.finish(TIMEOUT, new CompletableFuture<>())).isZero();
    }

    @Test
    void linesOfAFollowerThatIsLostWhileALineIsSent_areUnsent() throws Exception {
        FakePublisher fake = new FakePublisher();
        fake.onSend = () -> fake.dropped.set(3);
        LinePublisher lines = linePublisher(fake.publisher, true);
        fake.idle.complete(null);

        lines.send("one");
        fake.listener.get().onClosed(fake.follower);

        assertThat(out.toString(StandardCharsets.UTF_8)).contains("\"unsent\":3}");
        assertThat(lines.finish(TIMEOUT, new CompletableFuture<>())).isEqualTo(3);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains(" did not get 3 lines. Send them again.");
    }

    @Test
    void endThatWaitsForAFollower_isANoticeAlsoWithJson() throws Exception {
        LinePublisher lines = linePublisher(new FakePublisher().publisher, true);

        assertThat(lines.finish(Duration.ZERO, new CompletableFuture<>())).isZero();

        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("Waiting for followers that do not have the last lines");
    }

    /** A publisher with one follower. */
    private static final class FakePublisher {

        private final PeerId follower = Identity.generate().peerId();
        private final AtomicLong dropped = new AtomicLong();
        private final CompletableFuture<Void> idle = new CompletableFuture<>();
        private final AtomicReference<TopicPublisher.ReceiverListener> listener = new AtomicReference<>();
        private Runnable onSend = () -> {};
        private final TopicPublisher publisher = (TopicPublisher) Proxy.newProxyInstance(
                TopicPublisher.class.getClassLoader(),
                new Class<?>[] {TopicPublisher.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "addReceiverListener" -> {
                        listener.set((TopicPublisher.ReceiverListener) arguments[0]);
                        yield null;
                    }
                    case "droppedMessages" -> dropped.get();
                    case "replacedMessages" -> 0L;
                    case "send" -> {
                        onSend.run();
                        yield CompletableFuture.completedFuture(null);
                    }
                    case "whenIdle" -> idle;
                    case "close" -> null;
                    default -> throw new IllegalStateException(method.getName());
                });
    }
}

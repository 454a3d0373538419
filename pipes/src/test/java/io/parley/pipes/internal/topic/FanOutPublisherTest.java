package io.parley.pipes.internal.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.PipePeers;
import io.parley.pipes.Pipes;
import io.parley.pipes.TopicPublisher;
import io.parley.pipes.TopicSubscription;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FanOutPublisherTest {

    /** Reports what the publisher states as its receivers while one is added or removed. */
    private static final class WatchedFanOut implements FanOut {

        private final FanOut target = new DirectFanOut();
        private final List<TopicReceiver> added = new CopyOnWriteArrayList<>();
        private final CompletableFuture<FanOutPublisher> publisher = new CompletableFuture<>();
        final CompletableFuture<Set<PeerId>> whenAdded = new CompletableFuture<>();
        final CompletableFuture<Set<PeerId>> whenRemoved = new CompletableFuture<>();

        @Override
        public void add(TopicReceiver receiver) {
            publisher.thenAccept(present -> whenAdded.complete(present.receivers()));
            added.add(receiver);
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

    /** Closes the publisher between its check and the queues of the receivers. */
    private static final class ClosingFanOut implements FanOut {

        private final FanOut target = new DirectFanOut();
        private final List<TopicReceiver> added = new CopyOnWriteArrayList<>();
        private volatile @Nullable FanOutPublisher publisher;

        @Override
        public void add(TopicReceiver receiver) {
            added.add(receiver);
            target.add(receiver);
        }

        @Override
        public void remove(TopicReceiver receiver) {} // so that the receiver is still there

        @Override
        public List<TopicReceiver> blocking() {
            return target.blocking();
        }

        @Override
        public List<TopicReceiver> send(Message message) {
            Objects.requireNonNull(publisher).closeAsync();
            for (TopicReceiver receiver : added) {
                Eventually.until(() -> "a closing messenger", receiver.messenger()::isClosing);
            }
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

    /** No receiver has the message, and it does not count as dropped, so the caller must learn it. */
    @Test
    void send_whileThePublisherCloses_failsIfNoReceiverTakesTheMessage() {
        Peer publishing = peers.near("publisher");
        Peer subscribing = peers.near("subscriber");
        TopicNames names = TopicNames.of(publishing.netGroup().id(), "positions", PipeSecurity.PLAIN);
        ClosingFanOut fanOut = new ClosingFanOut();
        FanOutPublisher publisher = FanOutPublisher.open(
                publishing.netGroup(), names, PipeOptions.DEFAULTS, 10, Duration.ofSeconds(10), fanOut);
        fanOut.publisher = publisher;
        Pipes.of(subscribing).topic("positions").subscribe(message -> {});
        Eventually.until(() -> "no receiver", () -> !publisher.receivers().isEmpty());
        assertThat(Eventually.failure(publisher.send(Message.of("text", "news")), "send"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
        publisher.close();
    }

    @Test
    void fullCallbackExecutor_receiverIsReportedLater() {
        AtomicBoolean full = new AtomicBoolean(true);
        Executor executor = task -> {
            if (full.get()) {
                throw new RejectedExecutionException("full");
            }
            task.run();
        };
        Peer publishing = peers.start(peers.builder("publisher")
                .callbackExecutor(executor)
                .propagationTransport(peers.network.propagationProvider()));
        Peer subscribing = peers.near("subscriber");
        TopicPublisher publisher = Pipes.of(publishing).topic("positions").openPublisher();
        CompletableFuture<PeerId> opened = new CompletableFuture<>();
        publisher.addReceiverListener(new TopicPublisher.ReceiverListener() {
            @Override
            public void onOpened(PeerId receiver) {
                opened.complete(receiver);
            }
        });
        Pipes.of(subscribing).topic("positions").subscribe(message -> {});
        Eventually.until(() -> "no receiver", () -> !publisher.receivers().isEmpty());
        full.set(false);
        assertThat(Eventually.get(opened, "a report")).isEqualTo(subscribing.id());
    }

    /** The change of the receivers goes on, although no listener learns of it. */
    @Test
    void callbackExecutorThatFails_messengerOfTheFormerReceiverIsClosed() {
        AtomicBoolean failing = new AtomicBoolean();
        Executor executor = task -> {
            if (failing.get()) {
                throw new InternalError("on purpose");
            }
            task.run();
        };
        Peer publishing = peers.start(peers.builder("publisher")
                .callbackExecutor(executor)
                .propagationTransport(peers.network.propagationProvider()));
        Peer subscribing = peers.near("subscriber");
        TopicNames names = TopicNames.of(publishing.netGroup().id(), "positions", PipeSecurity.PLAIN);
        WatchedFanOut fanOut = new WatchedFanOut();
        FanOutPublisher publisher = FanOutPublisher.open(
                publishing.netGroup(), names, PipeOptions.DEFAULTS, 10, Duration.ofSeconds(10), fanOut);
        BlockingQueue<PeerId> opened = new LinkedBlockingQueue<>();
        publisher.addReceiverListener(new TopicPublisher.ReceiverListener() {
            @Override
            public void onOpened(PeerId receiver) {
                opened.add(receiver);
            }
        });
        TopicSubscription subscription =
                Pipes.of(subscribing).topic("positions").subscribe(message -> {});
        Eventually.until(() -> "a receiver", () -> opened.contains(subscribing.id()));
        failing.set(true);
        subscription.close();
        Eventually.get(fanOut.added.get(0).messenger().whenClosed(), "close of the messenger");
        // A messenger whose receiver has gone is closed before the receiver is removed.
        Eventually.until(
                () -> "receivers: " + publisher.receivers(),
                () -> publisher.receivers().isEmpty());
        publisher.close();
    }
}

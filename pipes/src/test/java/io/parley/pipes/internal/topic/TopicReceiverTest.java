package io.parley.pipes.internal.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.QueueLimits;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.SharedMessage;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.pipes.SubscriptionOptions;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The queue of one receiver of a topic. */
class TopicReceiverTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final SharedMessage MESSAGE = SharedMessage.of(Message.of("text", "news"));

    private final ManualScheduler time = new ManualScheduler();
    private final AtomicInteger evictions = new AtomicInteger();

    /** A messenger whose queue has room for so many messages. */
    private final AtomicInteger room = new AtomicInteger();

    private final AtomicLong dropped = new AtomicLong();
    private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();
    private final Messenger queue = (Messenger) Proxy.newProxyInstance(
            Messenger.class.getClassLoader(),
            new Class<?>[] {Messenger.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "isWritable" -> room.get() > 0;
                case "isClosing" -> false;
                case "offer" -> room.getAndDecrement() > 0;
                case "droppedMessages" -> dropped.get();
                case "whenWritable" -> {
                    CompletableFuture<Void> half = new CompletableFuture<>();
                    waiting.add(half);
                    yield half;
                }
                default -> throw new IllegalStateException(method.getName());
            });
    private final TopicReceiver receiver = receiver(SubscriptionOptions.Overflow.BLOCK);

    private TopicReceiver receiver(SubscriptionOptions.Overflow overflow) {
        return new TopicReceiver(Identity.generate().peerId(), 1, overflow, "127.0.0.1", queue, 0, reported -> {});
    }

    private void block() {
        receiver.onBlocking(time, TIMEOUT, evictions::incrementAndGet);
    }

    @Test
    void messagesThatANewerOneHasReplaced_areThoseDroppedBeforeItWasQueued() {
        TopicReceiver newest = receiver(SubscriptionOptions.Overflow.DROP_OLDEST);
        room.set(2);
        dropped.set(3);
        newest.offer(MESSAGE);
        receiver.offer(MESSAGE);
        dropped.set(10); // because the receiver is lost

        assertThat(newest.replacedMessages()).isEqualTo(3);
        assertThat(receiver.replacedMessages()).isZero();
    }

    @Test
    void queueWithoutRoom_timesOut() {
        block();
        time.advance(TIMEOUT);
        assertThat(evictions).hasValue(1);
    }

    @Test
    void queueThatTakesMessagesOneByOne_doesNotTimeOut() {
        block();
        for (int i = 0; i < 12; i++) {
            time.advance(TIMEOUT.minusSeconds(1));
            room.set(1);
            receiver.offer(MESSAGE);
            block();
        }
        assertThat(evictions).hasValue(0);
        time.advance(TIMEOUT.multipliedBy(2));
        assertThat(evictions).hasValue(1);
    }

    @Test
    void queueWithRoom_thatNobodyUses_doesNotTimeOut() {
        block();
        room.set(1);
        time.advance(TIMEOUT.multipliedBy(3));
        assertThat(evictions).hasValue(0);
    }

    @Test
    void queueThatIsFullAgainBeforeTheWaitEnds_timesOut() {
        block();
        waiting.remove().complete(null); // although there is no room
        time.advance(TIMEOUT);
        assertThat(evictions).hasValue(1);
    }

    @Test
    void queueWithRoom_endsTheWait() {
        block();
        room.set(5);
        waiting.remove().complete(null);
        assertThat(time.pending()).isZero();
        assertThat(waiting).isEmpty();
    }

    @Test
    void offerWithoutRoom_fails() throws Exception {
        PeerId silent = Identity.generate().peerId();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); // which says nothing
                Peer peer = Peer.loopback().start()) {
            peer.endpoint()
                    .addPeerAddress(new PeerAddress(
                            silent, List.of(EndpointAddress.parse("tcp://127.0.0.1:" + server.getLocalPort()))));
            Messenger messenger = peer.endpoint()
                    .messenger(
                            silent,
                            ServiceAddress.of("topic"),
                            MessengerOptions.DEFAULTS.withQueueLimits(QueueLimits.of(1, 1000)));
            TopicReceiver receiver = new TopicReceiver(
                    silent, 1, SubscriptionOptions.Overflow.BLOCK, "127.0.0.1", messenger, 0, dropped -> {});
            SharedMessage message = SharedMessage.of(Message.of("text", "news"));
            assertThat(receiver.isWritable()).isTrue();
            receiver.offer(message);
            assertThat(receiver.isWritable()).isFalse();
            assertThatThrownBy(() -> receiver.offer(message))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no room");
            messenger.abort();
        }
    }
}

package io.parley.pipes.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.common.AsyncCloseable;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.message.Message;
import io.parley.pipes.FlowLimits;
import io.parley.pipes.ManualTimeGroup;
import io.parley.pipes.PipePeers;
import io.parley.pipes.Pipes;
import io.parley.pipes.SubscriptionOptions;
import io.parley.pipes.TopicPublisher;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The order of the messages that wait for one rate, in manual time: large ones are not overtaken by small ones, which fit sooner. */
@Timeout(120)
class SendRateTest {

    /** Of which 2000 bytes may be sent at once. */
    private static final FlowLimits RATE =
            FlowLimits.builder().bytesPerSecond(1000).build();

    private static final int BURST = 2000;
    private static final int LARGE = 1500;
    private static final int SMALL = 100;
    private static final Duration UNTIL_LARGE = Duration.ofMillis(1500);
    private static final Duration UNTIL_SMALL = Duration.ofMillis(100);
    private static final Duration INSTANT = Duration.ofMillis(1);
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final PipePeers peers = new PipePeers();
    private final ManualScheduler time = new ManualScheduler();
    private Peer receiver;
    private PeerGroup group;

    @BeforeEach
    void start() {
        receiver = peers.near("receiver");
        Peer sender = peers.near("sender");
        sender.endpoint().addPeerAddress(receiver.address());
        group = ManualTimeGroup.of(sender.netGroup(), time);
    }

    @AfterEach
    void close() {
        peers.close();
    }

    private AsyncCloseable listen(String service) {
        return receiver.endpoint().listen(ServiceAddress.of(service), message -> message.release());
    }

    private Messenger messenger(String service, PipeFlow flow) {
        MessengerOptions options = flow.applyTo(MessengerOptions.DEFAULTS, group.endpoint(), time);
        return group.endpoint().messenger(receiver.id(), ServiceAddress.of(service), options);
    }

    private static Message bytes(int count) {
        return Message.of("bytes", new byte[count]);
    }

    /** Uses up what may be sent at once, and sends a large message, which waits for the rate. */
    private CompletableFuture<Void> sendLargeThatWaits(Messenger messenger) {
        Eventually.get(messenger.send(bytes(BURST)), "the burst");
        CompletableFuture<Void> large = messenger.send(bytes(LARGE));
        awaitWaits(1);
        return large;
    }

    /** Opens a publisher with a receiver, and uses up what may be sent at once. */
    private TopicPublisher publisherAfterBurst() {
        Pipes.of(receiver).topic("prices").subscribe(SubscriptionOptions.dropOldest(100));
        TopicPublisher publisher =
                Pipes.of(group).withFlowLimits(RATE).topic("prices").openPublisher();
        Eventually.until(() -> "a receiver", () -> !publisher.receivers().isEmpty());
        Eventually.get(publisher.send(bytes(BURST)), "the burst");
        return publisher;
    }

    private void awaitWaits(long count) {
        Eventually.until(() -> "waits for the rate: " + waits() + " (expected: " + count + ")", () -> waits() == count);
    }

    private long waits() {
        return group.endpoint().metrics().get(Counter.RATE_WAITS);
    }

    @Test
    void reserve_keepsTheOrder_ofMessagesOfAnySize() {
        SendRate rate = Objects.requireNonNull(SendRate.of(RATE, time));
        assertThat(rate.reserve(BURST)).isZero();
        assertThat(rate.reserve(LARGE)).isEqualTo(UNTIL_LARGE.toNanos());
        assertThat(rate.tryAcquire(SMALL))
                .isEqualTo(UNTIL_LARGE.plus(UNTIL_SMALL).toNanos());
        time.advance(UNTIL_LARGE);
        assertThat(rate.tryAcquire(SMALL)).isEqualTo(UNTIL_SMALL.toNanos());
        time.advance(UNTIL_SMALL);
        assertThat(rate.tryAcquire(SMALL)).isZero();
    }

    @Test
    void putBack_ofAMessageThatIsNotSent_letsTheNextOnePass() {
        SendRate rate = Objects.requireNonNull(SendRate.of(RATE, time));
        rate.reserve(BURST);
        rate.reserve(LARGE);
        rate.putBack(LARGE);
        assertThat(rate.reserve(SMALL)).isEqualTo(UNTIL_SMALL.toNanos());
    }

    @Test
    void sharedRate_largeMessageThatWaits_isSentBeforeSmallOnesOfOtherMessengers() {
        listen("first");
        listen("second");
        PipeFlow flow = PipeFlow.of(RATE).sharingRate(time);
        Messenger first = messenger("first", flow);
        Messenger second = messenger("second", flow);
        CompletableFuture<Void> large = sendLargeThatWaits(first);
        CompletableFuture<Void> small = second.send(bytes(SMALL));
        awaitWaits(2);
        time.advance(UNTIL_LARGE.minus(INSTANT));
        assertThat(large).isNotDone();
        time.advance(INSTANT);
        Eventually.get(large, "the large message");
        assertThat(small).isNotDone();
        time.advance(UNTIL_SMALL);
        Eventually.get(small, "the small message");
        assertThat(waits()).isEqualTo(2);
    }

    @Test
    void sharedRate_largeMessageThatIsCancelled_givesItsPlaceUp_alsoToTheNextOneOfItsMessenger() {
        listen("first");
        listen("second");
        PipeFlow flow = PipeFlow.of(RATE).sharingRate(time);
        Messenger first = messenger("first", flow);
        Messenger second = messenger("second", flow);
        CompletableFuture<Void> large = sendLargeThatWaits(first);
        CompletableFuture<Void> next = first.send(bytes(SMALL));
        large.cancel(true);
        awaitWaits(2);
        CompletableFuture<Void> other = second.send(bytes(SMALL));
        awaitWaits(3);
        time.advance(UNTIL_SMALL);
        Eventually.get(next, "the next message");
        assertThat(other).isNotDone();
        time.advance(UNTIL_SMALL);
        Eventually.get(other, "the message of another messenger");
    }

    @Test
    void sharedRate_messengerThatFails_givesItsPlaceUp() {
        AsyncCloseable service = listen("first");
        listen("second");
        PipeFlow flow = PipeFlow.of(RATE).sharingRate(time);
        Messenger first = messenger("first", flow);
        Messenger second = messenger("second", flow);
        CompletableFuture<Void> large = sendLargeThatWaits(first);
        service.close();
        Eventually.failure(large, "a message to a service that closes");
        assertThat(time.pending()).isZero();
        CompletableFuture<Void> small = second.send(bytes(SMALL));
        awaitWaits(2);
        time.advance(UNTIL_SMALL);
        Eventually.get(small, "the small message");
    }

    @Test
    void publisher_largeMessageThatWaits_isNotOvertakenBySmallOnes() {
        TopicPublisher publisher = publisherAfterBurst();
        CompletableFuture<Void> large = CompletableFuture.runAsync(() -> sendWaiting(publisher, LARGE, TIMEOUT));
        awaitWaits(1);
        time.advance(UNTIL_LARGE.minus(INSTANT));
        assertThat(code(publisher.send(bytes(SMALL)))).isEqualTo(ErrorCode.QUEUE_FULL);
        time.advance(INSTANT);
        Eventually.get(large, "the large message");
        time.advance(UNTIL_SMALL);
        Eventually.get(publisher.send(bytes(SMALL)), "the small message");
    }

    @Test
    void publisher_messageThatIsNotSentInTime_givesItsPlaceUp() {
        TopicPublisher publisher = publisherAfterBurst();
        assertThat(code(CompletableFuture.runAsync(() -> sendWaiting(publisher, LARGE, INSTANT))))
                .isEqualTo(ErrorCode.TIMEOUT);
        time.advance(UNTIL_SMALL);
        Eventually.get(publisher.send(bytes(SMALL)), "the small message");
    }

    private static void sendWaiting(TopicPublisher publisher, int size, Duration timeout) {
        try {
            publisher.send(bytes(size), timeout);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static ErrorCode code(CompletableFuture<?> failed) {
        return ((ParleyException) ParleyException.unwrap(Eventually.failure(failed, "the call"))).code();
    }
}

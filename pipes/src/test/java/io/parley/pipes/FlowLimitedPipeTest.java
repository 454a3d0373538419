package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.internal.RequestCounters;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pipes with a window, a queue and a rate of their own. Rates are in manual time, which stands still unless a test advances it. */
@Timeout(120)
class FlowLimitedPipeTest {

    private static final Duration SOON = Eventually.DEADLINE;

    /** Long enough for what needs no manual time to pass, and not waited for otherwise. */
    private static final Duration SHORT = Duration.ofMillis(50);

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** Two a second, of which four may be sent at once. */
    private static final FlowLimits TWO_PER_SECOND =
            FlowLimits.builder().messagesPerSecond(2).build();

    private static final int BURST = 4;
    private static final Duration ONE_MORE = Duration.ofMillis(500);

    private final PipePeers peers = new PipePeers(Duration.ofMillis(100));
    private final ManualScheduler time = new ManualScheduler();
    private final BlockingQueue<PipeMessage> received = new LinkedBlockingQueue<>();
    private Peer holder;
    private Peer sender;
    private PeerGroup group;

    @BeforeEach
    void start() {
        holder = peers.near("holder");
        sender = peers.near("sender");
        group = ManualTimeGroup.of(sender.netGroup(), time);
    }

    @AfterEach
    void close() {
        peers.close();
    }

    private Pipes limited(FlowLimits limits) {
        return Pipes.of(group).withFlowLimits(limits);
    }

    private OutputPipe connect(FlowLimits limits) throws InterruptedException {
        InputPipe in = Pipes.of(holder).listen(PipeId.random(GroupId.NET), received::add);
        return limited(limits).connect(in.ticket(), SOON);
    }

    private static Message text(String text) {
        return Message.of("text", text);
    }

    private static Message bytes(int count) {
        return Message.of("bytes", new byte[count]);
    }

    private long waits() {
        return group.endpoint().metrics().get(Counter.RATE_WAITS);
    }

    private void awaitReceived(int count) {
        Eventually.until(() -> received.size() + " messages instead of " + count, () -> received.size() == count);
    }

    /** Waits until a sender waits for its rate, so that nothing happens until time passes. */
    private void awaitWait(long count) {
        Eventually.until(() -> waits() + " waits instead of " + count, () -> waits() == count);
    }

    private void until(String what, BooleanSupplier condition) {
        Eventually.until(() -> what, () -> {
            time.advance(Duration.ofMillis(10));
            return condition.getAsBoolean();
        });
    }

    private static ParleyException failure(CompletableFuture<?> future) {
        return (ParleyException) ParleyException.unwrap(Eventually.failure(future, "the call"));
    }

    @Test
    void outputPipe_sendsABurst_thenAtItsRate() throws InterruptedException {
        OutputPipe out = connect(TWO_PER_SECOND);
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < BURST + 2; i++) {
            sent.add(out.send(text("message " + i)));
        }
        awaitReceived(BURST);
        awaitWait(1);
        assertThat(sent.get(BURST)).isNotDone();
        time.advance(ONE_MORE);
        awaitReceived(BURST + 1);
        awaitWait(2);
        assertThat(received).hasSize(BURST + 1);
        time.advance(ONE_MORE);
        awaitReceived(BURST + 2);
        sent.forEach(one -> Eventually.get(one, "sent message"));
        assertThat(received)
                .extracting(message -> message.message().text("text").orElseThrow())
                .isSorted();
    }

    @Test
    void outputPipe_withinItsRate_doesNotWait() throws InterruptedException {
        OutputPipe out = connect(TWO_PER_SECOND);
        for (int i = 0; i < 10; i++) {
            out.send(text("message " + i), SOON);
            time.advance(ONE_MORE);
        }
        assertThat(waits()).isZero();
    }

    @Test
    void outputPipe_blockingSend_failsByItsTimeout_andTheMessageIsNeverSent() throws InterruptedException {
        OutputPipe out = connect(TWO_PER_SECOND);
        for (int i = 0; i < BURST; i++) {
            out.send(text("burst"), SOON);
        }
        assertThatThrownBy(() -> out.send(text("late"), SHORT))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
        CompletableFuture<Void> next = out.send(text("next"));
        until("the next message is not sent", next::isDone);
        Eventually.get(next, "the next message");
        awaitReceived(BURST + 1);
        assertThat(received)
                .noneMatch(
                        message -> message.message().text("text").orElseThrow().equals("late"));
    }

    @Test
    void outputPipe_fullQueue_refusesMessages_untilTheRateHasMadeRoom() throws InterruptedException {
        OutputPipe out = connect(TWO_PER_SECOND.toBuilder().queueMessages(2).build());
        for (int i = 0; i < BURST; i++) {
            out.send(text("burst"), SOON);
        }
        out.send(text("waits"));
        out.send(text("waits"));
        assertThat(out.isWritable()).isFalse();
        ParleyException full = failure(out.send(text("too much")));
        assertThat(full.code()).isEqualTo(ErrorCode.QUEUE_FULL);
        assertThat(full).hasMessageContaining("maxMessages: 2");
        CompletableFuture<Void> writable = out.whenWritable();
        assertThat(writable).isNotDone();
        awaitWait(1);
        time.advance(ONE_MORE);
        Eventually.get(writable, "room");
        awaitReceived(BURST + 1);
        assertThat(out.droppedMessages()).isZero();
    }

    @Test
    void outputPipe_queueBytes_boundTheQueue() throws InterruptedException {
        OutputPipe out = connect(
                FlowLimits.builder().messagesPerSecond(1).queueBytes(10_000).build());
        out.send(text("burst"), SOON);
        out.send(text("burst"), SOON);
        out.send(bytes(9_000));
        assertThat(out.isWritable()).isTrue();
        out.send(bytes(9_000));
        assertThat(failure(out.send(bytes(1)))).hasMessageContaining("queueBytes: 10000");
    }

    @Test
    void outputPipe_bytesPerSecond_aLargeMessageIsSent_andTheNextOneWaitsForItsBytes() throws InterruptedException {
        OutputPipe out = connect(FlowLimits.builder().bytesPerSecond(1000).build());
        out.send(bytes(5000), SOON); // of which a burst has 2000
        CompletableFuture<Void> next = out.send(bytes(100));
        awaitWait(1);
        time.advance(Duration.ofMillis(3099));
        assertThat(next).isNotDone();
        assertThat(waits()).isEqualTo(1);
        time.advance(Duration.ofMillis(2));
        Eventually.get(next, "the next message");
    }

    @Test
    void bestEffortPipe_withARate_countsWhatItsFullQueueDrops() throws InterruptedException {
        InputPipe in = Pipes.of(holder).listen(PipeId.random(GroupId.NET), received::add);
        OutputPipe out = limited(TWO_PER_SECOND.toBuilder().queueMessages(1).build())
                .withDropOldest()
                .connect(in.ticket(), SOON);
        for (int i = 0; i < BURST; i++) {
            out.send(text("burst"), SOON);
        }
        CompletableFuture<Void> dropped = out.send(text("dropped"));
        CompletableFuture<Void> newest = out.send(text("newest"));
        assertThat(failure(dropped).code()).isEqualTo(ErrorCode.QUEUE_FULL);
        assertThat(out.droppedMessages()).isEqualTo(1);
        until("the newest message is not sent", newest::isDone);
        awaitReceived(BURST + 1);
    }

    @Test
    void closedPipe_whoseMessagesWait_doesNotWaitForItsRate() throws InterruptedException {
        OutputPipe out = connect(TWO_PER_SECOND);
        for (int i = 0; i < BURST; i++) {
            out.send(text("burst"), SOON);
        }
        CompletableFuture<Void> waiting = out.send(text("waits"));
        awaitWait(1);
        out.close();
        assertThat(failure(waiting).code()).isEqualTo(ErrorCode.CLOSED);
        assertThat(time.pending()).isZero();
    }

    @Test
    void messagesThatAreSentAgain_areNotCountedAgain() throws InterruptedException {
        Peer mobile = peers.start(peers.impatient("mobile").multicast(false));
        group = ManualTimeGroup.of(mobile.netGroup(), time);
        OutputPipe out = connect(TWO_PER_SECOND);
        peers.network.isolate(mobile.id());
        CompletableFuture<Void> first = out.send(text("message 0"));
        CompletableFuture<Void> second = out.send(text("message 1"));
        Eventually.until(
                () -> "the connection is not lost",
                () -> mobile.endpoint().connectedPeers().isEmpty());
        assertThat(first).isNotDone();
        peers.network.restore(mobile.id());
        Eventually.get(first, "message that was sent again");
        Eventually.get(second, "message that was sent again");
        assertThat(group.endpoint().metrics().get(Counter.MESSAGES_RESENT)).isPositive();
        out.send(text("message 2"), SOON);
        out.send(text("message 3"), SOON);
        assertThat(waits()).isZero();
        awaitReceived(BURST);
    }

    @Test
    void inputPipe_window_boundsWhatASenderHasOutstanding() throws InterruptedException {
        FlowLimits small = FlowLimits.builder().windowBytes(16 * 1024).build();
        InputPipe limitedIn = Pipes.of(holder).withFlowLimits(small).open(PipeId.random(GroupId.NET));
        InputPipe in = Pipes.of(holder).open(PipeId.random(GroupId.NET));
        OutputPipe limitedOut = Pipes.of(sender).connect(limitedIn.ticket(), SOON);
        OutputPipe out = Pipes.of(sender).connect(in.ticket(), SOON);
        AtomicInteger arrived = new AtomicInteger();
        List<CompletableFuture<Void>> others = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            limitedOut.send(bytes(1024)).thenRun(arrived::incrementAndGet);
            others.add(out.send(bytes(1024)));
        }
        others.forEach(other -> Eventually.get(other, "message in a large window")); // which no listener reads
        assertThat(arrived.get()).isPositive().isLessThanOrEqualTo(16);
        for (int i = 0; i < 200; i++) {
            assertThat(limitedIn.receive(SOON)).isPresent();
        }
    }

    @Test
    void bidirectionalPipe_bothEnds_haveTheirRate() throws InterruptedException {
        BlockingQueue<BidirectionalPipe> accepted = new LinkedBlockingQueue<>();
        PeerGroup holderGroup = ManualTimeGroup.of(holder.netGroup(), time);
        PipeAcceptor acceptor = Pipes.of(holderGroup)
                .withFlowLimits(TWO_PER_SECOND)
                .bidirectional()
                .accept(PipeId.random(GroupId.NET), request -> accepted.add(request.accept()));
        BidirectionalPipe near = limited(TWO_PER_SECOND).bidirectional().connect(acceptor.ticket(), SOON);
        BidirectionalPipe far = accepted.take();
        for (BidirectionalPipe pipe : List.of(near, far)) {
            BidirectionalPipe other = pipe == near ? far : near;
            for (int i = 0; i <= BURST; i++) {
                pipe.send(text("message"));
            }
            for (int i = 0; i < BURST; i++) {
                assertThat(other.receive(SOON)).isPresent();
            }
            Peer of = pipe == near ? sender : holder;
            Eventually.until(
                    () -> "no wait", () -> of.netGroup().endpoint().metrics().get(Counter.RATE_WAITS) == 1);
            assertThat(other.receiveAsync()).satisfies(next -> {
                assertThat(next).isNotDone();
                time.advance(ONE_MORE);
                Eventually.get(next, "the message that has waited");
            });
        }
    }

    @Test
    void requestsByName_shareTheRate_andTimeOutInTheQueue() {
        AtomicInteger executed = new AtomicInteger();
        Pipes.of(holder).serve("calc", request -> {
            executed.incrementAndGet();
            return request.message();
        });
        Pipes pipes = limited(TWO_PER_SECOND);
        CompletableFuture<PipeMessage> first = pipes.requestAsync("calc", text("1"), TIMEOUT);
        until("no response", first::isDone);
        executed.set(0);
        time.advance(Duration.ofSeconds(2));
        List<CompletableFuture<PipeMessage>> responses = new ArrayList<>();
        for (int i = 0; i < BURST; i++) {
            responses.add(pipes.requestAsync("calc", text("1"), TIMEOUT));
        }
        responses.forEach(response -> Eventually.get(response, "response"));
        CompletableFuture<PipeMessage> late = pipes.requestAsync("calc", text("1"), Duration.ofMillis(100));
        CompletableFuture<PipeMessage> next = pipes.requestAsync("calc", text("1"), TIMEOUT);
        awaitWait(1);
        time.advance(Duration.ofMillis(200));
        ParleyException failure = failure(late);
        assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
        assertThat(failure).hasMessageContaining("it was not delivered, and will not be executed");
        awaitWait(2); // of the next request, which was behind that one
        assertThat(next).isNotDone();
        assertThat(executed).hasValue(BURST);
        time.advance(ONE_MORE);
        Eventually.get(next, "response");
        assertThat(executed).hasValue(BURST + 1);
    }

    @Test
    void topicPublisher_withARate_waits_andDropsNothing() throws InterruptedException {
        TopicSubscription subscription =
                Pipes.of(holder).topic("prices").subscribe(SubscriptionOptions.dropOldest(100));
        TopicPublisher publisher = limited(TWO_PER_SECOND).topic("prices").openPublisher();
        Eventually.until(() -> "a receiver", () -> !publisher.receivers().isEmpty());
        for (int i = 0; i < BURST; i++) {
            Eventually.get(publisher.send(text("burst")), "send");
        }
        assertThat(publisher.isWritable()).isFalse();
        ParleyException full = failure(publisher.send(text("too fast")));
        assertThat(full.code()).isEqualTo(ErrorCode.QUEUE_FULL);
        assertThat(full).hasMessageContaining("the rate is used up");
        assertThatThrownBy(() -> publisher.send(text("too fast"), SHORT))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
        assertThat(waits()).isEqualTo(1);
        CompletableFuture<Void> writable = publisher.whenWritable();
        assertThat(writable).isNotDone();
        time.advance(ONE_MORE);
        Eventually.get(writable, "room");
        Eventually.get(publisher.send(text("next")), "send");
        for (int i = 0; i < BURST; i++) {
            assertThat(subscription.receive(SOON).orElseThrow().message().text("text"))
                    .contains("burst");
        }
        assertThat(subscription.receive(SOON).orElseThrow().message().text("text"))
                .contains("next");
        assertThat(publisher.droppedMessages()).isZero();
    }

    @Test
    void topicPublisher_withARateOfBytes_isWritableWhenTheRefusedMessageFits() {
        Pipes.of(holder).topic("prices").subscribe(SubscriptionOptions.dropOldest(100));
        TopicPublisher publisher = limited(
                        FlowLimits.builder().bytesPerSecond(1000).build())
                .topic("prices")
                .openPublisher();
        Eventually.until(() -> "a receiver", () -> !publisher.receivers().isEmpty());
        Eventually.get(publisher.send(bytes(1500)), "send"); // of the burst of two seconds
        assertThat(failure(publisher.send(bytes(1000))).code()).isEqualTo(ErrorCode.QUEUE_FULL);
        assertThat(publisher.isWritable()).isFalse();
        CompletableFuture<Void> writable = publisher.whenWritable();
        assertThat(writable).isNotDone();
        time.advance(ONE_MORE);
        Eventually.get(writable, "room");
        Eventually.get(publisher.send(bytes(1000)), "send");
    }

    @Test
    void topicPublisher_messageForWhichAReceiverHasNoRoom_doesNotUseTheRate() {
        Pipes.of(holder)
                .withFlowLimits(FlowLimits.builder().windowBytes(8 * 1024).build())
                .topic("prices")
                .subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = limited(
                        TWO_PER_SECOND.toBuilder().queueMessages(1).build())
                .topic("prices")
                .openPublisher();
        Eventually.until(() -> "a receiver", () -> !publisher.receivers().isEmpty());
        Eventually.get(publisher.send(bytes(16 * 1024)), "send");
        Eventually.until(() -> "the first message has not left the queue", publisher::isWritable);
        Eventually.get(publisher.send(bytes(16 * 1024)), "send");
        for (int i = 0; i < 2 * BURST; i++) {
            assertThat(failure(publisher.send(bytes(1)))).hasMessageContaining("1 receivers that block have no room");
        }
    }

    @Test
    void topicPublisher_closesWhileASenderWaitsForTheRate() throws Exception {
        TopicPublisher publisher = limited(TWO_PER_SECOND).topic("prices").openPublisher();
        for (int i = 0; i < BURST; i++) {
            Eventually.get(publisher.send(text("burst")), "send");
        }
        CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
            try {
                publisher.send(text("waits"), TIMEOUT);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        awaitWait(1);
        publisher.close();
        assertThat(failure(waiting).code()).isEqualTo(ErrorCode.CLOSED);
    }

    @Test
    void topicPublisher_queueOfTheSubscriber_isBoundedByTheLimitsOfThePublisher() throws InterruptedException {
        TopicSubscription slow = Pipes.of(holder)
                .withFlowLimits(FlowLimits.builder().windowBytes(8 * 1024).build())
                .topic("prices")
                .subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = Pipes.of(sender)
                .withFlowLimits(FlowLimits.builder().queueMessages(3).build())
                .topic("prices")
                .openPublisher();
        Eventually.until(() -> "a receiver", () -> !publisher.receivers().isEmpty());
        int sent = 0;
        while (publisher.isWritable()) {
            publisher.send(bytes(16 * 1024));
            sent++;
        }
        assertThat(sent).isBetween(3, 4); // the first one may have left the queue, and uses the window up
        assertThat(slow.receive(SOON)).isPresent();
    }

    @Test
    void taskSender_hasTheRateForAllItsWorkers() {
        AtomicInteger executed = new AtomicInteger();
        Pipes.of(holder).workQueue("render").work(task -> executed.incrementAndGet());
        try (TaskSender tasks = limited(TWO_PER_SECOND).workQueue("render").openSender()) {
            CompletableFuture<Void> first = tasks.send(text("first"));
            until("no worker", first::isDone);
            executed.set(0);
            time.advance(Duration.ofSeconds(2));
            List<CompletableFuture<Void>> done = new ArrayList<>();
            for (int i = 0; i <= BURST; i++) {
                done.add(tasks.send(text("task " + i)));
            }
            for (int i = 0; i < BURST; i++) {
                CompletableFuture<Void> one = done.get(i);
                Eventually.get(one, "task of the burst");
            }
            Eventually.until(() -> "no wait", () -> waits() > 0);
            assertThat(done.get(BURST)).isNotDone();
            assertThat(executed).hasValue(BURST);
            assertThat(PipePeers.count(sender, RequestCounters.Counter.TASKS_STARTED))
                    .isEqualTo(BURST + 2);
            time.advance(ONE_MORE);
            Eventually.get(done.get(BURST), "task that has waited");
        }
    }
}

package io.parley.pipes.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.common.internal.SerialExecutor;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.pipes.SenderListener;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReceiveQueueTest {

    private static final PeerId SENDER = Identity.generate().peerId();

    private final ManualScheduler time = new ManualScheduler();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final List<String> events = new ArrayList<>();
    private final List<String> released = Collections.synchronizedList(new ArrayList<>());
    private final List<ReceivedMessage> discarded = new ArrayList<>();
    private final List<Runnable> duringConversion = new ArrayList<>();
    private final ReceiveQueue<String> queue = new ReceiveQueue<>(
            "queue", tasks::add, time, this::convert, this::discard, new SerialExecutor(Runnable::run));

    private void discard(ReceivedMessage message) {
        discarded.add(message);
        message.release();
    }

    private String convert(ReceivedMessage message) {
        List<Runnable> actions = List.copyOf(duringConversion);
        duringConversion.clear();
        actions.forEach(Runnable::run);
        return message.message().text("text").orElseThrow();
    }

    private final class TestMessage implements ReceivedMessage {

        private final String text;

        TestMessage(String text) {
            this.text = text;
        }

        @Override
        public PeerId from() {
            return SENDER;
        }

        @Override
        public Message message() {
            return Message.of("text", text);
        }

        @Override
        public void release() {
            released.add(text);
        }
    }

    private void add(String text) {
        queue.add(new TestMessage(text));
    }

    private void addEvent(String name) {
        queue.addEvent(new SenderEvent(SENDER, () -> events.add(name), () -> released.add(name)));
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private static ErrorCode code(CompletableFuture<?> failed) {
        return ((ParleyException) ParleyException.unwrap(Eventually.failure(failed, "a failure"))).code();
    }

    @Test
    void callCancelledAtTheSameTime_messageGoesToTheNextCall() throws Exception {
        CompletableFuture<String> cancelled = queue.takeAsync();
        add("1");
        add("2");
        duringConversion.add(() -> cancelled.cancel(false));
        runTasks();
        assertThat(released).isEmpty();
        assertThat(queue.takeAsync()).isCompletedWithValue("1");
        assertThat(queue.take(Duration.ZERO)).isEqualTo("2");
        assertThat(released).containsExactly("1", "2");
    }

    @Test
    void callCancelledAtTheSameTime_theCallAfterIt_doesNotOvertakeItsMessage() throws Exception {
        CompletableFuture<String> cancelled = queue.takeAsync();
        List<CompletableFuture<String>> next = new ArrayList<>();
        duringConversion.add(() -> {
            add("2");
            assertThat(cancelled.cancel(false)).isTrue();
            next.add(queue.takeAsync());
        });
        add("1");
        runTasks();
        assertThat(next.get(0)).isCompletedWithValue("1");
        assertThat(queue.take(Duration.ZERO)).isEqualTo("2");
        assertThat(released).containsExactly("1", "2");
    }

    @Test
    void callCancelledAtTheSameTime_theThreadThatReceivesAfterIt_doesNotOvertakeItsMessage() throws Exception {
        CompletableFuture<String> cancelled = queue.takeAsync();
        FutureTask<@Nullable String> received = new FutureTask<>(() -> queue.take(Duration.ZERO));
        Thread receiver = new Thread(received, "receiver");
        duringConversion.add(() -> {
            add("2");
            assertThat(cancelled.cancel(false)).isTrue();
            receiver.start();
            Eventually.until(
                    () -> "the receiver is " + receiver.getState(),
                    () -> receiver.getState() == Thread.State.WAITING || !receiver.isAlive());
        });
        add("1");
        runTasks();
        assertThat(Eventually.get(received, "a message")).isEqualTo("1");
        assertThat(queue.take(Duration.ZERO)).isEqualTo("2");
    }

    @Test
    void callCancelledAtTheSameTime_eventAfterItsMessage_runsAfterIt() throws Exception {
        CompletableFuture<String> cancelled = queue.takeAsync();
        duringConversion.add(() -> {
            assertThat(cancelled.cancel(false)).isTrue();
            addEvent("lost");
        });
        add("1");
        runTasks();
        assertThat(events).isEmpty();
        assertThat(queue.take(Duration.ZERO)).isEqualTo("1");
        assertThat(events).containsExactly("lost");
    }

    @Test
    void callGetsAMessageAtTheSameTime_eventAfterIt_runs() {
        CompletableFuture<String> call = queue.takeAsync();
        duringConversion.add(() -> addEvent("lost"));
        add("1");
        runTasks();
        assertThat(call).isCompletedWithValue("1");
        assertThat(events).containsExactly("lost");
    }

    @Test
    void callCompletedAsynchronouslyAtTheSameTime_messageIsTheNext() throws Exception {
        CompletableFuture<String> call = queue.takeAsync();
        duringConversion.add(() -> call.completeAsync(() -> "another", Runnable::run));
        add("1");
        runTasks();
        assertThat(call).isCompletedWithValue("another");
        assertThat(queue.take(Duration.ZERO)).isEqualTo("1");
    }

    @Test
    void conversionFailsWithAnError_messageIsReleased_andTheNextOneGoesToTheCall() {
        CompletableFuture<String> call = queue.takeAsync();
        duringConversion.add(() -> {
            throw new StackOverflowError("test");
        });
        add("1");
        assertThatThrownBy(this::runTasks).isInstanceOf(StackOverflowError.class);
        assertThat(released).containsExactly("1");
        add("2");
        runTasks();
        assertThat(call).isCompletedWithValue("2");
    }

    /** Returns a queue whose executor is full while the test wants that. */
    private ReceiveQueue<String> withExecutor(AtomicBoolean full) {
        return new ReceiveQueue<>(
                "queue",
                task -> {
                    if (full.get()) {
                        throw new RejectedExecutionException("full");
                    }
                    tasks.add(task);
                },
                time,
                this::convert,
                this::discard,
                null);
    }

    /** The executor of a peer may run its tasks on the thread of the caller. */
    @Test
    void eventThatUsesTheQueueOnAnotherThread_doesNotWaitForTheLock() throws Exception {
        FutureTask<@Nullable String> received = new FutureTask<>(() -> queue.take(Duration.ZERO));
        add("1");
        queue.addEvent(new SenderEvent(
                SENDER,
                () -> {
                    new Thread(received, "receiver").start();
                    events.add(String.valueOf(Eventually.get(received, "a message")));
                },
                () -> {}));
        add("2");
        assertThat(queue.take(Duration.ZERO)).isEqualTo("1");
        assertThat(events).containsExactly("2");
    }

    @Test
    void threadsAndCallsAtTheSameTime_getEachMessageOnce_andThenTheEnd() {
        int count = 20_000;
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            ReceiveQueue<String> shared = new ReceiveQueue<>(
                    "queue",
                    threads,
                    time,
                    message -> message.message().text("text").orElseThrow(),
                    ReceivedMessage::release,
                    new SerialExecutor(threads));
            Queue<String> received = new ConcurrentLinkedQueue<>();
            Future<?> taking = threads.submit(() -> {
                for (String next = ""; !"end".equals(next); ) {
                    next = shared.take(Duration.ofNanos(1000));
                    if (next != null) {
                        received.add(next);
                    }
                }
                return null;
            });
            Future<?> calling = threads.submit(() -> {
                for (String next = ""; !next.equals("end"); ) {
                    next = Eventually.get(shared.takeAsync(), "a message");
                    received.add(next);
                }
                return null;
            });
            AtomicInteger ran = new AtomicInteger();
            for (int i = 0; i < count; i++) {
                shared.add(new TestMessage(Integer.toString(i)));
                if (i % 16 == 0) {
                    shared.addEvent(new SenderEvent(SENDER, ran::incrementAndGet, () -> {}));
                }
            }
            shared.end("end");
            Eventually.get(taking, "the end");
            Eventually.get(calling, "the end");
            assertThat(received).hasSize(count + 2);
            assertThat(Set.copyOf(received)).hasSize(count + 1);
            assertThat(Set.copyOf(released)).hasSize(count);
            assertThat(released).hasSize(count);
            Eventually.until(() -> "events: " + ran.get(), () -> ran.get() == count / 16);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void callCancelledAtTheSameTime_anotherCallWaits_getsTheMessage() {
        CompletableFuture<String> cancelled = queue.takeAsync();
        CompletableFuture<String> other = queue.takeAsync();
        duringConversion.add(() -> cancelled.cancel(false));
        add("1");
        runTasks();
        assertThat(other).isCompletedWithValue("1");
        assertThat(released).containsExactly("1");
    }

    @Test
    void discardWhileACallIsCancelled_releasesItsMessage() {
        CompletableFuture<String> cancelled = queue.takeAsync();
        duringConversion.add(() -> {
            cancelled.cancel(false);
            queue.discard(ErrorCode.CLOSED.exception("closed"));
        });
        add("1");
        runTasks();
        assertThat(released).containsExactly("1");
        assertThat(code(queue.takeAsync())).isEqualTo(ErrorCode.CLOSED);
    }

    @Test
    void cancelledCalls_doNotCount() {
        for (int i = 0; i < 2 * ReceiveQueue.MAX_WAITING; i++) {
            queue.takeAsync().cancel(false);
        }
        CompletableFuture<String> call = queue.takeAsync();
        add("1");
        runTasks();
        assertThat(call).isCompletedWithValue("1");
    }

    @Test
    void events_runAfterTheMessagesBeforeThem_andWithTheLastOne() throws Exception {
        addEvent("opened");
        assertThat(events).containsExactly("opened");
        add("1");
        add("2");
        addEvent("ended");
        assertThat(queue.take(Duration.ZERO)).isEqualTo("1");
        assertThat(events).containsExactly("opened");
        assertThat(queue.take(Duration.ZERO)).isEqualTo("2");
        assertThat(events).containsExactly("opened", "ended");
        assertThat(released).containsExactly("opened", "1", "2", "ended");
    }

    @Test
    void end_comesAfterTheMessages_onlyTheFirstCounts() throws Exception {
        CompletableFuture<String> first = queue.takeAsync();
        CompletableFuture<String> second = queue.takeAsync();
        add("1");
        queue.end("the end");
        queue.fail(ErrorCode.LOST.exception("lost"));
        runTasks();
        assertThat(first).isCompletedWithValue("1");
        assertThat(second).isCompletedWithValue("the end");
        assertThat(queue.take(Duration.ZERO)).isEqualTo("the end");
    }

    @Test
    void failure_comesAfterTheMessages() throws Exception {
        add("1");
        queue.fail(ErrorCode.LOST.exception("lost"));
        assertThat(queue.take(Duration.ZERO)).isEqualTo("1");
        assertThatThrownBy(() -> queue.take(Duration.ofSeconds(10))).hasMessageContaining("lost");
    }

    @Test
    void executorFailsAtAnEvent_theMessageBehindIt_isTaken_andTheEventFollows() throws Exception {
        AtomicBoolean fails = new AtomicBoolean(true);
        ReceiveQueue<String> failing = new ReceiveQueue<>(
                "queue",
                tasks::add,
                time,
                message -> message.message()
                        .text("text")
                        .filter(text -> !text.isEmpty())
                        .orElse(null),
                this::discard,
                SerialExecutor.retrying(
                        task -> {
                            if (fails.getAndSet(false)) {
                                throw new InternalError("no thread");
                            }
                            task.run();
                        },
                        time,
                        () -> false));
        failing.add(new TestMessage("")); // which is dropped
        failing.addEvent(new SenderEvent(SENDER, () -> events.add("ended"), () -> released.add("ended")));
        failing.add(new TestMessage("1"));
        assertThat(failing.take(Duration.ZERO)).isEqualTo("1");
        assertThat(released).containsExactly("", "1");
        assertThat(events).isEmpty();
        time.advance(SerialExecutor.RETRY_DELAY);
        assertThat(events).containsExactly("ended");
        assertThat(released).containsExactly("", "1", "ended");
    }

    /** A remote peer can open and close channels as fast as it wants. */
    @Test
    void fullExecutor_sendersThatAreNotReported_areLimited() {
        AtomicBoolean full = new AtomicBoolean(true);
        ReceiveQueue<String> failing = new ReceiveQueue<>(
                "queue",
                tasks::add,
                time,
                this::convert,
                this::discard,
                SerialExecutor.retrying(
                        task -> {
                            if (full.get()) {
                                throw new RejectedExecutionException("full");
                            }
                            task.run();
                        },
                        time,
                        () -> false));
        SenderEvents senders = new SenderEvents(new SenderListener() {
            @Override
            public void onOpened(PeerId sender) {
                events.add("opened");
            }
        });
        for (int i = 0; i < SenderEvents.MAX_UNREPORTED / 4; i++) {
            senders.open(SENDER, failing::add, failing::addEvent).onEnded();
        }
        assertThatThrownBy(() -> senders.open(SENDER, failing::add, failing::addEvent))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
        full.set(false);
        time.advance(SerialExecutor.RETRY_DELAY);
        assertThat(events).hasSize(SenderEvents.MAX_UNREPORTED / 4);
        senders.open(SENDER, failing::add, failing::addEvent).onEnded();
        assertThat(events).hasSize(SenderEvents.MAX_UNREPORTED / 4 + 1);
    }

    @Test
    void discard_releasesWhatIsThere_andWhatFollows() {
        add("1");
        queue.discard(ErrorCode.CLOSED.exception("closed"));
        add("2");
        addEvent("ended");
        assertThat(released).containsExactly("1", "2", "ended");
        assertThat(discarded).hasSize(3);
        assertThat(events).isEmpty();
    }

    @Test
    void executorFails_theNextMessageCompletesTheCall() {
        AtomicBoolean fails = new AtomicBoolean(true);
        ReceiveQueue<String> failing = withExecutor(fails);
        CompletableFuture<String> call = failing.takeAsync();
        failing.add(new TestMessage("1"));
        fails.set(false);
        failing.add(new TestMessage("2"));
        runTasks();
        assertThat(call).isCompletedWithValue("1");
    }

    @Test
    void fullExecutor_completesTheCallLater() {
        AtomicBoolean full = new AtomicBoolean(true);
        ReceiveQueue<String> failing = withExecutor(full);
        CompletableFuture<String> call = failing.takeAsync();
        failing.add(new TestMessage("1"));
        failing.add(new TestMessage("2"));
        assertThat(call).isNotDone();
        assertThat(time.pending()).isEqualTo(1);
        full.set(false);
        time.advance(SerialExecutor.RETRY_DELAY);
        runTasks();
        assertThat(call).isCompletedWithValue("1");
        assertThat(failing.takeAsync()).isCompletedWithValue("2");
        assertThat(time.pending()).isZero();
    }

    @Test
    void executorIsShutDown_closeCompletesTheCalls() {
        ReceiveQueue<String> failing = withExecutor(new AtomicBoolean(true));
        CompletableFuture<String> first = failing.takeAsync();
        CompletableFuture<String> second = failing.takeAsync();
        failing.add(new TestMessage("1"));
        assertThat(first).isNotDone();
        failing.fail(ErrorCode.CLOSED.exception("closed"));
        assertThat(first).isCompletedWithValue("1");
        assertThat(code(second)).isEqualTo(ErrorCode.CLOSED);
        time.advance(SerialExecutor.RETRY_DELAY);
        assertThat(time.pending()).isZero();
    }
}

package io.parley.pipes.internal.unicast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.common.Scheduler;
import io.parley.common.internal.Registration;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.InvalidCallException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.internal.request.UnreadMessageHandler;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the input pipes pass messages from event loops to the application, without a network. */
@Timeout(60)
class InputPipeDeliveryTest {

    private static final UnreadMessageHandler UNREAD = new UnreadMessageHandler(
            received -> new PipeMessage(received.from(), received.message()), false, Runnable::run);
    private static final PeerId SENDER = Identity.generate().peerId();
    private static final PipeTicket TICKET =
            new PipeTicket(PipeId.ofName(GroupId.NET, "pipe"), PeerAddress.parse(SENDER + "@tcp://127.0.0.1:1"));
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int LOOPS = 4;

    /** Counts the messages that were not released. */
    private final AtomicInteger unreleased = new AtomicInteger();

    private final class TestMessage implements ReceivedMessage {

        private final Message message;

        TestMessage(String text) {
            message = Message.of("text", text);
            unreleased.incrementAndGet();
        }

        @Override
        public PeerId from() {
            return SENDER;
        }

        @Override
        public Message message() {
            return message;
        }

        @Override
        public void release() {
            unreleased.decrementAndGet();
        }
    }

    private static ListenerInputPipe listen(Consumer<String> listener, Executor executor) {
        return bound(new ListenerInputPipe(
                TICKET,
                TIMEOUT,
                received -> listener.accept(received.text("text").orElseThrow()),
                executor,
                received -> new PipeMessage(received.from(), received.message()),
                UNREAD,
                new EndpointMetrics(),
                null));
    }

    private static QueuedInputPipe newQueued() {
        return new QueuedInputPipe(
                TICKET,
                TIMEOUT,
                Runnable::run,
                Scheduler.system(),
                received -> new PipeMessage(received.from(), received.message()),
                UNREAD,
                null);
    }

    private static <T extends AbstractInputPipe> T bound(T pipe) {
        pipe.bind(new Registration(() -> {}));
        return pipe;
    }

    /** Passes numbered messages of several senders to the pipe, each sender on a thread of its own. */
    private List<Thread> startLoops(AbstractInputPipe pipe, int messages) {
        List<Thread> loops = new ArrayList<>();
        for (int i = 0; i < LOOPS; i++) {
            int loop = i;
            Thread thread = new Thread(() -> {
                for (int number = 0; number < messages; number++) {
                    pipe.onMessage(new TestMessage(loop + " " + number));
                }
            });
            thread.start();
            loops.add(thread);
        }
        return loops;
    }

    @Test
    void listener_onAPool_getsOneMessageAtATimeInTheOrderOfEachSender() throws Exception {
        int messages = 20_000;
        ExecutorService pool = Executors.newFixedThreadPool(3);
        int[] next = new int[LOOPS];
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger errors = new AtomicInteger();
        CountDownLatch delivered = new CountDownLatch(LOOPS * messages);
        ListenerInputPipe pipe = listen(
                text -> {
                    boolean alone = inside.getAndIncrement() == 0;
                    int sender = Integer.parseInt(text.substring(0, 1));
                    if (!alone || next[sender]++ != Integer.parseInt(text.substring(2))) {
                        errors.incrementAndGet();
                    }
                    inside.decrementAndGet();
                    delivered.countDown();
                },
                pool);
        for (Thread loop : startLoops(pipe, messages)) {
            loop.join();
        }
        Eventually.until(() -> delivered.getCount() + " messages are missing", () -> delivered.getCount() == 0);
        assertThat(errors).hasValue(0);
        pool.shutdown();
        Eventually.until(() -> unreleased + " messages are not released", () -> unreleased.get() == 0);
    }

    @Test
    void listener_onADirectExecutor_doesNotDeepenTheStack() {
        List<Integer> depths = new ArrayList<>();
        ListenerInputPipe[] pipe = new ListenerInputPipe[1];
        pipe[0] = listen(
                text -> {
                    if (text.equals("first")) { // meanwhile other event loops add messages
                        for (int i = 0; i < 5000; i++) {
                            pipe[0].onMessage(new TestMessage("more"));
                        }
                    }
                    depths.add(new Throwable().getStackTrace().length);
                },
                Runnable::run);
        pipe[0].onMessage(new TestMessage("first"));

        assertThat(depths).hasSize(5001);
        assertThat(new HashSet<>(depths)).as("depths of the stack").hasSize(1);
        assertThat(unreleased).hasValue(0);
    }

    @Test
    void listener_onAnExecutorOfOneThread_yieldsAfterABatch() throws Exception {
        ExecutorService single = Executors.newSingleThreadExecutor();
        List<String> events = new ArrayList<>();
        CountDownLatch added = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1000);
        ListenerInputPipe pipe = listen(
                text -> {
                    events.add(text);
                    done.countDown();
                },
                single);
        single.execute(() -> Eventually.until(() -> "not added", () -> added.getCount() == 0));
        for (int i = 0; i < 1000; i++) {
            pipe.onMessage(new TestMessage("message"));
        }
        single.execute(() -> events.add("other task"));
        added.countDown();
        done.await();
        single.shutdown();

        assertThat(events.indexOf("other task")).isBetween(1, 999);
    }

    @Test
    void close_withMessagesThatAreScheduled_callsTheListenerNoMore() {
        Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        List<String> heard = new ArrayList<>();
        ListenerInputPipe pipe = listen(heard::add, tasks::add);
        for (int i = 0; i < 3; i++) {
            pipe.onMessage(new TestMessage("message"));
        }
        pipe.close();
        assertThat(pipe.isClosed()).isTrue();
        assertThat(unreleased).hasValue(0);

        tasks.forEach(Runnable::run);

        assertThat(tasks).hasSize(1);
        assertThat(heard).isEmpty();
        assertThat(unreleased).hasValue(0);
    }

    @Test
    void close_duringADelivery_callsTheListenerNoMore() {
        List<String> heard = new ArrayList<>();
        ListenerInputPipe[] pipe = new ListenerInputPipe[1];
        pipe[0] = listen(
                text -> {
                    heard.add(text);
                    pipe[0].onMessage(new TestMessage("second"));
                    pipe[0].close();
                    pipe[0].onMessage(new TestMessage("third")); // by an event loop that was about to do so
                },
                Runnable::run);
        pipe[0].onMessage(new TestMessage("first"));

        assertThat(heard).containsExactly("first");
        assertThat(unreleased).hasValue(0);
    }

    /** A sender may choose messages on which a listener fails, and must not fill the log with stack traces. */
    @Test
    void listener_thatAlwaysFails_isLoggedOnce() {
        ListenerInputPipe pipe = listen(
                text -> {
                    throw new NumberFormatException(text);
                },
                Runnable::run);
        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 100; i++) {
                pipe.onMessage(new TestMessage("no number"));
            }
            assertThat(log.lines("NumberFormatException")).hasSize(1);
        }
        assertThat(unreleased).hasValue(0);
    }

    @Test
    void listener_thatFailsWithoutADescription_getsTheNextMessage() {
        List<String> heard = new ArrayList<>();
        ListenerInputPipe pipe = listen(
                text -> {
                    heard.add(text);
                    throw new UndescribedException();
                },
                Runnable::run);
        pipe.onMessage(new TestMessage("first"));
        pipe.onMessage(new TestMessage("second"));
        assertThat(heard).containsExactly("first", "second");
        assertThat(unreleased).hasValue(0);
    }

    @Test
    void accept_executorIsShutDown_releasesTheMessages() {
        List<String> heard = new ArrayList<>();
        ListenerInputPipe pipe = listen(heard::add, task -> {
            throw new RejectedExecutionException("shut down");
        });
        for (int i = 0; i < 3; i++) {
            pipe.onMessage(new TestMessage("message"));
        }
        assertThat(heard).isEmpty();
        assertThat(unreleased).hasValue(0);
    }

    @Test
    void listener_executorFailsOnce_getsLaterMessages() {
        List<String> heard = new ArrayList<>();
        AtomicInteger failures = new AtomicInteger(1);
        ListenerInputPipe pipe = listen(heard::add, task -> {
            if (failures.getAndDecrement() > 0) {
                throw new InternalError("no thread (of the test)");
            }
            task.run();
        });
        try {
            pipe.onMessage(new TestMessage("lost"));
        } catch (InternalError e) {
            assertThat(e).hasMessage("no thread (of the test)");
        }
        pipe.onMessage(new TestMessage("later"));
        assertThat(heard).containsExactly("later");
        assertThat(unreleased).hasValue(0);
    }

    @Test
    void receive_onSeveralThreads_eachMessageIsReceivedOnce() throws Exception {
        int messages = 20_000;
        QueuedInputPipe pipe = bound(newQueued());
        Set<String> received = ConcurrentHashMap.newKeySet();
        AtomicInteger count = new AtomicInteger();
        List<Thread> readers = startReaders(pipe, text -> {
            received.add(text);
            count.incrementAndGet();
        });
        for (Thread loop : startLoops(pipe, messages)) {
            loop.join();
        }
        Eventually.until(() -> count + " messages received", () -> count.get() == LOOPS * messages);
        assertThat(received).hasSize(LOOPS * messages);
        assertThat(unreleased).hasValue(0);

        pipe.close();
        for (Thread reader : readers) {
            reader.join(TIMEOUT.toMillis());
            assertThat(reader.isAlive()).as("a thread waits after the close").isFalse();
        }
    }

    /** Messages that come one by one wake a waiting thread each. */
    @Test
    void receive_messagesOneByOne_eachWakesAThread() throws Exception {
        QueuedInputPipe pipe = bound(newQueued());
        AtomicInteger count = new AtomicInteger();
        List<Thread> readers = startReaders(pipe, text -> count.incrementAndGet());
        for (int i = 1; i <= 2000; i++) {
            int expected = i;
            pipe.onMessage(new TestMessage("message"));
            while (count.get() < expected) {
                Thread.onSpinWait();
            }
        }
        pipe.close();
        for (Thread reader : readers) {
            reader.join(TIMEOUT.toMillis());
        }
        assertThat(readers).noneMatch(Thread::isAlive);
    }

    private static List<Thread> startReaders(QueuedInputPipe pipe, Consumer<String> listener) {
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread reader = new Thread(() -> {
                try {
                    while (true) {
                        pipe.receive(TIMEOUT)
                                .ifPresent(message ->
                                        listener.accept(message.text("text").orElseThrow()));
                    }
                } catch (InvalidCallException | InterruptedException closed) {
                    // the pipe is closed
                }
            });
            reader.setDaemon(true);
            reader.start();
            readers.add(reader);
        }
        return readers;
    }

    @Test
    void receive_interrupted_throwsAlsoIfThereIsAMessage() throws Exception {
        QueuedInputPipe pipe = bound(newQueued());
        pipe.onMessage(new TestMessage("message"));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> pipe.receive(TIMEOUT)).isInstanceOf(InterruptedException.class);
        assertThat(pipe.receive(Duration.ZERO)).isPresent();
        assertThat(pipe.receive(Duration.ZERO)).isEqualTo(Optional.empty());
    }

    @Test
    void receive_closedPipe_discardsAndFails() {
        QueuedInputPipe pipe = bound(newQueued());
        pipe.onMessage(new TestMessage("message"));
        pipe.close();
        assertThat(unreleased).hasValue(0);
        assertThatThrownBy(() -> pipe.receive(TIMEOUT)).isInstanceOf(InvalidCallException.class);
    }
}

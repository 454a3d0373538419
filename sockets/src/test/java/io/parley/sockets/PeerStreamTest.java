package io.parley.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.pipes.BidirectionalPipe;
import io.parley.testkit.ManualScheduler;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** The time for which a stream waits for a lost connection, in manual time, and with tasks that the test runs. */
class PeerStreamTest {

    private static final Duration SOON = SocketPeers.SOON;

    private final ManualScheduler time = new ManualScheduler();
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Executor executor = tasks::add;
    private final PeerStream stream = new PeerStream(group(), "desk", SocketLimits.DEFAULTS);

    /** A group with nothing but time and an executor. */
    private PeerGroup group() {
        return (PeerGroup) Proxy.newProxyInstance(
                PeerGroup.class.getClassLoader(), new Class<?>[] {PeerGroup.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "scheduler":
                            return time;
                        case "workExecutor":
                            return executor;
                        default:
                            throw new UnsupportedOperationException(method.getName());
                    }
                });
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Test
    void interruption_thatIsNotResumed_endsTheStream() {
        stream.onInterrupted();
        time.advance(SocketLimits.DEFAULTS.resumeTimeout());
        runTasks();
        assertThat(stream.whenFailed()).isDone();
    }

    @Test
    void timerThatExpiresAsTheStreamIsResumed_doesNotEndTheNextInterruption() {
        stream.onInterrupted();
        time.advance(SocketLimits.DEFAULTS.resumeTimeout());
        assertThat(tasks).as("tasks of the timer").hasSize(1);
        stream.onResumed();
        stream.onInterrupted(); // before the task runs
        runTasks();
        assertThat(stream.whenFailed()).isNotDone();
        time.advance(SocketLimits.DEFAULTS.resumeTimeout());
        runTasks();
        assertThat(stream.whenFailed()).isDone();
    }

    @Test
    void timerThatExpiresAsTheStreamIsResumed_doesNotEndTheStream() {
        stream.onInterrupted();
        time.advance(SocketLimits.DEFAULTS.resumeTimeout());
        stream.onResumed();
        runTasks();
        assertThat(stream.whenFailed()).isNotDone();
        assertThat(time.pending()).isZero();
    }

    /** Returns an open pipe, whose messages have that outcome, and which counts its aborts. */
    private static BidirectionalPipe pipe(CompletableFuture<Void> sent, AtomicInteger aborts) {
        return (BidirectionalPipe) Proxy.newProxyInstance(
                BidirectionalPipe.class.getClassLoader(),
                new Class<?>[] {BidirectionalPipe.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "isWritable" -> true;
                    case "remotePeer" -> PeerId.ofBytes(new byte[PeerId.BYTES]);
                    case "send" -> sent;
                    case "whenClosed" -> new CompletableFuture<Void>();
                    case "abort" -> {
                        aborts.incrementAndGet();
                        yield null;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @Test
    void queuedMessage_thatIsNotSent_endsTheStream() throws Exception {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        AtomicInteger aborts = new AtomicInteger();
        stream.attach(pipe(sent, aborts));
        stream.write(ByteBuffer.allocate(1));
        sent.completeExceptionally(ErrorCode.MESSAGE_TOO_LARGE.exception("too large"));
        assertThat(aborts)
                .as("aborts: the remote peer must not take the rest for all")
                .hasValue(1);
        assertThatThrownBy(() -> stream.write(ByteBuffer.allocate(1)))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("too large");
    }

    @Test
    void refusedMessage_endsTheStream() {
        AtomicInteger aborts = new AtomicInteger();
        stream.attach(pipe(CompletableFuture.failedFuture(ErrorCode.MESSAGE_TOO_LARGE.exception("too large")), aborts));
        assertThatThrownBy(() -> stream.write(ByteBuffer.allocate(1)))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("too large");
        assertThat(aborts).as("aborts: an orderly end would hide the loss").hasValue(1);
        assertThat(stream.whenFailed()).isDone();
    }

    private static ReceivedMessage received(Message message, AtomicInteger releases) {
        return new ReceivedMessage() {
            @Override
            public PeerId from() {
                return PeerId.ofBytes(new byte[PeerId.BYTES]);
            }

            @Override
            public Message message() {
                return message;
            }

            @Override
            public void release() {
                releases.incrementAndGet();
            }
        };
    }

    /** The pipe ends a round trip later, and the remote peer may have sent more. */
    @Test
    void whatArrivesAfterAForeignMessage_isNotRead() throws Exception {
        AtomicInteger releases = new AtomicInteger();
        stream.onMessage(received(Message.of(MessageElement.of("s", new byte[] {1})), releases));
        stream.onMessage(received(Message.of("text", "hello"), releases));
        stream.onMessage(received(Message.of(MessageElement.of("s", new byte[] {2})), releases));
        stream.onEnd();
        ByteBuffer target = ByteBuffer.allocate(2);
        assertThat(stream.read(target, SOON)).isEqualTo(1);
        assertThat(target.get(0)).isEqualTo((byte) 1);
        assertThatThrownBy(() -> stream.read(target, SOON))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("not of a stream");
        assertThat(stream.hasEnded()).as("an orderly end").isFalse();
        assertThat(releases).as("released messages").hasValue(3);
    }

    /** A reader that sees the failure writes at once: those bytes must not be taken as sent. */
    @RepeatedTest(20)
    void writeAfterAReadThatFailed_fails() throws Exception {
        BidirectionalPipe pipe = pipe(new CompletableFuture<>(), new AtomicInteger());
        ExecutorService reader = Executors.newSingleThreadExecutor();
        try {
            for (int i = 0; i < 500; i++) {
                PeerStream failing = new PeerStream(group(), "desk", SocketLimits.DEFAULTS);
                failing.attach(pipe);
                AtomicBoolean begun = new AtomicBoolean();
                Future<?> written = reader.submit(() -> {
                    ByteBuffer buffer = ByteBuffer.allocate(1);
                    begun.set(true);
                    assertThatThrownBy(() -> readWithoutWaiting(failing, buffer))
                            .hasMessageStartingWith("Connection reset");
                    failing.write(buffer);
                    return null;
                });
                while (!begun.get()) {
                    Thread.yield(); // a processor that spins may be the one that the other thread needs
                }
                failing.onFailed(ErrorCode.LOST.exception("cut"));
                assertThat(written)
                        .failsWithin(Duration.ofSeconds(30))
                        .withThrowableOfType(ExecutionException.class)
                        .withCauseInstanceOf(SocketException.class)
                        .withMessageContaining("Broken pipe");
            }
        } finally {
            reader.shutdownNow();
        }
    }

    /** Reads in a loop, which sees the failure sooner than a thread that must be woken. */
    private static void readWithoutWaiting(PeerStream stream, ByteBuffer buffer) throws IOException {
        while (true) {
            try {
                stream.read(buffer, Duration.ofNanos(1));
            } catch (SocketTimeoutException e) {
                Thread.yield();
            }
        }
    }
}

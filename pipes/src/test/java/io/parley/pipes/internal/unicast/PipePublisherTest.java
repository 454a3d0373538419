package io.parley.pipes.internal.unicast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.common.internal.SerialExecutor;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.InputPipe;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rules of reactive streams that concern a publisher. */
@Timeout(60)
class PipePublisherTest {

    private static final Duration SOON = Eventually.DEADLINE;

    private final ManualScheduler time = new ManualScheduler();
    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final Peer holder = start("holder");
    private final Peer sender = start("sender");
    private final InputPipe in = Pipes.of(holder).open(PipeId.random(GroupId.NET));

    private Peer start(String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .multicast(false)
                .listen("mem://" + name)
                .start();
    }

    @AfterEach
    void close() {
        sender.close();
        holder.close();
    }

    private OutputPipe connect() throws InterruptedException {
        return Pipes.of(sender).connect(in.ticket(), SOON);
    }

    /** Records signals, and that they do not overlap. */
    private static class Recorder implements Flow.Subscriber<PipeMessage> {

        final Queue<String> signals = new ConcurrentLinkedQueue<>();
        final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
        private final AtomicInteger running = new AtomicInteger();

        private void record(String signal) {
            if (running.incrementAndGet() != 1) {
                signals.add("overlap");
            }
            signals.add(signal);
            running.decrementAndGet();
        }

        @Override
        public void onSubscribe(Flow.Subscription value) {
            subscription.complete(value);
        }

        @Override
        public void onNext(PipeMessage message) {
            record(message.text("text").orElseThrow());
        }

        @Override
        public void onError(Throwable failure) {
            record("error " + failure.getClass().getSimpleName());
        }

        @Override
        public void onComplete() {
            record("complete");
        }

        void request(long n) {
            Eventually.get(subscription, "the subscription").request(n);
        }

        void await(int count) {
            Eventually.until(signals::toString, () -> signals.size() >= count);
        }
    }

    private Recorder subscribe() {
        Recorder recorder = new Recorder();
        in.publisher().subscribe(recorder);
        return recorder;
    }

    @Test
    void subscriber_getsWhatItRequests_inOrder_andNoMore() throws Exception {
        OutputPipe out = connect();
        Recorder recorder = subscribe();
        for (int i = 0; i < 5; i++) {
            out.send(Message.of("text", "" + i), SOON);
        }
        recorder.request(2);
        recorder.await(2);
        assertThat(in.receive(SOON).orElseThrow().text("text"))
                .as("the message behind the demand")
                .contains("2");
        recorder.request(Long.MAX_VALUE);
        recorder.request(Long.MAX_VALUE);
        recorder.await(4);
        in.close();
        recorder.await(5);
        assertThat(recorder.signals).containsExactly("0", "1", "3", "4", "complete");
    }

    @Test
    void noDemand_stopsTheSender() throws Exception {
        OutputPipe out = connect();
        Recorder recorder = subscribe();
        int sent = 0;
        while (out.isWritable()) {
            out.send(Message.builder()
                    .add("text", "large")
                    .add("data", new byte[256 * 1024])
                    .build());
            assertThat(++sent).isLessThan(100);
        }
        CompletableFuture<Void> writable = out.whenWritable();
        recorder.request(sent);
        Eventually.get(writable, "room in the queue");
        recorder.await(sent);
    }

    @Test
    void requestOfZero_isAnError_andTheLastSignal() throws Exception {
        OutputPipe out = connect();
        Recorder recorder = subscribe();
        recorder.request(0);
        recorder.request(1);
        recorder.await(1);
        out.send(Message.of("text", "1"), SOON);
        assertThat(in.receive(SOON)).isPresent();
        assertThat(recorder.signals).containsExactly("error IllegalArgumentException");
    }

    /** As a call of the queue that has its message, but is not complete yet. */
    private static final class ClaimedCall extends CompletableFuture<PipeMessage> {

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return false;
        }
    }

    @Test
    void closeWhileAMessageIsOnItsWay_theMessageComesBeforeTheEnd() {
        CompletableFuture<PipeMessage> call = new ClaimedCall();
        CompletableFuture<Void> closed = new CompletableFuture<>();
        Recorder recorder = new Recorder();
        new PipePublisher(() -> call, () -> closed, Runnable::run, time).subscribe(recorder);
        recorder.request(2);
        closed.complete(null);
        assertThat(recorder.signals).isEmpty();
        call.complete(new PipeMessage(sender.id(), Message.of("text", "1")));
        assertThat(recorder.signals).containsExactly("1", "complete");
    }

    @Test
    void errorWhileAMessageIsOnItsWay_theMessageComesBeforeTheError() {
        CompletableFuture<PipeMessage> call = new ClaimedCall();
        Recorder recorder = new Recorder();
        new PipePublisher(() -> call, CompletableFuture::new, Runnable::run, time).subscribe(recorder);
        recorder.request(1);
        recorder.request(0);
        assertThat(recorder.signals).isEmpty();
        call.complete(new PipeMessage(sender.id(), Message.of("text", "1")));
        assertThat(recorder.signals).containsExactly("1", "error IllegalArgumentException");
    }

    @Test
    void fullExecutor_delaysAMessage_andTheEndBehindIt() {
        CompletableFuture<PipeMessage> call = new ClaimedCall();
        CompletableFuture<Void> closed = new CompletableFuture<>();
        AtomicBoolean full = new AtomicBoolean();
        Recorder recorder = new Recorder();
        PipePublisher publisher = new PipePublisher(
                () -> call,
                () -> closed,
                task -> {
                    if (full.get()) {
                        throw new RejectedExecutionException("full");
                    }
                    task.run();
                },
                time);
        publisher.subscribe(recorder);
        recorder.request(1);
        full.set(true);
        call.complete(new PipeMessage(sender.id(), Message.of("text", "1")));
        closed.complete(null);
        time.advance(SerialExecutor.RETRY_DELAY);
        assertThat(recorder.signals).isEmpty();
        full.set(false);
        time.advance(SerialExecutor.RETRY_DELAY);
        assertThat(recorder.signals).containsExactly("1", "complete");
        assertThat(time.pending()).isZero();
    }

    @Test
    void cancelledSubscription_takesNoFurtherMessage() throws Exception {
        OutputPipe out = connect();
        Recorder recorder = subscribe();
        recorder.request(10);
        Eventually.get(recorder.subscription, "the subscription").cancel();
        Recorder next = subscribe();
        next.request(1);
        out.send(Message.of("text", "1"), SOON);
        Eventually.until(
                () -> recorder.signals + " " + next.signals, () -> recorder.signals.size() + next.signals.size() == 1);
        in.close();
        Eventually.until(() -> next.signals.toString(), () -> next.signals.contains("complete"));
        assertThat(recorder.signals).doesNotContain("complete");
    }

    @Test
    void subscriberFails_isCancelled_messagesGoToOthers() throws Exception {
        OutputPipe out = connect();
        Recorder failing = new Recorder() {
            @Override
            public void onNext(PipeMessage message) {
                super.onNext(message);
                throw new IllegalStateException("a bug");
            }
        };
        in.publisher().subscribe(failing);
        failing.request(10);
        out.send(Message.of("text", "1"), SOON);
        failing.await(1);
        out.send(Message.of("text", "2"), SOON);
        assertThat(in.receive(SOON).orElseThrow().text("text")).contains("2");
        assertThat(failing.signals).containsExactly("1");
    }

    @Test
    void subscriberThatIsNull_orAPipeWithAListener_isRejected() {
        assertThatThrownBy(() -> in.publisher().subscribe(null)).isInstanceOf(NullPointerException.class);
        try (InputPipe listening = Pipes.of(holder).listen(PipeId.random(GroupId.NET), message -> {})) {
            assertThatThrownBy(listening::publisher).isInstanceOf(IllegalStateException.class);
        }
    }
}

package io.parley.pipes.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.InputPipe;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
import io.parley.pipes.SenderListener;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The senders of an input pipe, and {@link InputPipe#receiveAsync}. */
@Timeout(120)
class SenderListenerTest {

    private static final Duration SOON = Eventually.DEADLINE;
    private static final PipeId ID = PipeId.random(GroupId.NET);

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();
    private final Queue<String> events = new ConcurrentLinkedQueue<>();
    private final Peer holder = start("holder");
    private final Peer sender = start("sender");

    private final SenderListener recorder = new SenderListener() {
        @Override
        public void onOpened(PeerId peer) {
            events.add("opened");
        }

        @Override
        public void onEnded(PeerId peer) {
            events.add("ended");
        }

        @Override
        public void onLost(PeerId peer) {
            events.add("lost");
        }
    };

    private Peer start(String name) {
        Peer peer = Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .multicast(false)
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .keepAliveInterval(Duration.ofMillis(100))
                        .reconnectTimeout(Duration.ofMillis(300))
                        .closeTimeout(Duration.ofSeconds(2))
                        .build())
                .listen("mem://" + name)
                .start();
        peers.add(peer);
        return peer;
    }

    @AfterEach
    void close() {
        for (int i = peers.size() - 1; i >= 0; i--) {
            peers.get(i).close();
        }
    }

    private Pipes pipes() {
        return Pipes.of(holder).withSenderListener(recorder);
    }

    private OutputPipe connect(InputPipe in) throws InterruptedException {
        return Pipes.of(sender).connect(in.ticket(), SOON);
    }

    private void awaitEvents(String... expected) {
        Eventually.until(() -> events.toString(), () -> events.size() >= expected.length);
        assertThat(events).containsExactly(expected);
    }

    private static Message text(String text) {
        return Message.of("text", text);
    }

    @Test
    void listener_endComesAfterTheLastMessage() throws Exception {
        CompletableFuture<Void> proceed = new CompletableFuture<>();
        try (InputPipe in = pipes().listen(ID, message -> {
            proceed.join();
            events.add(message.text("text").orElseThrow());
        })) {
            OutputPipe out = connect(in);
            out.send(text("1"));
            out.send(text("2"), SOON);
            out.close();
            assertThat(events).doesNotContain("ended");
            proceed.complete(null);
            awaitEvents("opened", "1", "2", "ended");
        }
    }

    @Test
    void receive_endComesAfterTheLastMessageIsTaken_withoutAnotherCall() throws Exception {
        try (InputPipe in = pipes().open(ID)) {
            OutputPipe out = connect(in);
            awaitEvents("opened");
            out.send(text("1"));
            out.send(text("2"), SOON);
            out.close();
            assertThat(in.receive(SOON).orElseThrow().text("text")).contains("1");
            assertThat(events).containsExactly("opened");
            assertThat(in.receive(SOON).orElseThrow().text("text")).contains("2");
            awaitEvents("opened", "ended");
        }
    }

    @Test
    void zeroCopyListener_getsEventsToo() throws Exception {
        try (InputPipe in = pipes().listenZeroCopy(ID, message -> events.add("message"))) {
            OutputPipe out = connect(in);
            out.send(text("1"), SOON);
            out.close();
            awaitEvents("opened", "message", "ended");
        }
    }

    @Test
    void unreachableSender_isLost() throws Exception {
        try (InputPipe in = pipes().open(ID)) {
            connect(in).send(text("1"), SOON);
            network.isolate(sender.id());
            assertThat(in.receive(SOON)).isPresent();
            awaitEvents("opened", "lost");
        }
    }

    @Test
    void senderListenerFails_deliveryContinues_andTheLogHasOneLine() throws Exception {
        SenderListener failing = new SenderListener() {
            @Override
            public void onOpened(PeerId peer) {
                throw new AssertionError("a bug");
            }
        };
        try (InputPipe in = Pipes.of(holder).withSenderListener(failing).listen(ID, message -> events.add("message"));
                CapturedLog log = new CapturedLog()) {
            connect(in).send(text("1"), SOON);
            connect(in).send(text("2"), SOON);
            awaitEvents("message", "message");
            assertThat(log.lines("AssertionError: a bug")).hasSizeLessThanOrEqualTo(1); // another test may have made it
        }
    }

    @Test
    void unreportedSenders_areLimited() throws Exception {
        CompletableFuture<Void> proceed = new CompletableFuture<>();
        SenderListener blocking = new SenderListener() {
            @Override
            public void onOpened(PeerId peer) {
                proceed.join();
            }
        };
        try (InputPipe in = Pipes.of(holder).withSenderListener(blocking).listen(ID, message -> {})) {
            List<CompletableFuture<OutputPipe>> connecting = new ArrayList<>();
            for (int i = 0; i <= SenderEvents.MAX_UNREPORTED / 4; i++) {
                connecting.add(Pipes.of(sender).connectAsync(in.ticket(), SOON));
            }
            Eventually.until(
                    () -> "no sender was refused",
                    () -> connecting.stream().anyMatch(CompletableFuture::isCompletedExceptionally));
            proceed.complete(null);
            long refused = connecting.stream()
                    .map(future -> future.handle((pipe, failure) -> failure).join())
                    .filter(failure -> failure != null)
                    .peek(failure -> assertThat(((ParleyException) ParleyException.unwrap(failure)).code())
                            .isEqualTo(ErrorCode.BUSY))
                    .count();
            assertThat(refused).isEqualTo(1);
        }
    }

    @Test
    void receiveAsync_completesInTheOrderOfTheCalls_aCancelledCallTakesNothing() throws Exception {
        try (InputPipe in = Pipes.of(holder).open(ID)) {
            CompletableFuture<PipeMessage> first = in.receiveAsync();
            CompletableFuture<PipeMessage> cancelled = in.receiveAsync();
            CompletableFuture<PipeMessage> second = in.receiveAsync();
            cancelled.cancel(false);
            OutputPipe out = connect(in);
            for (int i = 1; i <= 4; i++) {
                out.send(text("" + i));
            }
            assertThat(Eventually.get(first, "a message").text("text")).contains("1");
            assertThat(Eventually.get(second, "a message").text("text")).contains("2");
            assertThat(in.receive(SOON).orElseThrow().text("text")).contains("3");
            assertThat(Eventually.get(in.receiveAsync(), "a message").text("text"))
                    .contains("4");
            CompletableFuture<PipeMessage> last = in.receiveAsync();
            in.close();
            assertThat(((ParleyException) ParleyException.unwrap(Eventually.failure(last, "the end"))).code())
                    .isEqualTo(ErrorCode.CLOSED);
        }
    }

    @Test
    void receiveAsync_callsCancelledWhileMessagesArrive_loseNone() throws Exception {
        int count = 2000;
        try (InputPipe in = Pipes.of(holder).open(ID);
                OutputPipe out = connect(in)) {
            List<String> received = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                CompletableFuture<PipeMessage> call = in.receiveAsync();
                out.send(text("" + i));
                if (i % 2 == 0 && call.cancel(false)) {
                    continue;
                }
                received.add(Eventually.get(call, "a message").text("text").orElseThrow());
            }
            while (received.size() < count) {
                received.add(in.receive(SOON).orElseThrow().text("text").orElseThrow());
            }
            for (int i = 0; i < count; i++) {
                assertThat(received.get(i)).isEqualTo("" + i);
            }
        }
    }

    @Test
    void receiveAsync_tooManyCalls_fail_aListenerPipeHasNone() throws Exception {
        try (InputPipe in = Pipes.of(holder).open(ID)) {
            for (int i = 0; i < ReceiveQueue.MAX_WAITING; i++) {
                in.receiveAsync();
            }
            assertThat(((ParleyException) ParleyException.unwrap(
                                    Eventually.failure(in.receiveAsync(), "the refusal of a call")))
                            .code())
                    .isEqualTo(ErrorCode.QUEUE_FULL);
        }
        try (InputPipe in = Pipes.of(holder).listen(ID, message -> {})) {
            assertThatThrownBy(in::receiveAsync).isInstanceOf(IllegalStateException.class);
        }
    }
}

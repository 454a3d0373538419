package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.Eventually;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pipes between two peers, over each kind of connection. */
class UnicastPipeTest {

    private static final Duration SOON = Eventually.DEADLINE;

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();

    @AfterEach
    void closePeers() {
        peers.forEach(Peer::close);
        peers.forEach(peer -> Eventually.get(peer.whenClosed(), "closing a peer"));
    }

    private Peer start(ConnectionKind kind, EndpointLimits limits) {
        Peer peer = kind.builder(network).limits(limits).start();
        peers.add(peer);
        return peer;
    }

    private Peer start(ConnectionKind kind) {
        return start(kind, EndpointLimits.DEFAULTS);
    }

    @ParameterizedTest
    @EnumSource
    void send_arrivesWithSenderAndContent(ConnectionKind kind) throws Exception {
        Peer alice = start(kind);
        Peer bob = start(kind);
        try (InputPipe in = Pipes.of(alice).open("forecast");
                OutputPipe out = Pipes.of(bob).connect(alice.address(), "forecast", SOON)) {
            Eventually.get(out.send(Message.of("text", "Will it rain?")), "sending");
            PipeMessage received = in.receive(SOON).orElseThrow();
            assertThat(received.from()).isEqualTo(bob.id());
            assertThat(received.text("text")).contains("Will it rain?");
            assertThat(out.holder()).isEqualTo(alice.id());
        }
    }

    @ParameterizedTest
    @EnumSource
    void bestEffort_slowReaderGetsTheNewestMessages(ConnectionKind kind) throws Exception {
        Peer alice = start(
                kind, EndpointLimits.DEFAULTS.toBuilder().windowBytes(8192).build());
        Peer bob =
                start(kind, EndpointLimits.DEFAULTS.toBuilder().queueBytes(8192).build());
        int last = 1000;
        try (InputPipe in = Pipes.of(alice).open("position");
                OutputPipe out = Pipes.of(bob).withDropOldest().connect(alice.address(), "position", SOON)) {
            for (int i = 0; i <= last; i++) {
                out.send(Message.of("x", Integer.toString(i)));
            }
            int received = 0;
            int previous = -1;
            while (previous < last) {
                int position = Integer.parseInt(
                        in.receive(SOON).orElseThrow().text("x").orElseThrow());
                assertThat(position).isGreaterThan(previous);
                previous = position;
                received++;
            }
            assertThat(out.droppedMessages()).isPositive().isEqualTo(last + 1 - received);
        }
    }

    @ParameterizedTest
    @EnumSource
    void send_manySizes_arriveWholeAndInOrder(ConnectionKind kind) throws Exception {
        Peer alice = start(kind);
        Peer bob = start(kind);
        Random random = new Random(7);
        int[] sizes = {0, 1, 65_000, 65_535, 65_536, 65_537, 131_072, 1_048_576, 1_048_577, 5_000_000, 3};
        try (InputPipe in = Pipes.of(alice).open("sizes");
                OutputPipe out = Pipes.of(bob).connect(alice.address(), "sizes", SOON)) {
            List<byte[]> sent = new ArrayList<>();
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                for (int round = 0; round < 5; round++) {
                    for (int size : sizes) {
                        byte[] payload = new byte[size];
                        random.nextBytes(payload);
                        synchronized (sent) {
                            sent.add(payload);
                        }
                        out.whenWritable().join();
                        out.send(Message.of("data", payload));
                    }
                }
            });
            for (int i = 0; i < 5 * sizes.length; i++) {
                byte[] received =
                        in.receive(SOON).orElseThrow().message().bytes("data").orElseThrow();
                synchronized (sent) {
                    assertThat(received).isEqualTo(sent.get(i));
                }
            }
            Eventually.get(sending, "sending");
        }
    }

    @ParameterizedTest
    @EnumSource
    void listener_receivesAllInOrder(ConnectionKind kind) throws Exception {
        Peer alice = start(kind);
        Peer bob = start(kind);
        int count = 20_000;
        List<Integer> seen = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(count);
        PipeId id = PipeId.random(GroupId.NET);
        InputPipe in = Pipes.of(alice).listen(id, received -> {
            seen.add(Integer.parseInt(received.text("n").orElseThrow()));
            done.countDown();
        });
        OutputPipe out = Pipes.of(bob).connect(in.ticket(), SOON);
        for (int i = 0; i < count; i++) {
            out.whenWritable().join();
            out.send(Message.of("n", Integer.toString(i)));
        }
        Eventually.latch(done, "all messages");
        assertThat(seen).hasSize(count).isSorted();
    }

    @ParameterizedTest
    @EnumSource
    void listenerThatFailsWithAnError_receivesTheNextMessage(ConnectionKind kind) throws Exception {
        Peer alice = start(kind);
        Peer bob = start(kind);
        CountDownLatch received = new CountDownLatch(2);
        InputPipe in = Pipes.of(alice).listen(PipeId.random(GroupId.NET), message -> {
            received.countDown();
            throw new NoClassDefFoundError("of the listener");
        });
        OutputPipe out = Pipes.of(bob).connect(in.ticket(), SOON);
        out.send(Message.of("n", "1"));
        out.send(Message.of("n", "2"));
        Eventually.latch(received, "both messages");
    }

    @ParameterizedTest
    @EnumSource
    void connect_toNoPipe_fails(ConnectionKind kind) {
        Peer alice = start(kind);
        Peer bob = start(kind);
        assertThatThrownBy(() -> Pipes.of(bob).connect(alice.address(), "nothing", SOON))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SUCH_SERVICE));
    }

    @ParameterizedTest
    @EnumSource
    void send_beyondTheReceiversLimit_namesTheLimit_andKeepsTheConnection(ConnectionKind kind) throws Exception {
        Peer alice = start(
                kind,
                EndpointLimits.DEFAULTS.toBuilder()
                        .messages(EndpointLimits.DEFAULTS.messages().toBuilder()
                                .maxMessageBytes(100_000)
                                .build())
                        .build());
        Peer bob = start(kind);
        try (InputPipe in = Pipes.of(alice).open("small");
                OutputPipe out = Pipes.of(bob).connect(alice.address(), "small", SOON)) {
            assertThat(out.send(Message.of("data", new byte[200_000])))
                    .failsWithin(SOON)
                    .withThrowableThat()
                    .withMessageContaining("100000")
                    .withMessageContaining("maxMessageBytes");
            out.send(Message.of(MessageElement.of("data", new byte[99_000])));
            assertThat(in.receive(SOON)).isPresent();
            assertThat(bob.endpoint().metrics().get(io.parley.transport.EndpointMetrics.Counter.CONNECTIONS_OPENED))
                    .isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void requests_manyAtOnce_getTheirOwnResponses(ConnectionKind kind) throws Exception {
        Peer alice = start(kind);
        Peer bob = start(kind);
        InputPipe in = Pipes.of(alice)
                .serve(
                        PipeId.random(GroupId.NET),
                        request -> Message.of("n", request.text("n").orElseThrow()),
                        alice.netGroup().callbackExecutor());
        try (OutputPipe out = Pipes.of(bob).connect(in.ticket(), SOON)) {
            List<CompletableFuture<PipeMessage>> responses = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                responses.add(out.requestAsync(Message.of("n", Integer.toString(i)), SOON));
            }
            for (int i = 0; i < 64; i++) {
                assertThat(Eventually.get(responses.get(i), "the response").text("n"))
                        .contains(Integer.toString(i));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void send_toOneself_works(ConnectionKind kind) throws Exception {
        Peer alice = start(kind);
        try (InputPipe in = Pipes.of(alice).open("self");
                OutputPipe out = Pipes.of(alice).connect(alice.address(), "self", SOON)) {
            out.send(Message.of("text", "hello, me"));
            assertThat(in.receive(SOON).orElseThrow().from()).isEqualTo(alice.id());
        }
    }

    @ParameterizedTest
    @EnumSource
    void slowReader_stopsItsOwnSender_notAnother(ConnectionKind kind) throws Exception {
        Peer alice = start(kind);
        Peer bob = start(kind);
        Pipes pipes = Pipes.of(bob);
        try (InputPipe stuck = Pipes.of(alice).open("stuck");
                InputPipe quick = Pipes.of(alice).open("quick");
                OutputPipe toStuck = pipes.connect(alice.address(), "stuck", SOON);
                OutputPipe toQuick = pipes.connect(alice.address(), "quick", SOON)) {
            byte[] payload = new byte[64 * 1024];
            int accepted = 0;
            while (!toStuck.send(Message.of("data", payload)).isCompletedExceptionally()) {
                accepted++;
            }
            assertThat((long) accepted * payload.length)
                    .isLessThan(EndpointLimits.DEFAULTS.windowBytes() + 2L * EndpointLimits.DEFAULTS.queueBytes());
            for (int i = 0; i < 100; i++) {
                toQuick.whenWritable().join();
                toQuick.send(Message.of("data", payload));
                assertThat(quick.receive(SOON)).isPresent();
            }
            for (int i = 0; i < accepted; i++) {
                assertThat(stuck.receive(SOON)).isPresent();
            }
        }
    }
}

package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.memory.InMemoryNetwork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pipes whose listener borrows messages, over each kind of connection. */
class ZeroCopyPipeTest {

    private static final Duration SOON = Eventually.DEADLINE;
    private static final int[] SIZES = {
        0, 1, 5_000, 16_384, 65_000, 65_536, 131_000, 131_072, 200_000, 1_048_577, 5_000_000, 3
    };

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();

    @TempDir
    private Path directory;

    @AfterEach
    void closePeers() {
        peers.forEach(Peer::close);
    }

    private Peer start(ConnectionKind kind) {
        Peer peer = kind.builder(network).start();
        peers.add(peer);
        return peer;
    }

    private static OutputPipe connect(Peer to, InputPipe in) throws InterruptedException {
        return Pipes.of(to).connect(in.ticket(), SOON);
    }

    private static InputPipe listen(Peer peer, Consumer<PipeMessage> listener) {
        return Pipes.of(peer).listenZeroCopy(Pipes.of(peer).pipeId("borrowed"), listener);
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static Message fromArray(int size) {
        return Message.of("data", random(size));
    }

    private static Message fromDirectMemory(int size) {
        return Message.of(MessageElement.of(
                "data", ByteBuffer.allocateDirect(size).put(random(size)).flip()));
    }

    @ParameterizedTest
    @EnumSource
    void manySizes_fromArraysAndDirectMemory_areBorrowedWholeAndInOrder(ConnectionKind kind) throws Exception {
        BlockingQueue<Boolean> borrowed = new LinkedBlockingQueue<>();
        BlockingQueue<byte[]> copies = new LinkedBlockingQueue<>();
        InputPipe in = listen(start(kind), received -> {
            borrowed.add(received.message().elements().get(0).payload().isBorrowed());
            copies.add(received.message().bytes("data").orElseThrow());
        });
        OutputPipe out = connect(start(kind), in);
        int rounds = 2;
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            for (int round = 0; round < rounds; round++) {
                for (int size : SIZES) {
                    out.whenWritable().join();
                    out.send(round % 2 == 0 ? fromArray(size) : fromDirectMemory(size));
                }
            }
        });
        for (int round = 0; round < rounds; round++) {
            for (int size : SIZES) {
                assertThat(copies.poll(SOON.toSeconds(), TimeUnit.SECONDS))
                        .as("round %d, %d bytes", round, size)
                        .isEqualTo(random(size));
                assertThat(borrowed.poll()).isEqualTo(size > 0);
            }
        }
        sending.get(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource
    void content_goesToAFile_withoutACopy(ConnectionKind kind) throws Exception {
        Path file = directory.resolve("received");
        AtomicLong written = new AtomicLong();
        int size = 3_000_000;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            InputPipe in = listen(start(kind), received -> {
                Payload payload = received.message().elements().get(0).payload();
                ByteBuffer[] parts = payload.asByteBuffers().toArray(ByteBuffer[]::new);
                try {
                    for (long left = payload.size(); left > 0; ) {
                        left -= channel.write(parts);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                written.addAndGet(payload.size());
            });
            connect(start(kind), in).send(fromArray(size));
            Awaitility.await("the file").atMost(SOON).until(() -> written.get() == size);
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(random(size));
    }

    @ParameterizedTest
    @EnumSource
    void keptMessage_isInvalidAfterTheListenerHasReturned(ConnectionKind kind) throws Exception {
        BlockingQueue<Message> kept = new LinkedBlockingQueue<>();
        CountDownLatch second = new CountDownLatch(2);
        InputPipe in = listen(start(kind), received -> {
            kept.add(received.message());
            second.countDown();
        });
        OutputPipe out = connect(start(kind), in);
        out.send(fromArray(60_000));
        out.send(fromArray(400_000));
        assertThat(second.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        Message first = kept.take(); // its listener has returned, or the second one's could not have been called
        assertThatThrownBy(() -> first.bytes("data"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("read after its listener returned");
        CompletableFuture<Void> sentOn = connect(peers.get(0), in).send(first);
        assertThat(sentOn)
                .failsWithin(SOON)
                .withThrowableThat()
                .withMessageContaining("read after its listener returned");
    }

    @ParameterizedTest
    @EnumSource
    void listenerThatThrows_isCounted_andThePipeContinues(ConnectionKind kind) throws InterruptedException {
        Peer alice = start(kind);
        Pipes small = Pipes.of(alice)
                .withFlowLimits(FlowLimits.builder().windowBytes(256 * 1024).build());
        InputPipe in = small.listenZeroCopy(small.pipeId("borrowed"), received -> {
            if (received.message().payloadBytes() == 65_000) {
                throw new StackOverflowError("not today");
            }
            throw new IllegalArgumentException("not today");
        });
        OutputPipe out = connect(start(kind), in);
        int messages = 12; // three windows
        for (int i = 0; i < messages; i++) {
            assertThat(out.send(fromArray(65_000 + i % 2))).succeedsWithin(SOON);
        }
        Awaitility.await("all messages")
                .atMost(SOON)
                .until(() -> alice.endpoint().metrics().get(Counter.LISTENER_FAILURES) == messages);
    }

    @ParameterizedTest
    @EnumSource
    void peerThatClosesInMidMessage_leaksNothing(ConnectionKind kind) throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        InputPipe in = listen(start(kind), received -> arrived.countDown());
        Peer bob = start(kind);
        OutputPipe out = connect(bob, in);
        out.send(fromArray(10));
        assertThat(arrived.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> sending = out.send(fromArray(20_000_000));
        peers.get(0).close();
        bob.close();
        Eventually.until(() -> "the future of the message never completes", sending::isDone);
    }

    @ParameterizedTest
    @EnumSource
    void receiveAndASecondListener_fail_untilThePipeIsClosed(ConnectionKind kind) {
        Peer alice = start(kind);
        InputPipe in = listen(alice, received -> {});
        assertThatThrownBy(() -> in.receive(SOON)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> listen(alice, received -> {}))
                .isInstanceOfSatisfying(
                        InvalidCallException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_BOUND));
        in.close();
        InputPipe again = listen(alice, received -> {});
        assertThat(again.isClosing()).isFalse();
    }
}

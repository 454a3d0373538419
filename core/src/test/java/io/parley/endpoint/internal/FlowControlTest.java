package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.SOON;
import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.bytes;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.link;
import static io.parley.endpoint.internal.EndpointFixture.sendWhenWritable;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.concurrent.EventExecutor;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.ServiceOptions;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Windows, queues and budgets: each refuses or delays messages while it is full, and accepts them when there is room. */
class FlowControlTest {

    private static final int WINDOW = 128 * 1024;
    private static final int SIZE = 30_000;

    /** Enough for a window to grow although no message is released. */
    private static final int PEER_MEMORY = 16 * WINDOW;

    private static final EndpointLimits SMALL = EndpointLimits.DEFAULTS.toBuilder()
            .windowBytes(WINDOW)
            .queueBytes(WINDOW)
            .peerMemoryBytes(PEER_MEMORY)
            .totalMemoryBytes(2 * PEER_MEMORY)
            .build();

    private final EndpointFixture fixture = new EndpointFixture();
    private final BlockingQueue<ReceivedMessage> held = new LinkedBlockingQueue<>();
    private volatile boolean closing;
    private final PeerEndpoint alice = fixture.start(SMALL);
    private final PeerEndpoint bob = fixture.start(SMALL);

    FlowControlTest() {
        exchangeAddresses(alice, bob);
        alice.listen(SERVICE, message -> {
            held.add(message);
            if (closing) {
                message.release();
            }
        });
    }

    @AfterEach
    void closeAll() {
        closing = true; // the close sends the queued messages
        held.forEach(ReceivedMessage::release);
        fixture.close();
    }

    private ReceivedMessage next() throws InterruptedException {
        ReceivedMessage next = held.poll(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(next).as("a message").isNotNull();
        return next;
    }

    /**
     * Fills the window, which grows to its maximum, and the queue. Five messages exceed the window, because a message may start
     * while one byte is left.
     */
    private List<CompletableFuture<Void>> fill(PeerMessenger messenger) {
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            sends.add(sendWhenWritable(messenger, bytes(SIZE)));
        }
        until("the window to fill", () -> held.size() == 5);
        CompletableFuture<Void> last = messenger.send(bytes(SIZE));
        while (!last.isCompletedExceptionally()) {
            sends.add(last);
            last = messenger.send(bytes(SIZE));
        }
        assertFails(last, ErrorCode.QUEUE_FULL, Integer.toString(WINDOW));
        return sends;
    }

    @Test
    void sender_stopsAtTheWindow_andContinuesWhenMessagesAreReleased() throws InterruptedException {
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        List<CompletableFuture<Void>> sends = fill(messenger);
        until(
                "the acknowledgements",
                () -> sends.stream().filter(CompletableFuture::isDone).count() >= 5);
        assertThat(join(bob.ping(alice.peerId()))).isPositive();
        assertThat(held).hasSize(5);
        assertThat(sends.stream().filter(CompletableFuture::isDone)).hasSize(5);
        for (int i = 0; i < sends.size(); i++) {
            next().release();
        }
        sends.forEach(EndpointFixture::join);
        messenger.close();
    }

    @Test
    void serviceWithItsOwnWindow_stopsTheSenderThere() throws InterruptedException {
        ServiceAddress narrow = ServiceAddress.of("narrow");
        alice.listen(narrow, ServiceOptions.DEFAULTS.withWindowBytes(2 * SIZE), held::add);
        PeerMessenger messenger = bob.messenger(alice.peerId(), narrow);
        for (int i = 0; i < 5; i++) {
            messenger.send(bytes(SIZE));
        }
        until("the window to fill", () -> held.size() == 2); // their cost exceeds the window
        assertThat(join(bob.ping(alice.peerId()))).isPositive();
        assertThat(held).hasSize(2);
        for (int i = 0; i < 5; i++) {
            next().release();
        }
        messenger.close();
    }

    @Test
    void windowOutOfRange_isRefused_withTheRange() {
        for (int windowBytes : List.of(0, EndpointLimits.MIN_WINDOW_BYTES - 1, PEER_MEMORY + 1)) {
            assertThatThrownBy(() -> alice.listen(
                            ServiceAddress.of("odd"),
                            ServiceOptions.DEFAULTS.withWindowBytes(windowBytes),
                            ReceivedMessage::release))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("windowBytes: " + windowBytes)
                    .hasMessageContaining(EndpointLimits.MIN_WINDOW_BYTES + " to peerMemoryBytes " + PEER_MEMORY);
        }
        alice.listen(
                        ServiceAddress.of("odd"),
                        ServiceOptions.DEFAULTS.withWindowBytes(PEER_MEMORY),
                        ReceivedMessage::release)
                .close();
    }

    @Test
    void manySizes_neverExceedTheWindow() throws InterruptedException {
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        int[] sizes = {0, 1, 70_000, 3, 65_536, 200_000, 64_000, 200_001, 131_072, 5};
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            for (int round = 0; round < 20; round++) {
                for (int size : sizes) {
                    sendWhenWritable(messenger, bytes(size));
                }
            }
        });
        for (int i = 0; i < 20 * sizes.length; i++) {
            ReceivedMessage received = next();
            assertThat(received.message().bytes("data").orElseThrow()).hasSize(sizes[i % sizes.length]);
            received.release();
        }
        join(sending);
        assertThat(count(alice, Counter.CONNECTIONS_DROPPED)).isZero();
        messenger.close();
    }

    /** Otherwise less memory is left for other peers of the process. */
    @Test
    void messageReleasedAfterTheEndOfTheEventLoop_itsMemoryIsReleased() throws InterruptedException {
        join(bob.messenger(alice.peerId(), SERVICE).send(bytes(SIZE)));
        ReceivedMessage received = next();
        EventExecutor eventLoop = (EventExecutor) link(alice, bob).context().executor();
        join(alice.closeAsync());
        join(bob.closeAsync());
        until("the end of the event loop", eventLoop::isTerminated);
        assertThat(alice.reservedBytes()).isPositive();
        received.release();
        assertThat(alice.reservedBytes()).isZero();
    }

    @Test
    void isWritable_whileTrue_aMessageOfAnySizeIsAccepted() {
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        for (int i = 0; i < 5; i++) {
            sendWhenWritable(messenger, bytes(SIZE)); // the window
        }
        until("the window to fill", () -> held.size() == 5);
        int size = SIZE;
        while (messenger.isWritable()) {
            assertThat(messenger.send(bytes(size))).isNotCompletedExceptionally();
            size += 1000;
        }
        assertFails(messenger.send(bytes(0)), ErrorCode.QUEUE_FULL, Integer.toString(WINDOW));
    }

    @Test
    void closedWhenThereIsRoom_theLastMessageIsSentBeforeTheEnd() throws InterruptedException {
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        for (int i = 0; i < 5; i++) {
            sendWhenWritable(messenger, bytes(SIZE)); // the window
        }
        until("the window to fill", () -> held.size() == 5);
        CompletableFuture<Void> last = messenger.send(bytes(WINDOW));
        messenger.whenWritable().thenRun(messenger::closeAsync);
        for (int i = 0; i < 5; i++) {
            next().release();
        }
        join(last);
        ReceivedMessage arrived = next();
        assertThat(arrived.message().payloadBytes()).isEqualTo(WINDOW);
        arrived.release();
        join(messenger.whenClosed());
    }

    @Test
    void whenWritable_afterARefusal_waitsForRoom() throws InterruptedException {
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        fill(messenger);
        assertThat(messenger.isWritable()).isFalse();
        CompletableFuture<Void> writable = messenger.whenWritable();
        assertThat(writable).isNotDone();
        while (!writable.isDone()) {
            next().release();
        }
        join(writable);
        assertThat(messenger.isWritable()).isTrue();
        assertThat(messenger.send(bytes(SIZE))).isNotCompletedExceptionally();
        held.forEach(ReceivedMessage::release);
    }

    @Test
    void blockingSend_whenTheQueueIsFull_timesOut_isInterrupted_orWaits() throws Exception {
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        fill(messenger);
        assertTimesOut(messenger, Duration.ofMillis(20));
        assertTimesOut(messenger, Duration.ZERO);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> messenger.send(bytes(SIZE), SOON)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        CompletableFuture<Void> waiting = sendBlocking(messenger, Duration.ofSeconds(Long.MAX_VALUE));
        while (!waiting.isDone()) {
            ReceivedMessage received = held.poll(1, TimeUnit.MILLISECONDS);
            if (received != null) {
                received.release();
            }
        }
        join(waiting);
    }

    private static void assertTimesOut(PeerMessenger messenger, Duration timeout) {
        assertThatThrownBy(() -> messenger.send(bytes(SIZE), timeout))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT))
                .hasMessageContaining("within " + timeout.toMillis() + " ms");
    }

    private static CompletableFuture<Void> sendBlocking(PeerMessenger messenger, Duration timeout) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                messenger.send(bytes(SIZE), timeout);
                result.complete(null);
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    /** A message that is queued but not sent when the time is up is removed, so that a retry does not duplicate it. */
    @Test
    void blockingSend_whenTheWindowIsFull_timesOutOrIsInterrupted_andTheMessageIsNeverSent() throws Exception {
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        for (int i = 0; i < 5; i++) {
            messenger.send(bytes(SIZE), SOON); // the window
        }
        until("the window to fill", () -> held.size() == 5);
        for (int i = 0; i < 20; i++) { // more than the queue holds
            assertTimesOut(messenger, Duration.ofMillis(1));
        }
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> messenger.send(bytes(SIZE), SOON)).isInstanceOf(InterruptedException.class);
        assertThat(messenger.send(bytes(1))).isNotDone();
        for (int i = 0; i < 5; i++) {
            next().release();
        }
        ReceivedMessage last = next();
        assertThat(last.message().bytes("data").orElseThrow()).hasSize(1);
        last.release();
        join(messenger.closeAsync());
        assertThat(held).isEmpty();
    }

    @Test
    void blockingSend_whenTheServiceDoesNotExist_fails() {
        PeerMessenger messenger = bob.messenger(alice.peerId(), ServiceAddress.of("none"));
        assertThatThrownBy(() -> messenger.send(bytes(SIZE), SOON))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SUCH_SERVICE));
    }

    @Test
    void blockingSend_onAnEventLoop_isRefused() {
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        join(messenger.resolve());
        CompletableFuture<Void> tried = new CompletableFuture<>();
        link(bob, alice).context().run(() -> {
            try {
                messenger.send(bytes(1), SOON);
                tried.complete(null);
            } catch (InterruptedException | IllegalStateException e) {
                tried.completeExceptionally(e);
            }
        });
        assertThatThrownBy(() -> join(tried))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("whenWritable");
    }

    @Test
    void messageBeyondThePeerMemory_isBusy_andAcceptedAfterRelease() throws InterruptedException {
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        messenger.send(bytes(PEER_MEMORY + WINDOW)); // written before the refusal arrives, so its future may complete
        until("the message to be sent", () -> count(bob, Counter.MESSAGES_SENT) == 1);
        until(
                "the message to be refused",
                () -> alice.reservedBytes() == 0
                        && !link(alice, bob).hasInboundChannels()
                        && messenger.codec().isEmpty()); // bob has received the refusal
        join(messenger.send(bytes(PEER_MEMORY - 1000)));
        ReceivedMessage received = next();
        assertThat(alice.reservedBytes()).isGreaterThan(PEER_MEMORY - 1000);
        received.release();
        until("only the window to be reserved", () -> alice.reservedBytes() <= WINDOW);
        assertThat(count(alice, Counter.CONNECTIONS_DROPPED)).isZero();
        messenger.close();
    }

    @Test
    void memoryShortage_isBusy_withLimitValueAndRemedy() {
        int window = EndpointLimits.MIN_WINDOW_BYTES;
        PeerEndpoint dave = fixture.start(SMALL.toBuilder()
                .windowBytes(window)
                .peerMemoryBytes(3 * window)
                .totalMemoryBytes(4 * window)
                .build());
        exchangeAddresses(dave, bob);
        for (int i = 0; i < 4; i++) {
            dave.listen(new ServiceAddress("s", Integer.toString(i)), ReceivedMessage::release);
        }
        for (int i = 0; i < 3; i++) {
            join(bob.messenger(dave.peerId(), new ServiceAddress("s", Integer.toString(i)))
                    .resolve());
        }
        assertThat(dave.reservedBytes()).isEqualTo(3L * window);
        assertFails(
                bob.messenger(dave.peerId(), new ServiceAddress("s", "3")).resolve(),
                ErrorCode.BUSY,
                "no memory for another channel",
                "peerMemoryBytes: " + 3 * window + " of " + 3 * window + " bytes in use",
                "raise EndpointLimits.peerMemoryBytes");
        PeerEndpoint carol = fixture.start(SMALL);
        exchangeAddresses(dave, carol);
        join(carol.messenger(dave.peerId(), new ServiceAddress("s", "0")).resolve());
        assertFails(
                carol.messenger(dave.peerId(), new ServiceAddress("s", "1")).resolve(),
                ErrorCode.BUSY,
                "totalMemoryBytes: " + 4 * window + " of " + 4 * window + " bytes in use",
                "raise EndpointLimits.totalMemoryBytes");
        bob.close();
        until("the memory of bob to be released", () -> dave.reservedBytes() == window);
        join(carol.messenger(dave.peerId(), new ServiceAddress("s", "1")).resolve());
    }

    @Test
    void channels_areBounded_onBothSides() {
        PeerEndpoint dave = fixture.start(SMALL.toBuilder().maxChannels(2).build());
        PeerEndpoint erin = fixture.start();
        exchangeAddresses(dave, erin, alice);
        for (int i = 0; i < 3; i++) {
            dave.listen(new ServiceAddress("s", Integer.toString(i)), ReceivedMessage::release);
            erin.listen(new ServiceAddress("s", Integer.toString(i)), ReceivedMessage::release);
        }
        for (int i = 0; i < 2; i++) {
            join(dave.messenger(erin.peerId(), new ServiceAddress("s", Integer.toString(i)))
                    .resolve());
            join(erin.messenger(dave.peerId(), new ServiceAddress("s", Integer.toString(i)))
                    .resolve());
        }
        assertFails(
                dave.messenger(erin.peerId(), new ServiceAddress("s", "2")).resolve(), ErrorCode.BUSY, "maxChannels");
        assertFails(erin.messenger(dave.peerId(), new ServiceAddress("s", "2")).resolve(), ErrorCode.BUSY);
    }

    @Test
    void silentPeer_isDropped_andARespondingOneIsNot() throws InterruptedException {
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint dave = fixture.start(Identity.generate(), SMALL, time);
        join(dave.listen(EndpointAddress.parse("mem://any")));
        exchangeAddresses(dave, bob);
        join(bob.connect(dave.peerId()));
        RawPeer silent = RawPeer.connect(fixture, dave);
        EventExecutor eventLoopOfDave =
                (EventExecutor) link(dave, bob).context().executor();
        EventExecutor eventLoopOfBob = (EventExecutor) link(bob, dave).context().executor();
        while (dave.isConnected(silent.identity.peerId())) {
            time.advance(SMALL.keepAliveInterval().dividedBy(2)); // at most one check of each link
            Eventually.run(eventLoopOfDave, () -> {}); // sends the ping
            Eventually.run(eventLoopOfBob, () -> {}); // responds
            Eventually.run(eventLoopOfDave, () -> {}); // receives the response
        }
        silent.expect("PING 0");
        silent.expectClosed();
        until("only bob to be left", () -> dave.connectedPeers().equals(Set.of(bob.peerId())));
        assertThat(count(bob, Counter.CONNECTIONS_CLOSED)).isZero();
    }
}

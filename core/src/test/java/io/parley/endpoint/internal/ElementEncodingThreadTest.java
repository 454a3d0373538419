package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.SOON;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.codec.internal.BinaryMessageCodec;
import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.EncodingScheme;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceOptions;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The threads on which the elements of a message are encoded. */
@Timeout(120)
class ElementEncodingThreadTest {

    private static final int SHORT_BYTES = 100;
    private static final String LONG = "x".repeat(SHORT_BYTES + 1);

    private final EndpointFixture fixture = new EndpointFixture();
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Changes nothing, remembers the threads, and waits before it encodes a long content. */
    private static final class RecordingScheme implements EncodingScheme {

        private final int maxStateBytes;
        private final Map<Long, Thread> threads = new ConcurrentHashMap<>();
        private final CountDownLatch longStarted = new CountDownLatch(1);
        private final CountDownLatch longMayContinue = new CountDownLatch(1);

        private RecordingScheme(boolean hasState) {
            this.maxStateBytes = hasState ? 1 : 0;
        }

        @Override
        public String name() {
            return "recording";
        }

        @Override
        public boolean accepts(MessageElement element) {
            return true;
        }

        @Override
        public int maxStateBytes() {
            return maxStateBytes;
        }

        @Override
        public int maxEventLoopBytes() {
            return SHORT_BYTES;
        }

        @Override
        public Optional<Payload> encode(MessageElement element) {
            threads.put(element.size(), Thread.currentThread());
            if (element.size() > SHORT_BYTES) {
                longStarted.countDown();
                await(longMayContinue);
            }
            return Optional.of(element.payload());
        }

        @Override
        public Payload decode(MessageElement element, long maxBytes) {
            return element.payload();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private PeerEndpoint receiver(boolean hasState) {
        PeerEndpoint endpoint = fixture.start();
        endpoint.listen(
                SERVICE, ServiceOptions.DEFAULTS.withDecoding(List.of(new RecordingScheme(hasState))), this::read);
        return endpoint;
    }

    private void read(ReceivedMessage message) {
        received.add(message.message().text("text").orElseThrow());
        message.release();
    }

    /** Returns a messenger whose channel is open. */
    private static PeerMessenger messenger(PeerEndpoint from, PeerEndpoint to, EncodingScheme scheme) {
        from.addPeerAddress(to.peerAddress());
        PeerMessenger messenger =
                from.messenger(to.peerId(), SERVICE, MessengerOptions.DEFAULTS.withEncoding(EncodingPolicy.of(scheme)));
        join(messenger.send(text("")));
        return messenger;
    }

    /** Sends the messages as a callback on an event loop does, and waits until the calls have returned. */
    private static Thread sendOnEventLoop(PeerMessenger messenger, List<CompletableFuture<Void>> sent, String... texts)
            throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread eventLoop = new FastThreadLocalThread(() -> {
            for (String each : texts) {
                Message message = text(each);
                sent.add(messenger.send(message));
            }
        });
        eventLoop.setUncaughtExceptionHandler((thread, thrown) -> failure.set(thrown));
        eventLoop.start();
        eventLoop.join(SOON.toMillis());
        assertThat(eventLoop.isAlive()).as("the sender waits").isFalse();
        assertThat(failure).hasNullValue();
        return eventLoop;
    }

    private List<String> receivedAfter(List<CompletableFuture<Void>> sent) {
        sent.forEach(EndpointFixture::join);
        return received.stream().filter(text -> !text.isEmpty()).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shortMessage_isEncodedOnTheEventLoop(boolean hasState) throws Exception {
        RecordingScheme scheme = new RecordingScheme(hasState);
        PeerMessenger messenger = messenger(fixture.start(), receiver(hasState), scheme);
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        Thread eventLoop = sendOnEventLoop(messenger, sent, "1", "22");
        assertThat(receivedAfter(sent)).containsExactly("1", "22");
        assertThat(scheme.threads).containsEntry(1L, eventLoop).containsEntry(2L, eventLoop);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void longMessage_isEncodedOnAnotherThread(boolean hasState) throws Exception {
        RecordingScheme scheme = new RecordingScheme(hasState);
        scheme.longMayContinue.countDown();
        PeerMessenger messenger = messenger(fixture.start(), receiver(hasState), scheme);
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        Thread eventLoop = sendOnEventLoop(messenger, sent, LONG);
        assertThat(receivedAfter(sent)).containsExactly(LONG);
        assertThat(scheme.threads.get((long) LONG.length())).isNotSameAs(eventLoop);
    }

    @Test
    void shortMessage_behindALongOneThatIsBeingEncoded_doesNotWait_andKeepsItsOrder() throws Exception {
        RecordingScheme scheme = new RecordingScheme(true);
        PeerMessenger messenger = messenger(fixture.start(), receiver(true), scheme);
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        sendOnEventLoop(messenger, sent, LONG);
        await(scheme.longStarted);
        Thread eventLoop = sendOnEventLoop(messenger, sent, "1");
        scheme.longMayContinue.countDown();
        assertThat(receivedAfter(sent)).containsExactly(LONG, "1");
        assertThat(scheme.threads.get(1L)).isNotSameAs(eventLoop);
    }

    @Test
    void shortMessage_behindALongOneThatHasNotBegun_leavesBothToTheOtherThread() throws Exception {
        PeerEndpoint sender = fixture.start();
        PeerEndpoint receiver = receiver(true);
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        RecordingScheme scheme = new RecordingScheme(true);
        scheme.longMayContinue.countDown();
        PeerMessenger messenger = messenger(sender, receiver, scheme);
        RecordingScheme occupying = new RecordingScheme(true);
        List<PeerMessenger> others = new ArrayList<>();
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) { // as many as threads that encode
            others.add(messenger(sender, receiver, occupying));
        }
        for (PeerMessenger other : others) {
            sendOnEventLoop(other, sent, LONG);
        }
        await(occupying.longStarted);
        String ownLong = LONG + "own";
        Thread eventLoop = sendOnEventLoop(messenger, sent, ownLong, "1");
        occupying.longMayContinue.countDown();
        assertThat(receivedAfter(sent))
                .containsSubsequence(ownLong, "1"); // the other channels have no order among these
        assertThat(scheme.threads.values()).isNotEmpty().doesNotContain(eventLoop);
    }

    /** The next connection finds the messages that wait. */
    @Test
    void executorThatFailsOnce_isUsedAgain() {
        AtomicBoolean failing = new AtomicBoolean(true);
        Executor threads = PeerEndpoint.newDecodingThreads();
        PeerEndpoint sender = fixture.start(
                EndpointLimits.DEFAULTS,
                task -> {
                    if (failing.getAndSet(false)) {
                        throw new OutOfMemoryError("no thread, on purpose");
                    }
                    threads.execute(task);
                },
                new BinaryMessageCodec());
        messenger(sender, receiver(true), new RecordingScheme(true));
        assertThat(failing).isFalse();
    }
}

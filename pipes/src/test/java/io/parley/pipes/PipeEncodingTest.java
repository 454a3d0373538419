package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.codec.xml.payload.FastInfosetEncodingScheme;
import io.parley.encoding.AesGcmEncodingScheme;
import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.EncodingScheme;
import io.parley.encoding.KeyRing;
import io.parley.encoding.MessageElementProducer;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.Eventually;
import io.parley.testkit.encoding.ChainedEncodingScheme;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pipes whose elements are encoded: what is on the wire, what arrives, and what happens if that is not possible. */
@Timeout(180)
class PipeEncodingTest {

    private static final Duration SOON = Eventually.DEADLINE;
    private static final String DOCUMENT = "<?xml version=\"1.0\"?><forecasts>"
            + "<forecast place=\"Halifax\">rain</forecast>".repeat(20) + "</forecasts>";
    private static final MessageElement SELECTED = new MessageElementProducer().ofXml("document", DOCUMENT);
    private static final MessageElement UNSELECTED =
            MessageElement.ofXml("copy", "<forecast>sun</forecast>".repeat(20));
    private static final Message MESSAGE = Message.of(SELECTED, UNSELECTED);
    private static final EncodingPolicy FAST_INFOSET =
            EncodingPolicy.of(new FastInfosetEncodingScheme()).withProducedElements();

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();
    private final KeyRing keys = KeyRing.of("summer", new byte[KeyRing.KEY_BYTES]);

    enum Reading {
        QUEUE,
        LISTENER,
        DIRECT_LISTENER,
        ZERO_COPY
    }

    @AfterEach
    void closePeers() {
        peers.forEach(Peer::close);
        peers.forEach(peer -> Eventually.get(peer.whenClosed(), "closing a peer"));
    }

    private Peer start(PeerBuilder builder) {
        Peer peer = builder.start();
        peers.add(peer);
        return peer;
    }

    private Peer startInMemory() {
        return start(Peer.builder().transport(network.transportProvider()).listen("mem://any"));
    }

    private Peer startPlaintext() {
        return start(Peer.builder().listen("tcp://127.0.0.1:0").security(TransportSecurity.PLAINTEXT));
    }

    private static PipeMessage receive(InputPipe in) throws InterruptedException {
        return in.receive(SOON).orElseThrow(() -> new AssertionError("no message within " + SOON));
    }

    @Test
    void selectedElement_isEncodedOnTheWire_andTheOtherIsEqual() throws Exception {
        Peer alice = startPlaintext();
        Peer bob = startPlaintext();
        byte[] encoded =
                new FastInfosetEncodingScheme().encode(SELECTED).orElseThrow().toByteArray();
        try (RecordingProxy proxy = new RecordingProxy(alice);
                InputPipe in = Pipes.of(alice).open("forecast");
                OutputPipe out = Pipes.of(bob).withEncoding(FAST_INFOSET).connect(proxy.address(), "forecast", SOON)) {
            for (int i = 0; i < 3; i++) {
                Eventually.get(out.send(MESSAGE), "sending");
                assertThat(receive(in).message()).isEqualTo(MESSAGE);
            }
            assertThat(proxy.contains(encoded)).as("encoded content").isTrue();
            assertThat(proxy.contains("~fi~document")).as("mark").isTrue();
            assertThat(proxy.contains(SELECTED.toByteArray()))
                    .as("selected content")
                    .isFalse();
            assertThat(proxy.contains(UNSELECTED.toByteArray()))
                    .as("unselected content")
                    .isTrue();
            assertThat(proxy.contains("~fi~copy")).as("mark of unselected").isFalse();
        }
    }

    @Test
    void twoSchemes_elementsAreCompressedAndEncrypted() throws Exception {
        Peer alice = startPlaintext();
        Peer bob = startPlaintext();
        EncodingPolicy policy = EncodingPolicy.of(new FastInfosetEncodingScheme(), new AesGcmEncodingScheme(keys))
                .withProducedElements();
        byte[] encoded =
                new FastInfosetEncodingScheme().encode(SELECTED).orElseThrow().toByteArray();
        try (RecordingProxy proxy = new RecordingProxy(alice);
                InputPipe in = Pipes.of(alice)
                        .withDecoding(new AesGcmEncodingScheme(keys))
                        .open("forecast");
                OutputPipe out = Pipes.of(bob).withEncoding(policy).connect(proxy.address(), "forecast", SOON)) {
            for (int i = 0; i < 3; i++) {
                Eventually.get(out.send(MESSAGE), "sending");
                assertThat(receive(in).message()).isEqualTo(MESSAGE);
            }
            assertThat(proxy.contains("~+aes-gcm~~fi~document"))
                    .as("first mark")
                    .isTrue();
            assertThat(proxy.contains("~aes-gcm~~fi~document")).as("mark").isTrue();
            assertThat(proxy.contains(encoded)).as("encoded content").isFalse();
            assertThat(proxy.contains(SELECTED.toByteArray()))
                    .as("selected content")
                    .isFalse();
            assertThat(proxy.contains(UNSELECTED.toByteArray()))
                    .as("unselected content")
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void schemesWithState_eachKindOfInputPipe_getsTheOriginalMessages(Reading reading) throws Exception {
        Peer alice = startInMemory();
        Peer bob = startInMemory();
        EncodingScheme[] schemes = {new ChainedEncodingScheme("chained"), new AesGcmEncodingScheme(keys)};
        BlockingQueue<Message> received = new LinkedBlockingQueue<>();
        Pipes pipes = Pipes.of(alice).withDecoding(schemes);
        try (InputPipe in = open(pipes, reading, received);
                OutputPipe out =
                        Pipes.of(bob).withEncoding(EncodingPolicy.of(schemes)).connect(in.ticket(), SOON)) {
            for (int i = 0; i < 300; i++) {
                out.send(
                        Message.builder()
                                .add("~number", Integer.toString(i))
                                .add("content", new byte[i % 50 == 0 ? 200_000 : i])
                                .build(),
                        SOON);
                if (reading == Reading.QUEUE) { // unread messages would use up the window
                    received.add(receive(in).message());
                }
            }
            for (int i = 0; i < 300; i++) {
                Message next = received.poll(SOON.toSeconds(), TimeUnit.SECONDS);
                assertThat(next.text("~number")).contains(Integer.toString(i));
                assertThat(next.elements().get(1).size()).isEqualTo(i % 50 == 0 ? 200_000 : i);
            }
        }
    }

    private static InputPipe open(Pipes pipes, Reading reading, BlockingQueue<Message> received) {
        return switch (reading) {
            case QUEUE -> pipes.open(pipes.pipeId("p"));
            case LISTENER -> pipes.listen(pipes.pipeId("p"), message -> received.add(message.message()));
            case DIRECT_LISTENER ->
                pipes.listen(pipes.pipeId("p"), message -> received.add(message.message()), Runnable::run);
            case ZERO_COPY -> pipes.listenZeroCopy(pipes.pipeId("p"), message -> received.add(copy(message.message())));
        };
    }

    private static Message copy(Message borrowed) {
        return Message.of(borrowed.elements().stream()
                .map(element -> element.withPayload(Payload.of(element.toByteArray())))
                .toList());
    }

    @Test
    void manyThreads_sendAndReceive_schemesWithStateStayInOrder() throws Exception {
        Peer alice = startInMemory();
        Peer bob = startInMemory();
        EncodingScheme scheme = new ChainedEncodingScheme("chained");
        int threads = 4;
        int each = 500;
        var executor = Executors.newFixedThreadPool(2 * threads);
        try (InputPipe in = Pipes.of(alice).withDecoding(scheme).open("p");
                OutputPipe out =
                        Pipes.of(bob).withEncoding(EncodingPolicy.of(scheme)).connect(alice.address(), "p", SOON)) {
            List<CompletableFuture<Void>> work = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                work.add(CompletableFuture.runAsync(
                        () -> repeat(each, () -> out.send(Message.of("a", "b"), SOON)), executor));
                work.add(CompletableFuture.runAsync(
                        () -> repeat(
                                each, () -> assertThat(receive(in).text("a")).contains("b")),
                        executor));
            }
            work.forEach(task -> Eventually.get(task, "sending and receiving"));
            assertThat(alice.metrics().get("parley.endpoint.messages.undecodable"))
                    .isZero();
        } finally {
            executor.shutdownNow();
        }
    }

    private interface Action {
        void run() throws InterruptedException;
    }

    private static void repeat(int times, Action action) {
        for (int i = 0; i < times; i++) {
            try {
                action.run();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void receiverWithoutTheScheme_getsPlainElements() throws Exception {
        Peer alice = startPlaintext();
        Peer bob = startPlaintext();
        Message message = MESSAGE.with(MessageElement.ofText("~fi~tilde", "text"));
        try (RecordingProxy proxy = new RecordingProxy(alice);
                InputPipe in = Pipes.of(alice).withoutDecoding().open("forecast");
                OutputPipe out = Pipes.of(bob).withEncoding(FAST_INFOSET).connect(proxy.address(), "forecast", SOON)) {
            Eventually.get(out.send(message), "sending");
            assertThat(receive(in).message()).isEqualTo(message);
            assertThat(proxy.contains(SELECTED.toByteArray()))
                    .as("selected content")
                    .isTrue();
        }
    }

    @Test
    void zeroCopyPipe_decodesByThePassedSchemesOnly() throws Exception {
        assertThat(isEncodedForZeroCopyPipe()).as("by an installed scheme").isFalse();
        assertThat(isEncodedForZeroCopyPipe(new FastInfosetEncodingScheme()))
                .as("by a passed scheme")
                .isTrue();
    }

    private boolean isEncodedForZeroCopyPipe(EncodingScheme... passed) throws Exception {
        Peer alice = startPlaintext();
        Peer bob = startPlaintext();
        BlockingQueue<Message> received = new LinkedBlockingQueue<>();
        try (RecordingProxy proxy = new RecordingProxy(alice);
                InputPipe in = open(Pipes.of(alice).withDecoding(passed), Reading.ZERO_COPY, received);
                OutputPipe out = Pipes.of(bob).withEncoding(FAST_INFOSET).connect(proxy.address(), "p", SOON)) {
            Eventually.get(out.send(MESSAGE), "sending");
            assertThat(received.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(MESSAGE);
            return proxy.contains("~fi~document");
        }
    }

    @Test
    void receiverWithoutOneOfTwoSchemes_getsTheOtherEncoding() throws Exception {
        Peer alice = startInMemory();
        Peer bob = startInMemory();
        EncodingPolicy policy =
                EncodingPolicy.of(new ChainedEncodingScheme("unknown"), new FastInfosetEncodingScheme());
        try (InputPipe in = Pipes.of(alice).open("forecast");
                OutputPipe out = Pipes.of(bob).withEncoding(policy).connect(alice.address(), "forecast", SOON)) {
            Eventually.get(out.send(MESSAGE), "sending");
            assertThat(receive(in).message()).isEqualTo(MESSAGE);
        }
    }

    @Test
    void receiverWithoutARequiredScheme_isRefused() throws Exception {
        Peer alice = startInMemory();
        Peer bob = startInMemory();
        try (InputPipe in = Pipes.of(alice).withoutDecoding().open("forecast")) {
            Pipes requiring = Pipes.of(bob).withEncoding(FAST_INFOSET.withRequiredSchemes());
            Pipes encrypting = Pipes.of(bob).withEncoding(EncodingPolicy.of(new AesGcmEncodingScheme(keys)));
            for (Pipes pipes : List.of(requiring, encrypting)) {
                assertThatThrownBy(() -> pipes.connect(in.ticket(), SOON))
                        .isInstanceOfSatisfying(
                                ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_COMMON_CODEC))
                        .hasMessageContaining(
                                "is required, and peer " + alice.id().shortText());
            }
            assertThat(in.receive(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void receiverWithoutTheKey_dropsAndCounts_andTheSenderLearnsWhy() throws Exception {
        Peer alice = startInMemory();
        Peer bob = startInMemory();
        KeyRing others = KeyRing.of("winter", new byte[KeyRing.KEY_BYTES]);
        try (InputPipe in = Pipes.of(alice)
                        .withDecoding(new AesGcmEncodingScheme(others))
                        .open("forecast");
                InputPipe other = Pipes.of(alice).open("other");
                OutputPipe unaffected = Pipes.of(bob).connect(other.ticket(), SOON);
                OutputPipe out = Pipes.of(bob)
                        .withEncoding(EncodingPolicy.of(new AesGcmEncodingScheme(keys)))
                        .connect(in.ticket(), SOON)) {
            Eventually.get(out.send(MESSAGE), "sending");
            assertThat(in.receive(Duration.ofMillis(200))).isEmpty();
            assertThat(alice.metrics().get("parley.endpoint.messages.undecodable"))
                    .isEqualTo(1);
            keys.add("winter", new byte[KeyRing.KEY_BYTES]);
            keys.select("winter");
            boolean arrived = false;
            for (int i = 0; i < 100 && !arrived; i++) { // those that the refusal of the channel overtakes fail
                out.send(MESSAGE);
                arrived = in.receive(Duration.ofMillis(100)).isPresent();
            }
            assertThat(arrived).isTrue();
            Eventually.get(unaffected.send(MESSAGE), "sending on the same connection");
            assertThat(receive(other).message()).isEqualTo(MESSAGE);
        }
    }

    /** Encodes contents of zeros as their size. */
    private record RunLength(int lie) implements EncodingScheme {

        @Override
        public String name() {
            return "zeros";
        }

        @Override
        public boolean accepts(MessageElement element) {
            return true;
        }

        @Override
        public Optional<Payload> encode(MessageElement element) {
            return Optional.of(Payload.of(
                    ByteBuffer.allocate(8).putLong(element.size() + lie).flip()));
        }

        @Override
        public Payload decode(MessageElement element, long maxBytes) {
            return Payload.of(new byte[(int) element.asByteBuffer().getLong()]); // does not check, as a faulty scheme
        }
    }

    @Test
    void decodedSize_isBoundedByTheMaximumSizeOfAMessage() throws Exception {
        int max = 100_000;
        EndpointLimits limits = EndpointLimits.DEFAULTS;
        Peer alice = start(Peer.builder()
                .transport(network.transportProvider())
                .listen("mem://any")
                .limits(limits.toBuilder()
                        .messages(limits.messages().toBuilder()
                                .maxMessageBytes(max)
                                .maxElementBytes(max)
                                .build())
                        .build()));
        Peer bob = startInMemory();
        try (InputPipe in = Pipes.of(alice).withDecoding(new RunLength(0)).open("p");
                OutputPipe lying = Pipes.of(bob)
                        .withEncoding(EncodingPolicy.of(new RunLength(1)))
                        .connect(in.ticket(), SOON);
                OutputPipe honest = Pipes.of(bob)
                        .withEncoding(EncodingPolicy.of(new RunLength(0)))
                        .connect(in.ticket(), SOON)) {
            honest.send(Message.of("a", new byte[max]), SOON);
            assertThat(receive(in).message().payloadBytes()).isEqualTo(max);
            assertThatThrownBy(() -> honest.send(Message.of("a", new byte[max + 1]), SOON))
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MESSAGE_TOO_LARGE));
            lying.send(Message.of("a", new byte[max]), SOON);
            assertThat(in.receive(Duration.ofMillis(200))).isEmpty();
            assertThat(alice.metrics().get("parley.endpoint.messages.undecodable"))
                    .isEqualTo(1);
            honest.send(MESSAGE, SOON);
            assertThat(receive(in).message().size()).isEqualTo(2);
        }
    }

    /** Changes nothing, and counts. */
    private record CountingScheme(AtomicInteger decoded) implements EncodingScheme {

        @Override
        public String name() {
            return "counting";
        }

        @Override
        public boolean accepts(MessageElement element) {
            return true;
        }

        @Override
        public Optional<Payload> encode(MessageElement element) {
            return Optional.of(element.payload());
        }

        @Override
        public Payload decode(MessageElement element, long maxBytes) {
            decoded.incrementAndGet();
            return element.payload();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"QUEUE", "LISTENER"})
    void close_withEncodedMessagesThatAreNotRead_decodesNone(Reading reading) throws Exception {
        AtomicInteger decoded = new AtomicInteger();
        EncodingScheme scheme = new CountingScheme(decoded);
        Peer alice = startInMemory();
        Peer bob = startInMemory();
        Pipes pipes = Pipes.of(alice).withDecoding(scheme);
        Queue<Runnable> notExecuted = new ConcurrentLinkedQueue<>();
        try (InputPipe in = reading == Reading.QUEUE
                        ? pipes.open(pipes.pipeId("p"))
                        : pipes.listen(pipes.pipeId("p"), message -> {}, notExecuted::add);
                OutputPipe out =
                        Pipes.of(bob).withEncoding(EncodingPolicy.of(scheme)).connect(in.ticket(), SOON)) {
            for (int i = 0; i < 10; i++) {
                out.send(MESSAGE, SOON); // until it is acknowledged, so it has arrived
            }
            Eventually.get(in.closeAsync(), "closing the pipe");
            assertThat(decoded).hasValue(0);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void close_withARequestThatIsNotRead_respondsThatItWasNotExecuted(boolean headerIsEncoded) throws Exception {
        AtomicInteger decoded = new AtomicInteger();
        EncodingScheme scheme = new CountingScheme(decoded);
        EncodingPolicy policy = EncodingPolicy.of(scheme)
                .withSelector(element -> headerIsEncoded || element.name().equals("document"));
        Peer alice = startInMemory();
        Peer bob = startInMemory();
        Pipes pipes = Pipes.of(alice).withDecoding(scheme);
        try (InputPipe in = pipes.open(pipes.pipeId("p"));
                OutputPipe out = Pipes.of(bob).withEncoding(policy).connect(in.ticket(), SOON)) {
            CompletableFuture<PipeMessage> response = out.requestAsync(MESSAGE, SOON);
            Eventually.get(out.send(MESSAGE), "a message after the request");
            Eventually.get(in.closeAsync(), "closing the pipe");
            assertThat(ParleyException.unwrap(Eventually.failure(response, "the response")))
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SUCH_SERVICE));
            assertThat(decoded).hasValue(headerIsEncoded ? 3 : 0); // of the request alone
        }
    }

    /** A scheme that keeps state cannot decode a request if a message after it was released before. */
    @Test
    void close_withEncryptedRequestsAndMessages_respondsToEachRequest() throws Exception {
        AesGcmEncodingScheme scheme = new AesGcmEncodingScheme(keys);
        Peer alice = startInMemory();
        Peer bob = startInMemory();
        Pipes pipes = Pipes.of(alice).withDecoding(scheme);
        try (InputPipe in = pipes.open(pipes.pipeId("p"));
                OutputPipe out =
                        Pipes.of(bob).withEncoding(EncodingPolicy.of(scheme)).connect(in.ticket(), SOON)) {
            List<CompletableFuture<PipeMessage>> responses = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                responses.add(out.requestAsync(MESSAGE, SOON));
                Eventually.get(out.send(MESSAGE), "a message after the request");
            }
            Eventually.get(in.closeAsync(), "closing the pipe");
            for (CompletableFuture<PipeMessage> response : responses) {
                assertThat(ParleyException.unwrap(Eventually.failure(response, "the response")))
                        .isInstanceOfSatisfying(
                                ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SUCH_SERVICE));
            }
        }
    }

    @Test
    void bestEffort_takesOnlySchemesWithoutState() throws Exception {
        Peer alice = startInMemory();
        Peer bob = startInMemory();
        try (InputPipe in = Pipes.of(alice).open("forecast");
                OutputPipe out = Pipes.of(bob)
                        .withDropOldest()
                        .withEncoding(FAST_INFOSET)
                        .connect(in.ticket(), SOON)) {
            Eventually.get(out.send(MESSAGE), "sending");
            assertThat(receive(in).message()).isEqualTo(MESSAGE);
            Pipes encrypting =
                    Pipes.of(bob).withDropOldest().withEncoding(EncodingPolicy.of(new AesGcmEncodingScheme(keys)));
            assertThatThrownBy(() -> encrypting.connect(in.ticket(), SOON))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("aes-gcm: keeps state");
            assertThatThrownBy(() -> encrypting.connectAsync("forecast", SOON))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("aes-gcm: keeps state");
        }
    }

    @Test
    void withDecoding_nameThatIsNotValid_isRejected() {
        Pipes pipes = Pipes.of(startInMemory());
        assertThatThrownBy(() -> pipes.withDecoding(new ChainedEncodingScheme("Not valid")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Not valid");
    }
}

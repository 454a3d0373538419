package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.SOON;
import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.failure;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.WireStatus;
import io.parley.encoding.AesGcmEncodingScheme;
import io.parley.encoding.EncodingChannel;
import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.EncodingScheme;
import io.parley.encoding.KeyRing;
import io.parley.endpoint.ChannelListener;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.QueueLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceOptions;
import io.parley.endpoint.SharedMessage;
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.frame.Opened;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.encoding.ChainedEncodingScheme;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Channels with encoded elements: the agreement of both peers, memory, and messages that leave the channel. */
@Timeout(120)
class ElementChannelTest {

    private static final int STATE_BYTES = 50_000;
    private static final OptionalLong NONE = OptionalLong.empty();

    private final EndpointFixture fixture = new EndpointFixture();
    private final BlockingQueue<ReceivedMessage> received = new LinkedBlockingQueue<>();
    private final Identity bob = Identity.generate();
    private final EncodingScheme chained = new ChainedEncodingScheme("chained");
    private final EncodingScheme aes = new AesGcmEncodingScheme(KeyRing.of("key", new byte[KeyRing.KEY_BYTES]));

    @AfterEach
    void close() {
        received.forEach(ReceivedMessage::release);
        fixture.close();
    }

    /** A scheme that changes nothing. */
    private record Identical(String name, int maxStateBytes) implements EncodingScheme {

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
            return element.payload();
        }

        @Override
        public EncodingScheme forChannel(EncodingChannel channel) {
            return new Identical(name, maxStateBytes);
        }
    }

    /** A scheme without state that changes nothing, and runs code of the test before. */
    private record Hooked(Runnable beforeChannel, Runnable beforeDecoding) implements EncodingScheme {

        @Override
        public String name() {
            return "hooked";
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
            beforeDecoding.run();
            return element.payload();
        }

        @Override
        public EncodingScheme forChannel(EncodingChannel channel) {
            beforeChannel.run();
            return this;
        }
    }

    private static void overflow() {
        throw new StackOverflowError("on purpose");
    }

    private PeerEndpoint receiver(EndpointLimits limits, EncodingScheme... schemes) {
        PeerEndpoint endpoint = fixture.start(limits);
        endpoint.listen(SERVICE, ServiceOptions.DEFAULTS.withDecoding(List.of(schemes)), received::add);
        return endpoint;
    }

    private PeerMessenger messenger(PeerEndpoint to, EncodingScheme... schemes) {
        PeerEndpoint sender = fixture.start();
        sender.addPeerAddress(to.peerAddress());
        return encodingMessenger(sender, to.peerId(), schemes);
    }

    private static PeerMessenger encodingMessenger(PeerEndpoint from, PeerId to, EncodingScheme... schemes) {
        return from.messenger(to, SERVICE, MessengerOptions.DEFAULTS.withEncoding(EncodingPolicy.of(schemes)));
    }

    private ReceivedMessage next() throws InterruptedException {
        return Objects.requireNonNull(received.poll(SOON.toSeconds(), TimeUnit.SECONDS), "no message");
    }

    private String read() throws InterruptedException {
        ReceivedMessage next = next();
        String text = next.message().text("text").orElseThrow();
        next.release();
        return text;
    }

    // -- agreement

    @Test
    void open_offersTheSchemes_andAReceiverThatNamesNoneGetsPlainElements() throws Exception {
        PeerEndpoint alice = fixture.start();
        RawPeer raw = RawPeer.connectAcknowledging(fixture, alice, bob, 1, NONE);
        PeerMessenger messenger = encodingMessenger(alice, bob.peerId(), new Identical("same", 0), chained);
        messenger.send(text("1"));
        raw.expect("OPEN 1");
        assertThat(raw.offeredSchemes()).containsExactly("same", "chained");
        raw.write(frames -> frames.opened(1, 10_000, NONE));
        String plain = raw.expect("MESSAGE 1");
        raw.write(frames -> frames.ack(1, 1, 0));

        PeerMessenger other = encodingMessenger(alice, bob.peerId(), new Identical("same", 0));
        other.send(text("1"));
        raw.expect("OPEN 2");
        raw.write(frames -> frames.opened(2, new Opened(10_000, NONE, List.of("same", "unknown"), false)));
        String encoded = raw.expect("MESSAGE 2");
        raw.write(frames -> frames.ack(2, 1, 0));
        assertThat(size(encoded)).isEqualTo(size(plain) + "~same~".length());
    }

    private static int size(String frame) {
        return Integer.parseInt(frame.substring(frame.lastIndexOf(' ') + 1));
    }

    @Test
    void messageThatWaitsForRoom_isEncodedAgain_forAReceiverWithOtherSchemes() throws Exception {
        PeerEndpoint alice = fixture.start();
        RawPeer first = RawPeer.connectAcknowledging(fixture, alice, bob, 1, NONE);
        PeerMessenger messenger = alice.messenger(
                bob.peerId(),
                SERVICE,
                MessengerOptions.DEFAULTS
                        .withEncoding(EncodingPolicy.of(new Identical("same", 0)))
                        .withQueueLimits(QueueLimits.of(1, 10_000)));
        messenger.send(text("1"));
        first.expect("OPEN 1");
        first.write(frames -> frames.opened(1, new Opened(1, NONE, List.of("same"), false))); // one message
        String encoded = first.expect("MESSAGE 1");
        messenger.send(text("2"));
        Thread sender = new Thread(() -> {
            try {
                messenger.send(text("3"), SOON);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        sender.start();
        until("the sender waits", () -> sender.getState() == Thread.State.TIMED_WAITING);
        first.connection.abort(null);

        RawPeer second = RawPeer.connectAcknowledging(fixture, alice, bob, 2, OptionalLong.of(1));
        second.expect("OPEN 1");
        second.write(frames -> frames.opened(1, new Opened(10_000, OptionalLong.of(0), List.of(), false)));
        for (int i = 1; i <= 3; i++) {
            assertThat(size(second.expect("MESSAGE 1"))).isEqualTo(size(encoded) - "~same~".length());
            int count = i;
            second.write(frames -> frames.ack(1, count, 0));
        }
        sender.join(SOON.toMillis());
        assertThat(sender.isAlive()).isFalse();
    }

    @Test
    void receiverOfVersion10_isOfferedNoState_andDoesNotGetPlainElementsThatMustBeEncrypted() throws Exception {
        PeerEndpoint alice = fixture.start();
        RawPeer raw = RawPeer.connect(fixture, alice, bob);
        PeerMessenger messenger = encodingMessenger(alice, bob.peerId(), new Identical("same", 0), aes);
        var sent = messenger.send(text("1"));
        raw.expect("OPEN 1");
        assertThat(raw.offeredSchemes()).containsExactly("same");
        raw.write(frames -> frames.opened(1, new Opened(10_000, NONE, List.of("same", "aes-gcm"), false)));
        raw.expect("END 1");
        assertFails(sent, ErrorCode.NO_COMMON_CODEC, "encoding scheme aes-gcm is required");
    }

    @Test
    void open_withoutAChannelNumber_selectsNoScheme_thatKeepsState() throws Exception {
        PeerEndpoint alice = receiver(EndpointLimits.DEFAULTS, new Identical("same", 0), chained);
        RawPeer raw = RawPeer.connectAcknowledging(fixture, alice, bob, 1, NONE);
        Open open = Open.unacknowledged(SERVICE, "").withSchemes(List.of("chained", "same", "unknown"));
        raw.write(frames -> frames.open(1, open));
        assertThat(raw.expect("OPENED 1")).endsWith("[same]");
    }

    @Test
    void receiverWhoseSchemeFailsForTheChannel_refusesIt_andTheConnectionStays() throws Exception {
        PeerEndpoint alice = receiver(EndpointLimits.DEFAULTS, new Hooked(ElementChannelTest::overflow, () -> {}));
        RawPeer raw = RawPeer.connectAcknowledging(fixture, alice, bob, 1, NONE);
        Open open = new Open(SERVICE, "", OptionalLong.of(5), 0);
        raw.write(frames -> frames.open(1, open.withSchemes(List.of("hooked"))));
        raw.expect("REFUSE 1 SERVICE_FAILED");
        assertThat(count(alice, Counter.LISTENER_FAILURES)).isEqualTo(1);
        raw.write(frames -> frames.open(2, open)); // the same channel, without the scheme
        raw.expect("OPENED 2");
        assertThat(alice.reservedBytes()).isEqualTo(EndpointLimits.MIN_WINDOW_BYTES);
        raw.write(frames -> frames.end(2));
        until("the memory to be released", () -> alice.reservedBytes() == 0);
    }

    @Test
    void receiverWhoseSchemeFailsForAResumedChannel_reportsItsLoss() throws Exception {
        AtomicBoolean failing = new AtomicBoolean();
        EncodingScheme scheme = new Hooked(
                () -> {
                    if (failing.get()) {
                        throw new IllegalStateException("on purpose");
                    }
                },
                () -> {});
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        PeerEndpoint alice = fixture.start();
        alice.listenToChannels(
                SERVICE,
                ServiceOptions.DEFAULTS
                        .withWindowBytes(EndpointLimits.MIN_WINDOW_BYTES)
                        .withDecoding(List.of(scheme)),
                peer -> new Recorder(events, ReceivedMessage::release));
        Open open = new Open(SERVICE, "", OptionalLong.of(5), 0, List.of("hooked"));
        RawPeer first = RawPeer.connectAcknowledging(fixture, alice, bob, 1, NONE);
        first.write(frames -> frames.open(1, open));
        first.expect("OPENED 1");
        first.connection.abort(null);
        until("the interruption", () -> events.contains("interrupted"));
        failing.set(true);
        RawPeer second = RawPeer.connectAcknowledging(fixture, alice, bob, 2, OptionalLong.of(1));
        second.write(frames -> frames.open(1, open));
        second.expect("REFUSE 1 SERVICE_FAILED");
        until("the memory to be released", () -> alice.reservedBytes() == 0);
        assertThat(events).containsExactly("interrupted", "lost");
    }

    private record Recorder(BlockingQueue<String> events, Consumer<ReceivedMessage> messages)
            implements ChannelListener {

        @Override
        public void onMessage(ReceivedMessage message) {
            messages.accept(message);
        }

        @Override
        public void onInterrupted() {
            events.add("interrupted");
        }

        @Override
        public void onLost() {
            events.add("lost");
        }
    }

    // -- memory of the state

    @Test
    void stateOfSchemes_isCharged_alsoBetweenConnections_untilTheChannelEnds() throws Exception {
        PeerEndpoint alice = receiver(EndpointLimits.DEFAULTS, new Identical("large", STATE_BYTES));
        Open open = new Open(SERVICE, "", OptionalLong.of(5), 0, List.of("large"));
        RawPeer raw = RawPeer.connectAcknowledging(fixture, alice, bob, 1, NONE);
        raw.write(frames -> frames.open(1, open));
        assertThat(raw.expect("OPENED 1")).endsWith("[large]");
        assertThat(alice.reservedBytes()).isEqualTo(STATE_BYTES + EndpointLimits.MIN_WINDOW_BYTES);
        raw.message(1, Message.of("text", "first"));
        assertThat(read()).isEqualTo("first");
        raw.connection.abort(null);
        until("the loss", () -> alice.connectedPeers().isEmpty());
        until("the window to be released", () -> alice.reservedBytes() == STATE_BYTES);

        RawPeer next = RawPeer.connectAcknowledging(fixture, alice, bob, 2, OptionalLong.of(1));
        next.write(frames -> frames.open(1, open));
        assertThat(next.expect("OPENED 1")).endsWith("[large] with state");
        assertThat(alice.reservedBytes()).isEqualTo(STATE_BYTES + EndpointLimits.MIN_WINDOW_BYTES);
        next.write(frames -> frames.end(1));
        until("the state to be released", () -> alice.reservedBytes() == 0);
    }

    @Test
    void stateOfSchemes_beforeTheFirstMessage_beginsAgain() throws Exception {
        PeerEndpoint alice = receiver(EndpointLimits.DEFAULTS, new Identical("large", STATE_BYTES));
        Open open = new Open(SERVICE, "", OptionalLong.of(5), 0, List.of("large"));
        RawPeer raw = RawPeer.connectAcknowledging(fixture, alice, bob, 1, NONE);
        raw.write(frames -> frames.open(1, open));
        raw.expect("OPENED 1"); // which may get lost, so that the sender still has an earlier state
        raw.connection.abort(null);
        until("the loss", () -> alice.connectedPeers().isEmpty());

        RawPeer next = RawPeer.connectAcknowledging(fixture, alice, bob, 2, OptionalLong.of(1));
        next.write(frames -> frames.open(1, open));
        assertThat(next.expect("OPENED 1")).endsWith("[large]");
        assertThat(alice.reservedBytes()).isEqualTo(STATE_BYTES + EndpointLimits.MIN_WINDOW_BYTES);
        next.connection.abort(null);
    }

    @Test
    void stateOfSchemes_withoutMemory_channelIsRefused() throws Exception {
        EndpointLimits limits = EndpointLimits.DEFAULTS.toBuilder()
                .peerMemoryBytes(1 << 20)
                .windowBytes(1 << 20)
                .build();
        PeerEndpoint alice = receiver(limits, new Identical("huge", 2 << 20));
        RawPeer raw = RawPeer.connectAcknowledging(fixture, alice, bob, 1, NONE);
        Open open = new Open(SERVICE, "", OptionalLong.of(5), 0, List.of("huge"));
        raw.write(frames -> frames.open(1, open));
        raw.expect("REFUSE 1 BUSY");
        raw.write(frames -> frames.open(2, new Open(SERVICE, "", OptionalLong.of(6), 0)));
        raw.expect("OPENED 2");
    }

    @Test
    void decodedMessage_isCharged_untilItIsReleased() throws Exception {
        int size = 500_000;
        EncodingScheme zeros = new EncodingScheme() {
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
                return Optional.of(Payload.of(new byte[1]));
            }

            @Override
            public Payload decode(MessageElement element, long maxBytes) {
                return Payload.of(new byte[size]);
            }
        };
        EndpointLimits limits = EndpointLimits.DEFAULTS.toBuilder()
                .peerMemoryBytes(2L * size)
                .windowBytes(2 * size)
                .build();
        PeerEndpoint alice = receiver(limits, zeros);
        PeerMessenger messenger = messenger(alice, zeros);
        for (int i = 0; i < 2; i++) {
            join(messenger.send(Message.of("a", new byte[size])));
        }
        ReceivedMessage first = next();
        long before = alice.reservedBytes();
        assertThat(first.message().payloadBytes()).isEqualTo(size);
        assertThat(alice.reservedBytes() - before).isBetween(size - 1000L, size + 1000L);
        ReceivedMessage second = next();
        assertThatThrownBy(second::message)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
        second.release();
        first.release();
        until("the memory to be released", () -> alice.reservedBytes() <= before);
        assertThat(count(alice, Counter.MESSAGES_UNDECODABLE)).isEqualTo(1);
    }

    /** Fails as a content would that is larger than any limit. */
    private static final class Inflating implements EncodingScheme {

        private final long stated;
        private final Supplier<Long> memory;
        private final List<Long> limits = new CopyOnWriteArrayList<>();
        private final List<Long> reserved = new CopyOnWriteArrayList<>();

        private Inflating(long stated, Supplier<Long> memory) {
            this.stated = stated;
            this.memory = memory;
        }

        @Override
        public String name() {
            return "inflating";
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
            limits.add(maxBytes);
            reserved.add(memory.get());
            throw ErrorCode.LIMIT_EXCEEDED.exception("inflating: more than " + maxBytes + " bytes");
        }

        @Override
        public long maxDecodedBytes(MessageElement element) {
            return stated;
        }
    }

    /** Returns the budget of the peer that sends one element, which cannot be decoded because there is no memory. */
    private long decodeWithoutMemory(Inflating scheme, AtomicReference<PeerEndpoint> receiver) throws Exception {
        EndpointLimits limits = EndpointLimits.DEFAULTS.toBuilder()
                .peerMemoryBytes(1 << 20)
                .windowBytes(1 << 20)
                .build();
        PeerEndpoint alice = receiver(limits, scheme);
        receiver.set(alice);
        RawPeer raw = RawPeer.connectAcknowledging(fixture, alice, bob, 1, NONE);
        raw.write(frames -> frames.open(1, new Open(SERVICE, "", OptionalLong.of(5), 0, List.of("inflating"))));
        raw.expect("OPENED 1");
        raw.message(1, Message.of("~inflating~text", "1"));
        ReceivedMessage message = next();
        assertThatThrownBy(message::message)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
        message.release();
        until("the memory to be released", () -> alice.reservedBytes() == 0);
        return limits.peerMemoryBytes();
    }

    @Test
    void elementOfUnknownSize_isDecodedWithin_reservedMemory() throws Exception {
        AtomicReference<PeerEndpoint> receiver = new AtomicReference<>();
        Inflating scheme = new Inflating(Long.MAX_VALUE, () -> receiver.get().reservedBytes());
        long budget = decodeWithoutMemory(scheme, receiver);
        assertThat(scheme.limits).hasSize(2);
        assertThat(scheme.limits.get(0)).as("a part of the memory").isBetween(budget / 4, budget / 2 + 1000);
        assertThat(scheme.limits.get(1)).as("all of it").isBetween(budget / 2, budget);
        for (int i = 0; i < 2; i++) {
            assertThat(scheme.reserved.get(i)).isGreaterThanOrEqualTo(scheme.limits.get(i));
        }
    }

    @Test
    void elementThatStatesMoreThanTheMemory_isNotDecoded() throws Exception {
        Inflating scheme = new Inflating(1 << 20, () -> 0L);
        decodeWithoutMemory(scheme, new AtomicReference<>());
        assertThat(scheme.limits).isEmpty();
    }

    @Test
    void schemeThatFailsWithAnError_messageIsUndecodable_andTheChannelIsRefused() throws Exception {
        PeerEndpoint alice = receiver(EndpointLimits.DEFAULTS, new Hooked(() -> {}, ElementChannelTest::overflow));
        RawPeer raw = RawPeer.connectAcknowledging(fixture, alice, bob, 1, NONE);
        raw.write(frames -> frames.open(1, new Open(SERVICE, "", OptionalLong.of(5), 0, List.of("hooked"))));
        raw.expect("OPENED 1");
        raw.message(1, Message.of("~hooked~text", "1"));
        ReceivedMessage message = next();
        assertThatThrownBy(message::message)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE));
        message.release();
        raw.expect("REFUSE 1 MALFORMED_MESSAGE");
        assertThat(count(alice, Counter.MESSAGES_UNDECODABLE)).isEqualTo(1);
    }

    @Test
    void listenerOfAChannelThatEndsWithAnUndecodableMessage_mayWaitForTheReaderOfTheNextOne() throws Exception {
        List<ReceivedMessage> messages = new CopyOnWriteArrayList<>();
        CompletableFuture<ErrorCode> next = new CompletableFuture<>();
        PeerEndpoint alice = fixture.start();
        ChannelListener listener = new ChannelListener() {
            @Override
            public void onMessage(ReceivedMessage message) {
                messages.add(message);
            }

            @Override
            public void onLost() {
                CompletableFuture<Void> reader =
                        CompletableFuture.runAsync(() -> messages.get(1).message());
                next.complete(failure(reader).code());
            }
        };
        alice.listenToChannels(
                SERVICE,
                ServiceOptions.DEFAULTS
                        .withWindowBytes(EndpointLimits.MIN_WINDOW_BYTES)
                        .withDecoding(List.of(chained)),
                peer -> listener);
        RawPeer raw = RawPeer.connectAcknowledging(fixture, alice, bob, 1, NONE);
        raw.write(frames -> frames.open(1, new Open(SERVICE, "", OptionalLong.of(5), 0, List.of("chained"))));
        raw.expect("OPENED 1");
        for (int i = 0; i < 2; i++) {
            raw.message(1, Message.of("~chained~text", "without a begin of the state"));
        }
        until("the messages", () -> messages.size() == 2);
        Link link = Objects.requireNonNull(
                Objects.requireNonNull(alice.association(bob.peerId())).activeLink());
        link.context().run(() -> assertThatThrownBy(messages.get(0)::message).isInstanceOf(ParleyException.class));
        assertThat(join(next)).isEqualTo(ErrorCode.MALFORMED_MESSAGE);
        messages.forEach(ReceivedMessage::release);
    }

    private static final Open RELIABLE = new Open(SERVICE, "", OptionalLong.of(5), 0, List.of("hooked"));

    /** Sends a message over a connection, which is lost, and returns the message, whose elements cannot be decoded. */
    private ReceivedMessage receiveUndecodable(PeerEndpoint alice) throws InterruptedException {
        RawPeer raw = RawPeer.connectAcknowledging(fixture, alice, bob, 1, NONE);
        raw.write(frames -> frames.open(1, RELIABLE));
        raw.expect("OPENED 1");
        raw.message(1, Message.of("~hooked~text", "1"));
        ReceivedMessage message = next();
        raw.connection.abort(null);
        until("the loss", () -> alice.connectedPeers().isEmpty());
        return message;
    }

    private RawPeer resume(PeerEndpoint alice) throws InterruptedException {
        RawPeer raw = RawPeer.connectAcknowledging(fixture, alice, bob, 2, OptionalLong.of(1));
        raw.write(frames -> frames.open(1, RELIABLE));
        return raw;
    }

    @Test
    void messageOfAnEarlierConnection_thatIsUndecodable_refusesTheResumedChannel() throws Exception {
        PeerEndpoint alice = receiver(EndpointLimits.DEFAULTS, new Hooked(() -> {}, ElementChannelTest::overflow));
        ReceivedMessage message = receiveUndecodable(alice);
        RawPeer second = resume(alice);
        assertThat(second.expect("OPENED 1")).contains("received 1");
        assertThatThrownBy(message::message).isInstanceOf(ParleyException.class);
        message.release();
        second.expect("REFUSE 1 MALFORMED_MESSAGE received 1");
    }

    @Test
    void messageThatIsUndecodable_whileThereIsNoConnection_endsItsChannel() throws Exception {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        PeerEndpoint alice = fixture.start();
        alice.listenToChannels(
                SERVICE,
                ServiceOptions.DEFAULTS
                        .withWindowBytes(EndpointLimits.MIN_WINDOW_BYTES)
                        .withDecoding(List.of(new Hooked(() -> {}, ElementChannelTest::overflow))),
                peer -> new Recorder(events, received::add));
        ReceivedMessage message = receiveUndecodable(alice);
        until("the interruption", () -> events.contains("interrupted"));
        assertThatThrownBy(message::message).isInstanceOf(ParleyException.class);
        message.release();
        until("the end", () -> events.contains("lost"));
        assertThat(resume(alice).expect("OPENED 1")).doesNotContain("received");
        assertThat(events).containsExactly("interrupted", "lost");
    }

    @Test
    void messageThatIsUndecodable_whenTheListenerLearnsOfTheLoss_endsItsChannel() throws Exception {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        BlockingQueue<ReceivedMessage> unread = new LinkedBlockingQueue<>();
        PeerEndpoint alice = fixture.start();
        ChannelListener listener = new ChannelListener() {
            @Override
            public void onMessage(ReceivedMessage message) {
                unread.add(message);
                received.add(message);
            }

            @Override
            public void onInterrupted() {
                assertThatThrownBy(() -> unread.remove().message()).isInstanceOf(ParleyException.class);
                events.add("interrupted");
            }

            @Override
            public void onLost() {
                events.add("lost");
            }
        };
        alice.listenToChannels(
                SERVICE,
                ServiceOptions.DEFAULTS
                        .withWindowBytes(EndpointLimits.MIN_WINDOW_BYTES)
                        .withDecoding(List.of(new Hooked(() -> {}, ElementChannelTest::overflow))),
                peer -> listener);
        receiveUndecodable(alice).release();
        until("the end", () -> events.contains("lost"));
        assertThat(events).containsExactly("interrupted", "lost");
    }

    // -- messages that leave the channel

    @Test
    void messageRemovedFromTheQueue_thoseBehindItBeginAgain() throws Exception {
        EndpointLimits limits = EndpointLimits.DEFAULTS.toBuilder()
                .windowBytes(EndpointLimits.MIN_WINDOW_BYTES)
                .build();
        PeerEndpoint alice = receiver(limits, chained, aes);
        PeerMessenger messenger = messenger(alice, chained, aes);
        join(messenger.send(text("x".repeat(EndpointLimits.MIN_WINDOW_BYTES)))); // uses the window
        assertThatThrownBy(() -> messenger.send(text("removed"), Duration.ofMillis(50)))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
        var behind = messenger.send(text("behind"));
        read();
        assertThat(read()).isEqualTo("behind");
        join(behind);
        assertThat(count(alice, Counter.MESSAGES_UNDECODABLE)).isZero();
    }

    @Test
    void elementThatCannotBeEncoded_failsAlone() throws Exception {
        PeerEndpoint alice = receiver(EndpointLimits.DEFAULTS, chained, aes);
        PeerMessenger messenger = messenger(alice, chained, aes);
        join(messenger.send(text("1")));
        Message tooLarge = Message.of("x".repeat(70_000), "a name that no codec encodes");
        assertFails(messenger.send(tooLarge), ErrorCode.MESSAGE_TOO_LARGE);
        join(messenger.send(text("2")));
        assertThat(List.of(read(), read())).containsExactly("1", "2");
    }

    @Test
    void schemeThatFailsForTheChannel_failsMessages_untilItDoesNot() throws Exception {
        AtomicBoolean failing = new AtomicBoolean(true);
        EncodingScheme scheme = new EncodingScheme() {
            @Override
            public String name() {
                return "failing";
            }

            @Override
            public boolean accepts(MessageElement element) {
                return true;
            }

            @Override
            public int maxStateBytes() {
                return 1;
            }

            @Override
            public EncodingScheme forChannel(EncodingChannel channel) {
                if (failing.get()) {
                    throw new IllegalStateException("no channel");
                }
                return this;
            }

            @Override
            public Optional<Payload> encode(MessageElement element) {
                if (element.size() == 0) {
                    throw new IllegalStateException("no content");
                }
                return Optional.of(element.payload());
            }

            @Override
            public Payload decode(MessageElement element, long maxBytes) {
                return element.payload();
            }
        };
        PeerMessenger messenger = messenger(receiver(EndpointLimits.DEFAULTS, new Identical("failing", 1)), scheme);
        assertFails(messenger.send(text("0")), ErrorCode.NOT_ENCODABLE, "no channel");
        failing.set(false);
        join(messenger.send(text("1")));
        failing.set(true);
        assertFails(messenger.send(text("")), ErrorCode.NOT_ENCODABLE, "no content");
        assertFails(messenger.send(text("2")), ErrorCode.NOT_ENCODABLE, "no channel");
        failing.set(false);
        join(messenger.send(text("3")));
        assertThat(List.of(read(), read())).containsExactly("1", "3");
    }

    @Test
    void senderWhoseMessageCannotBeEncoded_doesNotEncodeThoseBehindIt() throws Exception {
        CountDownLatch queued = new CountDownLatch(1);
        Map<String, Thread> encoding = new ConcurrentHashMap<>();
        EncodingScheme scheme = new EncodingScheme() {
            @Override
            public String name() {
                return "failing";
            }

            @Override
            public boolean accepts(MessageElement element) {
                return true;
            }

            @Override
            public int maxStateBytes() {
                return 1;
            }

            @Override
            public EncodingScheme forChannel(EncodingChannel channel) {
                return this;
            }

            @Override
            public Optional<Payload> encode(MessageElement element) {
                encoding.put(element.text(), Thread.currentThread());
                if (element.text().equals("bad")) {
                    awaitUninterruptibly(queued);
                    throw new IllegalStateException("on purpose");
                }
                return Optional.of(element.payload());
            }

            @Override
            public Payload decode(MessageElement element, long maxBytes) {
                return element.payload();
            }
        };
        PeerMessenger messenger = messenger(receiver(EndpointLimits.DEFAULTS, new Identical("failing", 1)), scheme);
        join(messenger.send(text("first")));
        Thread badSender = new Thread(() -> assertFails(messenger.send(text("bad")), ErrorCode.NOT_ENCODABLE));
        badSender.start();
        until("the encoding", () -> encoding.containsKey("bad"));
        CompletableFuture<Void> behind = new CompletableFuture<>();
        Thread sender = new Thread(() -> {
            CompletableFuture<Void> sent = messenger.send(text("behind"));
            sent.whenComplete((done, failure) -> behind.complete(null));
        });
        sender.start();
        until("the sender behind it", () -> sender.getState() == Thread.State.WAITING); // its message is queued
        queued.countDown();

        join(behind);
        badSender.join(SOON.toMillis());
        assertThat(badSender.isAlive()).isFalse();
        assertThat(encoding.get("bad")).isSameAs(badSender);
        assertThat(encoding.get("behind")).isNotSameAs(badSender);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            assertThat(latch.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void messageReleasedUnread_thoseBehindItAreDropped_andTheNextChannelBeginsAnew() throws Exception {
        PeerEndpoint alice = receiver(EndpointLimits.DEFAULTS, chained);
        PeerMessenger messenger = messenger(alice, chained);
        join(messenger.send(text("1")));
        join(messenger.send(text("2")));
        assertThat(read()).isEqualTo("1");
        next().release();
        join(messenger.send(text("3")));
        ReceivedMessage third = next();
        assertThatThrownBy(third::message).hasMessageContaining("without the state");
        third.release();
        assertThat(count(alice, Counter.MESSAGES_UNDECODABLE)).isEqualTo(1);
        until("a message of the next channel", () -> {
            messenger.send(text("next"));
            ReceivedMessage next = received.poll(50, TimeUnit.MILLISECONDS);
            boolean readable = false;
            if (next != null) {
                try {
                    readable = next.message().text("text").orElseThrow().equals("next");
                } catch (ParleyException e) {
                    // a message that the refusal has crossed
                }
                next.release();
            }
            return readable;
        });
    }

    /** The receiver keeps its state, which does not include the messages that have failed here. */
    @Test
    void messagesThatHaveFailed_stateBeginsAgainWithTheNextOne() throws Exception {
        PeerEndpoint alice = fixture.start();
        RawPeer first = RawPeer.connectAcknowledging(fixture, alice, bob, 1, NONE);
        PeerMessenger messenger = encodingMessenger(alice, bob.peerId(), chained);
        CompletableFuture<Void> acknowledged = messenger.send(text("1"));
        first.expect("OPEN 1");
        first.write(frames -> frames.opened(1, new Opened(10_000, NONE, List.of("chained"), false)));
        first.expect("MESSAGE");
        first.write(frames -> frames.ack(1, 1, 0));
        join(acknowledged);
        long channel = first.openedChannel();
        first.connection.abort(null);
        until("the loss", () -> alice.connectedPeers().isEmpty());

        CompletableFuture<Void> refused = messenger.send(text("2"));
        RawPeer second = RawPeer.connectAcknowledging(fixture, alice, bob, 2, OptionalLong.of(1));
        second.expect("OPEN 1");
        second.write(frames -> frames.refuse(1, WireStatus.of(ErrorCode.BUSY, ""), OptionalLong.of(1)));
        assertFails(refused, ErrorCode.BUSY);

        messenger.send(text("3"));
        second.expect("OPEN 2");
        assertThat(second.openedChannel()).isEqualTo(channel);
        second.write(frames -> frames.opened(2, new Opened(10_000, OptionalLong.of(1), List.of("chained"), true)));
        second.expect("MESSAGE");
        assertThat(second.lastMessage().elements().get(0).name()).isEqualTo("~+chained~text");
        second.write(frames -> frames.ack(2, 2, 0));
    }

    @Test
    void registrationWithTwoSchemesOfOneName_isRejected() {
        PeerEndpoint alice = fixture.start();
        assertThatThrownBy(() -> alice.listen(
                        SERVICE,
                        ServiceOptions.DEFAULTS.withDecoding(List.of(new Identical("chained", 0), chained)),
                        received::add))
                .isInstanceOf(IllegalArgumentException.class);
        AsyncCloseable registration =
                alice.listen(SERVICE, ServiceOptions.DEFAULTS.withDecoding(List.of(chained, chained)), received::add);
        join(registration.closeAsync());
    }

    /** A lost message would be missing in the state. */
    @Test
    void schemeWithState_ofABestEffortMessenger_isRejected() {
        PeerEndpoint alice = fixture.start();
        MessengerOptions options = MessengerOptions.DEFAULTS
                .withEncoding(EncodingPolicy.of(chained))
                .withDelivery(MessengerOptions.Delivery.DROP_NEWEST);
        assertThatThrownBy(() -> alice.messenger(bob.peerId(), SERVICE, options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("encoding scheme chained: keeps state");
    }

    /** Returns a messenger to bob, who is connected and must be expected to open the channel. */
    private PeerMessenger bestEffort(PeerEndpoint sender, QueueLimits limits) {
        return sender.messenger(
                bob.peerId(),
                SERVICE,
                MessengerOptions.DEFAULTS
                        .withDelivery(MessengerOptions.Delivery.DROP_OLDEST)
                        .withQueueLimits(limits)
                        .withEncoding(EncodingPolicy.of(new Identical("identical", 0))));
    }

    @Test
    void messagesThatWaitToBeEncoded_countForTheLengthOfTheQueue() throws InterruptedException {
        PeerEndpoint sender = fixture.start();
        RawPeer raw = RawPeer.connectAcknowledging(fixture, sender, bob, 1, NONE);
        PeerMessenger messenger = bestEffort(sender, QueueLimits.of(2, 1 << 20));
        CompletableFuture<Void> oldest = messenger.send(text("1"));
        messenger.send(text("2"));
        messenger.send(text("3"));
        assertFails(oldest, ErrorCode.QUEUE_FULL);
        assertThat(messenger.droppedMessages()).isEqualTo(1);
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, new Opened(1 << 20, NONE, List.of("identical"), false)));
        raw.expect("MESSAGE");
        raw.expect("MESSAGE");
        until("an empty queue", () -> !messenger.queue().hasPending());
        assertThat(messenger.droppedMessages()).isEqualTo(1);
        raw.connection.abort(null);
    }

    @Test
    void timeToLive_includesTheTimeUntilTheElementsAreEncoded() throws InterruptedException {
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint sender = fixture.start(Identity.generate(), EndpointLimits.DEFAULTS, time);
        join(sender.listen(EndpointAddress.parse("mem://any")));
        RawPeer raw = RawPeer.connectAcknowledging(fixture, sender, bob, 1, NONE);
        PeerMessenger messenger = bestEffort(sender, new QueueLimits(100, 1 << 20, Duration.ofSeconds(1)));
        CompletableFuture<Void> old = messenger.send(text("1"));
        time.advance(Duration.ofMillis(600));
        CompletableFuture<Void> recent = messenger.send(text("2"));
        time.advance(Duration.ofMillis(600));
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, new Opened(1 << 20, NONE, List.of("identical"), false)));
        raw.expect("MESSAGE");
        join(recent);
        assertFails(old, ErrorCode.TIMEOUT);
        assertThat(messenger.droppedMessages()).isEqualTo(1);
        assertThat(messenger.queue().hasPending()).isFalse();
        raw.connection.abort(null);
    }

    @Test
    void sharedMessage_isRefusedByAMessengerThatEncodesElements() {
        PeerMessenger messenger = messenger(receiver(EndpointLimits.DEFAULTS, chained), chained);
        assertThatThrownBy(() -> messenger.offer(SharedMessage.of(text("1"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("encodes elements");
    }
}

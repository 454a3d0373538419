package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.common.AsyncCloseable;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.QueueLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.SharedMessage;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.codec.SequenceCodec;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that several messengers send: encoded once, in order with others, and dropped without a report. */
class SharedMessageTest {

    /** Counts the encoded messages. The formats differ in their names only. */
    private record CountingCodec(String name, AtomicInteger encoded) implements MessageCodec {

        @Override
        public String contentType() {
            return "application/x-" + name;
        }

        @Override
        public int maxStateBytes() {
            return 0;
        }

        @Override
        public CodecSession newSession(MessageLimits limits) {
            CodecSession binary = MessageCodec.binary().newSession(limits);
            return new CodecSession() {
                @Override
                public ByteBuf encode(Message message, int headroom, ByteBufAllocator allocator) {
                    encoded.incrementAndGet();
                    return binary.encode(message, headroom, allocator);
                }

                @Override
                public Message decode(ByteBuf bytes) {
                    return binary.decode(bytes);
                }

                @Override
                public long encodedSize(Message message) {
                    return binary.encodedSize(message);
                }
            };
        }
    }

    private final EndpointFixture fixture = new EndpointFixture();
    private final Queue<String> received = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        fixture.close();
    }

    private void receiveAt(String name, PeerEndpoint endpoint) {
        endpoint.listen(SERVICE, message -> {
            received.add(name + " " + message.message().text("n").orElseThrow());
            message.release();
        });
    }

    private static Message numbered(int number, int size) {
        return Message.builder()
                .add("n", Integer.toString(number))
                .add("content", new byte[size])
                .build();
    }

    private static PeerMessenger bestEffortMessenger(PeerEndpoint sender, PeerId to, QueueLimits limits) {
        return sender.messenger(
                to,
                SERVICE,
                MessengerOptions.DEFAULTS
                        .withDelivery(MessengerOptions.Delivery.DROP_OLDEST)
                        .withQueueLimits(limits));
    }

    private static SharedMessage shared(int number, int size) {
        return SharedMessage.of(numbered(number, size));
    }

    @Test
    void message_isEncodedOnceForEachCodec_andArrivesAtAll() {
        AtomicInteger red = new AtomicInteger();
        AtomicInteger blue = new AtomicInteger();
        MessageCodec[] codecs = {new CountingCodec("red", red), new CountingCodec("blue", blue)};
        PeerEndpoint sender = fixture.start(EndpointLimits.DEFAULTS, codecs);
        List<Messenger> messengers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            for (String codec : List.of("red", "blue")) {
                PeerEndpoint receiver = fixture.start(EndpointLimits.DEFAULTS, codecs);
                exchangeAddresses(sender, receiver);
                receiveAt(codec, receiver);
                messengers.add(sender.messenger(
                        receiver.peerId(), SERVICE, MessengerOptions.DEFAULTS.withCodecs(List.of(codec))));
            }
        }
        messengers.forEach(messenger -> join(messenger.resolve()));
        int[] sizes = {10, 5_000, 300_000}; // appended to other frames, in one frame, in fragments
        for (int i = 0; i < sizes.length; i++) {
            SharedMessage message = shared(i, sizes[i]);
            messengers.forEach(messenger -> assertThat(messenger.offer(message)).isTrue());
        }
        until("18 messages", () -> received.size() == 18);
        for (int i = 0; i < sizes.length; i++) {
            String number = Integer.toString(i);
            assertThat(received.stream().filter(("red " + number)::equals)).hasSize(3);
            assertThat(received.stream().filter(("blue " + number)::equals)).hasSize(3);
        }
        assertThat(red).hasValue(sizes.length);
        assertThat(blue).hasValue(sizes.length);
    }

    /** An event loop leaves a short one to the link, as it does with other messages. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messageForOneMessenger_isEncodedWhereOtherMessagesAre(boolean onEventLoop) throws Exception {
        AtomicInteger encoded = new AtomicInteger();
        MessageCodec codec = new CountingCodec("binary", encoded); // that of the raw peer
        PeerEndpoint sender = fixture.start(EndpointLimits.DEFAULTS, codec);
        Identity carol = Identity.generate();
        RawPeer raw = RawPeer.connectAcknowledging(fixture, sender, carol, 1, OptionalLong.empty());
        until("the link", () -> sender.isConnected(carol.peerId()));
        Messenger messenger = sender.messenger(carol.peerId(), SERVICE);
        CompletableFuture<Void> open = messenger.resolve();
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, 0, OptionalLong.empty())); // no room, so that messages wait
        join(open);
        offer(onEventLoop, messenger, SharedMessage.of(numbered(1, 10), 1));
        assertThat(encoded).hasValue(onEventLoop ? 0 : 1);
        offer(
                onEventLoop,
                messenger,
                SharedMessage.of(numbered(2, 5_000), 1)); // too long to be appended to other frames
        assertThat(encoded).hasValue(onEventLoop ? 1 : 2);
        raw.connection.abort(null);
    }

    private static void offer(boolean onEventLoop, Messenger messenger, SharedMessage message) throws Exception {
        FutureTask<Boolean> offer = new FutureTask<>(() -> messenger.offer(message));
        Thread thread = onEventLoop ? new FastThreadLocalThread(offer) : new Thread(offer);
        thread.start();
        try {
            assertThat(offer.get(30, TimeUnit.SECONDS)).isTrue();
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messageForOneMessenger_mayBeSentBySeveral_inOrderWithOthers(boolean onEventLoop) throws Exception {
        PeerEndpoint sender = fixture.start();
        List<Messenger> messengers = new ArrayList<>();
        for (String name : List.of("a", "b")) {
            PeerEndpoint receiver = fixture.start();
            exchangeAddresses(sender, receiver);
            receiveAt(name, receiver);
            messengers.add(sender.messenger(receiver.peerId(), SERVICE));
        }
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++) { // the first ones before the channel is open
            int size = i % 3 == 0 ? 6_000 : 10;
            SharedMessage message = SharedMessage.of(numbered(i, size), 1);
            for (Messenger messenger : messengers) {
                if (i % 2 == 0) {
                    offer(onEventLoop, messenger, message);
                } else {
                    messenger.send(numbered(i, size));
                }
            }
            expected.add("" + i);
        }
        until("the messages", () -> received.size() == 2 * expected.size());
        for (String name : List.of("a ", "b ")) {
            assertThat(received.stream().filter(line -> line.startsWith(name)))
                    .containsExactlyElementsOf(
                            expected.stream().map(name::concat).toList());
        }
    }

    @Test
    void messageForOneMessenger_thatCannotBeEncoded_isRefusedOnAnEventLoopToo(@TempDir Path directory)
            throws IOException {
        PeerEndpoint sender = fixture.start();
        PeerEndpoint receiver = fixture.start();
        exchangeAddresses(sender, receiver);
        receiveAt("r", receiver);
        Messenger messenger = sender.messenger(receiver.peerId(), SERVICE);
        join(messenger.resolve());
        Path file = Files.write(directory.resolve("file"), new byte[10]);
        Message ofFile = Message.of(MessageElement.ofFile("file", file));
        Files.delete(file);
        String unpaired = "\ud800";
        MessageElement content = MessageElement.of("content", new byte[10]);
        for (Message message : List.of(
                ofFile,
                Message.of(content.withSignature(ofFile.elements().get(0))),
                Message.of(MessageElement.of(unpaired, new byte[10])))) {
            assertThatThrownBy(() -> offer(true, messenger, SharedMessage.of(message, 1)))
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_ENCODABLE));
        }
        assertThat(messenger.isWritable()).isTrue();
        messenger.close();
        assertThat(messenger.droppedMessages()).isZero();
    }

    /** It is encoded when the channel opens, and no caller waits for its outcome any more. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messageWithoutAChannel_thatCannotBeEncodedLater_isCountedAsDropped(boolean reliable) {
        PeerEndpoint sender = fixture.start();
        PeerEndpoint receiver = fixture.start();
        exchangeAddresses(sender, receiver);
        receiveAt("r", receiver);
        QueueLimits limits = QueueLimits.of(10, 1 << 20);
        Messenger messenger = reliable
                ? sender.messenger(receiver.peerId(), SERVICE)
                : bestEffortMessenger(sender, receiver.peerId(), limits);
        String unpaired = "\ud800";
        assertThat(messenger.offer(SharedMessage.of(Message.of(MessageElement.of(unpaired, new byte[10])))))
                .isTrue();
        assertThat(messenger.offer(shared(1, 10))).isTrue();
        until("the other message", () -> received.contains("r 1"));
        assertThat(messenger.droppedMessages()).isEqualTo(1);
        assertThat(count(sender, Counter.MESSAGES_DROPPED)).isEqualTo(1);
    }

    @Test
    void sharedAndOtherMessages_arriveInOrder() {
        PeerEndpoint sender = fixture.start();
        PeerEndpoint receiver = fixture.start();
        exchangeAddresses(sender, receiver);
        receiveAt("r", receiver);
        Messenger messenger = sender.messenger(receiver.peerId(), SERVICE);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++) { // the first ones before the channel is open
            int size = i % 3 == 0 ? 6_000 : 10;
            if (i % 2 == 0) {
                assertThat(messenger.offer(shared(i, size))).isTrue();
            } else {
                messenger.send(numbered(i, size));
            }
            expected.add("r " + i);
        }
        until("the messages", () -> received.size() == expected.size());
        assertThat(received).containsExactlyElementsOf(expected);
    }

    @Test
    void fullQueueOfAReliableMessenger_refusesTheMessage() throws InterruptedException {
        PeerEndpoint sender = fixture.start(
                EndpointLimits.DEFAULTS.toBuilder().queueBytes(1000).build());
        Identity carol = Identity.generate();
        RawPeer raw = RawPeer.connectAcknowledging(fixture, sender, carol, 1, OptionalLong.empty());
        until("the link", () -> sender.isConnected(carol.peerId()));
        Messenger messenger = sender.messenger(carol.peerId(), SERVICE); // whose channel the peer does not open
        assertThat(messenger.offer(shared(1, 2000))).isTrue();
        assertThat(messenger.offer(shared(2, 10))).isFalse();
        assertThat(messenger.isWritable()).isFalse();
        messenger.abort();
        assertThatThrownBy(() -> messenger.offer(shared(3, 10)))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
        raw.connection.abort(null);
    }

    @Test
    void queueLimits_boundTheMessages_andDropTheOldest() throws InterruptedException {
        PeerEndpoint sender = fixture.start();
        Identity carol = Identity.generate();
        RawPeer raw = RawPeer.connectAcknowledging(fixture, sender, carol, 1, OptionalLong.empty());
        until("the link", () -> sender.isConnected(carol.peerId()));
        PeerMessenger messenger = bestEffortMessenger(sender, carol.peerId(), QueueLimits.of(2, 1 << 20));
        for (int i = 0; i < 5; i++) { // the channel is not open yet, so all of them wait
            messenger.offer(shared(i, 10));
        }
        assertThat(messenger.droppedMessages()).isEqualTo(3);
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, 1 << 20, OptionalLong.empty()));
        raw.expect("MESSAGE");
        raw.expect("MESSAGE");
        until("an empty queue", () -> !messenger.queue().hasPending());
        until("the count", () -> count(sender, Counter.MESSAGES_SENT) >= 2);
        assertThat(count(sender, Counter.MESSAGES_SENT)).isEqualTo(2);
        assertThat(messenger.droppedMessages()).isEqualTo(3);
        raw.connection.abort(null);
    }

    @Test
    void messagesOlderThanTheTimeToLive_areDroppedInsteadOfSent() throws InterruptedException {
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint sender = fixture.start(Identity.generate(), EndpointLimits.DEFAULTS, time);
        join(sender.listen(EndpointAddress.parse("mem://any")));
        Identity carol = Identity.generate();
        RawPeer raw = RawPeer.connectAcknowledging(fixture, sender, carol, 1, OptionalLong.empty());
        until("the link", () -> sender.isConnected(carol.peerId()));
        PeerMessenger messenger =
                bestEffortMessenger(sender, carol.peerId(), new QueueLimits(100, 1 << 20, Duration.ofSeconds(1)));
        messenger.offer(shared(1, 10));
        ParleyException[] failure = new ParleyException[1];
        messenger.send(numbered(2, 10)).exceptionally(e -> {
            failure[0] = (ParleyException) e;
            return null;
        });
        time.advance(Duration.ofMillis(600));
        messenger.offer(shared(3, 10));
        time.advance(Duration.ofMillis(600));
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, 1 << 20, OptionalLong.empty()));
        raw.expect("MESSAGE");
        until("an empty queue", () -> !messenger.queue().hasPending());
        assertThat(messenger.droppedMessages()).isEqualTo(2);
        assertThat(failure[0].code()).isEqualTo(ErrorCode.TIMEOUT);
        raw.connection.abort(null);
    }

    @Test
    void codecWithoutAStatelessForm_refusesSharedMessages() {
        MessageCodec codec = new SequenceCodec("sequence");
        PeerEndpoint sender = fixture.start(EndpointLimits.DEFAULTS, codec);
        PeerEndpoint receiver = fixture.start(EndpointLimits.DEFAULTS, codec);
        exchangeAddresses(sender, receiver);
        receiveAt("r", receiver);
        Messenger messenger = sender.messenger(receiver.peerId(), SERVICE);
        join(messenger.resolve());
        assertThatThrownBy(() -> messenger.offer(shared(1, 10)))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_ENCODABLE))
                .hasMessageContaining("sequence");
    }

    @Test
    void borrowedPayload_isCopied() {
        BorrowScope scope = new BorrowScope(() -> {});
        byte[] bytes = {1, 2, 3};
        Message borrowed = Message.of(
                MessageElement.of("b", new byte[0]).withPayload(Payload.borrowed(scope, ByteBuffer.wrap(bytes))));
        SharedMessage message = SharedMessage.of(borrowed);
        bytes[0] = 9;
        scope.end();
        assertThat(message.message().bytes("b").orElseThrow()).containsExactly(1, 2, 3);
    }

    @Test
    void messengerToAnUnreachablePeer_reportsItsFailure() {
        PeerEndpoint sender = fixture.start();
        Messenger messenger = sender.messenger(Identity.generate().peerId(), SERVICE);
        Queue<ErrorCode> failures = new ConcurrentLinkedQueue<>();
        messenger.onFailed(cause -> failures.add(cause.code()));
        messenger.offer(shared(1, 10));
        until("the failure", () -> !failures.isEmpty());
        assertThat(failures).containsExactly(ErrorCode.UNREACHABLE);
    }

    /** The receiver does not want them. */
    @Test
    void messagesForAServiceThatCloses_doNotCountAsDropped() {
        PeerEndpoint sender = fixture.start();
        PeerEndpoint receiver = fixture.start();
        exchangeAddresses(sender, receiver);
        Queue<ReceivedMessage> held = new ConcurrentLinkedQueue<>(); // so that the window is not given back
        AsyncCloseable service = receiver.listen(SERVICE, held::add);
        Messenger messenger = sender.messenger(receiver.peerId(), SERVICE);
        Queue<ErrorCode> failures = new ConcurrentLinkedQueue<>();
        messenger.onFailed(cause -> failures.add(cause.code()));
        for (int i = 0; i < 20; i++) {
            assertThat(messenger.offer(shared(i, 10_000))).isTrue();
        }
        until("a message", () -> !held.isEmpty());
        service.close();
        until("the failure", () -> !failures.isEmpty());
        assertThat(failures).containsExactly(ErrorCode.DISCONNECTED);
        assertThat(messenger.droppedMessages()).isZero();
        held.forEach(ReceivedMessage::release);
    }
}

package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.SOON;
import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.link;
import static io.parley.endpoint.internal.EndpointFixture.sendWhenWritable;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.codec.MessageCodec;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.ServiceOptions;
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.codec.SequenceCodec;
import io.parley.transport.EndpointMetrics.Counter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Large messages, which are decoded on other threads than the event loop: order, fairness, and everything that ends a channel meanwhile. */
class LargeMessageDecodingTest {

    private static final int LOOP_BYTES = 1000;

    /** Larger than what is decoded on the event loop, in one frame. */
    private static final int LARGE = 5000;

    /** In fragments. */
    private static final int HUGE = 400_000;

    private static final ServiceAddress OTHER = ServiceAddress.of("other");

    /** All peers share one event loop. */
    private final EndpointFixture fixture = new EndpointFixture(1);

    /** The decoding that waits until the test runs it. */
    private final Queue<Runnable> decoding = new ConcurrentLinkedQueue<>();

    /** The messages in the order of delivery: number, size. */
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        runDecoding();
        fixture.close(); // asserts that all memory is released
    }

    private PeerEndpoint start(MessageCodec codec) {
        return fixture.start(EndpointLimits.DEFAULTS, decoding::add, hooked(codec, size -> {}));
    }

    private static MessageCodec hooked(MessageCodec codec, IntConsumer beforeDecode) {
        return new HookedCodec(codec, LOOP_BYTES, beforeDecode);
    }

    private AsyncCloseable listen(PeerEndpoint endpoint, boolean zeroCopy) {
        return zeroCopy
                ? endpoint.listen(SERVICE, ServiceOptions.DEFAULTS.withZeroCopy(), this::receive)
                : endpoint.listen(SERVICE, this::receive);
    }

    private void receive(ReceivedMessage message) {
        received.add(message.message().text("number").orElseThrow() + ", "
                + message.message().bytes("content").orElseThrow().length);
        message.release();
    }

    private static Message message(Object number, int size) {
        return Message.builder()
                .add("number", number.toString())
                .add("content", new byte[size])
                .build();
    }

    private void runDecoding() {
        for (Runnable next = decoding.poll(); next != null; next = decoding.poll()) {
            next.run();
        }
    }

    private void decodeUntil(String description, Callable<Boolean> condition) {
        until(description, () -> {
            runDecoding();
            return condition.call();
        });
    }

    private void awaitDecoding(int tasks) {
        until("messages to be decoded", () -> decoding.size() == tasks);
    }

    /** Waits until the frames of the messages that the window permits have arrived. */
    private static void awaitFrames(PeerEndpoint from, PeerEndpoint to) {
        for (int i = 0; i < 10; i++) { // pings may overtake fragments
            join(from.ping(to.peerId()));
        }
    }

    private String next() throws InterruptedException {
        String next = received.poll(SOON.toSeconds(), TimeUnit.SECONDS);
        return next == null ? "nothing" : next;
    }

    private RawPeer connect(PeerEndpoint endpoint) throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, endpoint);
        open(raw, 1);
        return raw;
    }

    private static void open(RawPeer raw, int handle) throws InterruptedException {
        raw.write(frames -> frames.open(handle, Open.unacknowledged(SERVICE, "")));
        raw.expect("OPENED " + handle);
    }

    /** Waits until the frames that were written before are read, and asserts that there was no response to them. */
    private static void expectNoResponse(RawPeer raw, String response) throws InterruptedException {
        raw.write(frames -> frames.ping(77));
        assertThat(raw.expect("PONG 77", response)).isEqualTo("PONG 77");
    }

    @Test
    void whileALargeMessageIsDecoded_otherChannelsAndPeersOfTheEventLoopGetMessages() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        PeerEndpoint alice = fixture.start(EndpointLimits.DEFAULTS, hooked(MessageCodec.binary(), size -> {
            if (size > LARGE) {
                begun.countDown();
                await(end);
            }
        }));
        PeerEndpoint bob = fixture.start();
        PeerEndpoint carol = fixture.start();
        exchangeAddresses(alice, bob, carol);
        listen(alice, false);
        alice.listen(OTHER, this::receive);
        try {
            CompletableFuture<Void> large = bob.send(alice.peerId(), SERVICE, message("large", HUGE));
            await(begun);
            join(bob.send(alice.peerId(), OTHER, message("small", 10)));
            assertThat(next()).isEqualTo("small, 10");
            join(carol.send(alice.peerId(), SERVICE, message("of carol", 10)));
            assertThat(next()).isEqualTo("of carol, 10");
            assertThat(large).as("the large message").isNotDone();
            end.countDown();
            join(large);
            assertThat(next()).isEqualTo("large, " + HUGE);
        } finally {
            end.countDown();
        }
    }

    /** The binary codec does not read the content. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void largeMessageOfFewElements_isDecodedOnTheEventLoop_inItsOrder(boolean zeroCopy) throws InterruptedException {
        PeerEndpoint alice = fixture.start(EndpointLimits.DEFAULTS, decoding::add, MessageCodec.binary());
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        listen(alice, zeroCopy);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        join(messenger.send(message(1, 4 << 20)));
        assertThat(next()).isEqualTo("1, " + (4 << 20));
        Message.Builder manyElements = Message.builder().add("number", "2").add("content", new byte[2 << 20]);
        IntStream.range(0, 100).forEach(i -> manyElements.add("other", new byte[1]));
        messenger.send(manyElements.build());
        CompletableFuture<Void> third = sendWhenWritable(messenger, message(3, 2 << 20));
        awaitDecoding(1);
        awaitFrames(bob, alice);
        assertThat(received).isEmpty();
        decodeUntil("both messages", () -> received.size() == 2 || third.isCompletedExceptionally());
        join(third);
        assertThat(received).containsExactly("2, " + (2 << 20), "3, " + (2 << 20));
        messenger.close();
    }

    /** The array grows with what has arrived only as long as the sender has proven nothing. */
    @Test
    void secondLargeMessageOfAChannel_allocatesItsSizeOnce() throws InterruptedException {
        int size = 8 << 20;
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        BlockingQueue<Long> allocated = new LinkedBlockingQueue<>();
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        alice.listen(SERVICE, message -> {
            allocated.add(threads.getThreadAllocatedBytes(Thread.currentThread().getId()));
            message.release();
        });
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        List<Long> totals = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            join(messenger.send(message(i, i == 0 ? 1 : size)));
            totals.add(allocated.take());
        }
        assertThat(totals.get(1) - totals.get(0)).isGreaterThan(size + (1 << 20));
        assertThat(totals.get(2) - totals.get(1)).isLessThan(size + (1 << 20));
        messenger.close();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void statefulCodec_smallAndLargeMessages_keepTheirOrder(boolean zeroCopy) throws InterruptedException {
        MessageCodec codec = new SequenceCodec("sequence");
        PeerEndpoint alice = start(codec);
        PeerEndpoint bob = fixture.start(EndpointLimits.DEFAULTS, codec);
        exchangeAddresses(alice, bob);
        listen(alice, zeroCopy);
        List<Integer> sizes = new ArrayList<>(List.of(10, HUGE, 10, LARGE, LARGE));
        IntStream.range(0, 30).forEach(i -> sizes.add(100)); // more than the event loop decodes at once
        sizes.addAll(List.of(HUGE, 10));
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        for (int i = 0; i < sizes.size(); i++) {
            sends.add(messenger.send(message(i, sizes.get(i))));
            expected.add(i + ", " + sizes.get(i));
        }
        join(sends.get(0));
        awaitDecoding(1);
        join(bob.ping(alice.peerId()));
        assertThat(received).containsExactly("0, 10");
        assertThat(sends.subList(1, sends.size())).as("acknowledged").noneMatch(CompletableFuture::isDone);
        decodeUntil("all messages", () -> received.size() == sizes.size());
        sends.forEach(EndpointFixture::join);
        assertThat(received).containsExactlyElementsOf(expected);
        messenger.close();
    }

    @Test
    void smallMessagesThatHaveWaited_areDecodedInPortions() {
        PeerEndpoint alice = start(MessageCodec.binary());
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        alice.listen(SERVICE, message -> {
            boolean first = message.message().text("number").orElseThrow().equals("1");
            receive(message);
            if (first) {
                link(alice, bob).context().executor().execute(() -> received.add("other work"));
            }
        });
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        messenger.send(message(0, LARGE));
        awaitDecoding(1);
        for (int i = 1; i <= 25; i++) {
            messenger.send(message(i, 100));
        }
        join(bob.ping(alice.peerId()));
        decodeUntil("all messages", () -> received.size() == 27);
        assertThat(List.copyOf(received).indexOf("other work")).isLessThan(26);
        messenger.close();
    }

    @Test
    void floodOfOnePeer_theMessageOfAnotherPeerIsNext() throws InterruptedException {
        PeerEndpoint alice = start(MessageCodec.binary());
        PeerEndpoint bob = fixture.start();
        PeerEndpoint carol = fixture.start();
        exchangeAddresses(alice, bob, carol);
        listen(alice, false);
        List<PeerMessenger> messengers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
            messengers.add(messenger);
            join(messenger.resolve());
            messenger.send(message("of bob", LARGE));
            messenger.send(message("of bob", LARGE));
        }
        awaitDecoding(1);
        join(bob.ping(alice.peerId()));
        assertThat(decoding)
                .as("messages of one peer that are decoded at a time")
                .hasSize(1);
        carol.send(alice.peerId(), SERVICE, message("of carol", LARGE));
        awaitDecoding(2);
        decoding.remove().run();
        assertThat(next()).isEqualTo("of bob, " + LARGE);
        awaitDecoding(2);
        decoding.remove().run();
        assertThat(next()).isEqualTo("of carol, " + LARGE);
        decodeUntil("all messages", () -> received.size() == 9);
        messengers.forEach(PeerMessenger::close);
    }

    @ParameterizedTest
    @CsvSource({"false, 5000", "false, 400000", "true, 5000", "true, 400000"})
    void serviceThatCloses_refusesTheMessagesAndReleasesThem(boolean zeroCopy, int size) {
        PeerEndpoint alice = start(new SequenceCodec("sequence"));
        PeerEndpoint bob = fixture.start(EndpointLimits.DEFAULTS, new SequenceCodec("sequence"));
        exchangeAddresses(alice, bob);
        AsyncCloseable registration = listen(alice, zeroCopy);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        List<CompletableFuture<Void>> sends = List.of(
                messenger.send(message(1, LARGE)), messenger.send(message(2, size)), messenger.send(message(3, 10)));
        awaitDecoding(1);
        awaitFrames(bob, alice);
        join(registration.closeAsync());
        sends.forEach(send -> assertFails(send, ErrorCode.DISCONNECTED));
        assertThat(alice.reservedBytes())
                .as("the message that is being decoded")
                .isGreaterThan(LARGE);
        runDecoding();
        until("the memory to be released", () -> alice.reservedBytes() == 0);
        assertThat(received).isEmpty();
        messenger.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endpointThatCloses_releasesTheMessages(boolean zeroCopy) {
        PeerEndpoint alice = start(MessageCodec.binary());
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        listen(alice, zeroCopy);
        bob.send(alice.peerId(), SERVICE, message(1, LARGE)); // leaves credit for the next one
        bob.send(alice.peerId(), SERVICE, message(2, HUGE));
        awaitDecoding(1);
        awaitFrames(bob, alice);
        join(alice.closeAsync());
        join(bob.closeAsync());
        runDecoding();
        assertThat(received).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"false, 5000", "false, 400000", "true, 5000", "true, 400000"})
    void connectionLost_eachMessageArrivesOnceOnTheNextOne(boolean zeroCopy, int size) {
        PeerEndpoint alice = start(new SequenceCodec("sequence"));
        PeerEndpoint bob = fixture.start(EndpointLimits.DEFAULTS, new SequenceCodec("sequence"));
        exchangeAddresses(alice, bob);
        listen(alice, zeroCopy);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        List<CompletableFuture<Void>> sends = List.of(
                messenger.send(message(1, 10)),
                messenger.send(message(2, LARGE)),
                messenger.send(message(3, size)),
                messenger.send(message(4, 10)));
        awaitDecoding(1);
        awaitFrames(bob, alice);
        link(bob, alice).abort(null);
        awaitDecoding(2); // of both connections
        decodeUntil("all messages", () -> sends.stream().allMatch(CompletableFuture::isDone));
        sends.forEach(EndpointFixture::join);
        assertThat(received).containsExactly("1, 10", "2, " + LARGE, "3, " + size, "4, 10");
        assertThat(count(bob, Counter.MESSAGES_RESENT)).isPositive();
        messenger.close();
    }

    @Test
    void senderThatEndsTheChannel_itsMessagesAreDelivered_andFurtherOnesIgnored() throws InterruptedException {
        PeerEndpoint alice = start(MessageCodec.binary());
        listen(alice, false);
        RawPeer raw = connect(alice);
        raw.message(1, message(1, LARGE));
        raw.message(1, message(2, 10));
        ByteBuf incomplete = raw.encode(message(3, HUGE));
        raw.write(frames -> frames.first(1, incomplete.readableBytes(), incomplete, 100_000));
        raw.write(frames -> frames.end(1));
        raw.write(frames -> frames.more(1, incomplete, 100_000));
        raw.message(1, message(4, 10));
        raw.message(1, message(5, LARGE));
        expectNoResponse(raw, "CREDIT");
        incomplete.release();
        awaitDecoding(1);
        decodeUntil("the memory to be released", () -> alice.reservedBytes() == 0);
        assertThat(received).containsExactly("1, " + LARGE, "2, 10");
        open(raw, 2);
        raw.message(2, message(6, 10));
        assertThat(received.poll()).startsWith("1");
        assertThat(received.poll()).startsWith("2");
        assertThat(next()).isEqualTo("6, 10");
        raw.end();
    }

    @Test
    void goodbyeOfTheSender_isReturnedAfterTheDelivery() throws InterruptedException {
        PeerEndpoint alice = start(MessageCodec.binary());
        listen(alice, false);
        RawPeer raw = connect(alice);
        raw.message(1, message(1, HUGE / 4));
        raw.message(1, message(2, 10));
        raw.write(frames -> frames.goodbye(WireStatus.ok()));
        expectNoResponse(raw, "GOODBYE");
        decodeUntil("the messages", () -> received.size() == 2);
        raw.expect("GOODBYE");
        assertThat(received).hasSize(2);
        raw.expectClosed();
        raw.end();
    }

    @Test
    void malformedLargeMessage_dropsTheLink() throws InterruptedException {
        PeerEndpoint alice = start(MessageCodec.binary());
        listen(alice, false);
        RawPeer raw = connect(alice);
        open(raw, 2);
        raw.write(frames -> frames.message(1, Unpooled.wrappedBuffer(new byte[LARGE])));
        raw.message(1, message(2, 10));
        raw.message(1, message(3, LARGE));
        raw.message(2, message(4, LARGE));
        awaitDecoding(1);
        runDecoding();
        raw.expect("GOODBYE MALFORMED_MESSAGE");
        raw.expectClosed();
        until("the memory to be released", () -> alice.reservedBytes() == 0);
        assertThat(count(alice, Counter.CONNECTIONS_DROPPED)).isEqualTo(1);
        assertThat(received).isEmpty();
        raw.end();
    }

    @Test
    void malformedSmallMessage_afterALargeOne_dropsTheLink() throws InterruptedException {
        PeerEndpoint alice = start(MessageCodec.binary());
        listen(alice, false);
        RawPeer raw = connect(alice);
        raw.message(1, message(1, LARGE));
        raw.write(frames -> frames.message(1, Unpooled.wrappedBuffer(new byte[10])));
        raw.message(1, message(3, 10));
        awaitDecoding(1);
        runDecoding();
        raw.expect("GOODBYE MALFORMED_MESSAGE");
        raw.expectClosed();
        assertThat(received).containsExactly("1, " + LARGE);
        raw.end();
    }

    @Test
    void codecThatFails_endsTheConnection() throws InterruptedException {
        PeerEndpoint alice = fixture.start(EndpointLimits.DEFAULTS, hooked(MessageCodec.binary(), size -> {
            throw new StackOverflowError("on purpose");
        }));
        listen(alice, false);
        RawPeer raw = connect(alice);
        raw.message(1, message(1, LARGE));
        raw.message(1, message(2, LARGE));
        raw.expectClosed();
        until("the memory to be released", () -> alice.reservedBytes() == 0);
        raw.end();
    }

    /** The event loop decodes the message. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void codecThatFailsOnASmallMessage_endsTheConnection_andReleasesTheMessage(boolean zeroCopy)
            throws InterruptedException {
        PeerEndpoint alice = fixture.start(EndpointLimits.DEFAULTS, hooked(MessageCodec.binary(), size -> {
            throw new StackOverflowError("on purpose");
        }));
        listen(alice, zeroCopy);
        RawPeer raw = connect(alice);
        raw.message(1, message(1, 10));
        raw.expectClosed();
        until("the memory to be released", () -> alice.reservedBytes() == 0);
        raw.end();
    }

    @Test
    void messagesThatWait_areBoundedByTheWindow() throws InterruptedException {
        PeerEndpoint alice = start(MessageCodec.binary());
        listen(alice, false);
        RawPeer raw = RawPeer.connectAcknowledging(fixture, alice, Identity.generate(), 1, OptionalLong.empty());
        raw.write(frames -> frames.open(1, new Open(SERVICE, "", OptionalLong.of(1), 0)));
        raw.expect("OPENED 1 " + EndpointLimits.MIN_WINDOW_BYTES);
        for (int i = 0; i < 3; i++) {
            raw.message(1, message(i, LARGE));
        }
        raw.expect("GOODBYE LIMIT_EXCEEDED");
        raw.expectClosed();
        raw.end();
    }

    @Test
    void messageWithoutMemory_isRefusedAfterThoseBeforeItAreDelivered() throws InterruptedException {
        EndpointLimits limits = EndpointLimits.DEFAULTS.toBuilder()
                .windowBytes(EndpointLimits.MIN_WINDOW_BYTES)
                .peerMemoryBytes(HUGE / 2)
                .build();
        PeerEndpoint alice = fixture.start(limits, decoding::add, hooked(MessageCodec.binary(), size -> {}));
        listen(alice, false);
        RawPeer raw = RawPeer.connectAcknowledging(fixture, alice, Identity.generate(), 1, OptionalLong.empty());
        raw.write(frames -> frames.open(1, new Open(SERVICE, "", OptionalLong.of(1), 0)));
        raw.expect("OPENED 1");
        raw.message(1, message(1, LARGE));
        ByteBuf tooLarge = raw.encode(message(2, HUGE));
        raw.write(frames -> frames.first(1, tooLarge.readableBytes(), tooLarge, 100_000));
        raw.write(frames -> frames.more(1, tooLarge, 100_000));
        expectNoResponse(raw, "REFUSE");
        tooLarge.release();
        decodeUntil("the first message", () -> received.size() == 1);
        assertThat(raw.expect("REFUSE")).isEqualTo("REFUSE 1 BUSY received 1");
        assertThat(alice.reservedBytes()).isZero();
        raw.end();
    }
}

package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.bytes;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.concurrent.EventExecutor;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.codec.internal.BinaryMessageCodec;
import io.parley.endpoint.ChannelListener;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.ServiceOptions;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.memory.MemoryBudget;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.Eventually;
import io.parley.testkit.LiveHeap;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.TransportSecurity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows that grow while a sender needs them, and shrink when it is idle or memory is scarce. Timers are in manual time. */
class WindowTest {

    private static final OptionalLong NONE = OptionalLong.empty();
    private static final int MIN = EndpointLimits.MIN_WINDOW_BYTES;
    private static final int MAX = 64 * MIN;
    private static final long MEMORY = 32L * MAX;

    /** The senders of the test with many, and the memory for each. {@code .ci/campaign-channel} has 2,000. */
    private static final int SENDERS = Integer.getInteger("parley.test.senders", 500);

    private static final long MEMORY_OF_A_SENDER = 64 << 10;

    private static final int MESSAGE = 1000;
    private static final Duration INTERVAL = Duration.ofSeconds(15);
    private static final ServiceAddress HOLDING = ServiceAddress.of("holding");

    private final EndpointFixture fixture = new EndpointFixture();

    /** Without jitter, so that each step of the time ends when a timer is due. */
    private final ManualScheduler scheduler =
            new ManualScheduler(new ManualClock(Instant.parse("2026-11-22T12:00:00Z")), new MiddleRandom());

    private final Queue<ReceivedMessage> held = new ConcurrentLinkedQueue<>();
    private final List<PeerEndpoint> started = new ArrayList<>();
    private final PeerEndpoint alice = start(MEMORY, MEMORY);
    private int connections;

    private static final class MiddleRandom extends Random {
        private static final long serialVersionUID = 1L;

        @Override
        public double nextDouble() {
            return 0.5;
        }
    }

    private PeerEndpoint start(long peerMemory, long totalMemory) {
        EndpointLimits limits = EndpointLimits.DEFAULTS.toBuilder()
                .windowBytes(MAX)
                .peerMemoryBytes(peerMemory)
                .totalMemoryBytes(totalMemory)
                .keepAliveInterval(INTERVAL)
                .build();
        PeerEndpoint endpoint = fixture.start(Identity.generate(), limits, scheduler);
        join(endpoint.listen(EndpointAddress.parse("mem://any")));
        endpoint.listen(SERVICE, ReceivedMessage::release);
        endpoint.listen(HOLDING, held::add);
        started.add(endpoint);
        return endpoint;
    }

    @AfterEach
    void closeAll() {
        held.forEach(ReceivedMessage::release);
        started.forEach(PeerEndpoint::closeAsync);
        until("the endpoints to close", () -> {
            scheduler.advance(Duration.ofSeconds(1)); // the raw peers do not respond to GOODBYE
            return started.stream().allMatch(PeerEndpoint::isClosed);
        });
        fixture.close();
    }

    private RawPeer connect(PeerEndpoint endpoint) throws InterruptedException {
        return RawPeer.connectAcknowledging(fixture, endpoint, Identity.generate(), ++connections, NONE);
    }

    /** A sender that uses all credit that it gets. */
    private static final class Sender {

        private final RawPeer raw;
        private final int handle;
        private final long cost;
        private long credit;
        private int sent;

        /** Opens a channel. */
        Sender(RawPeer raw, int handle, ServiceAddress service) throws InterruptedException {
            this.raw = raw;
            this.handle = handle;
            ByteBuf encoded = raw.encode(bytes(MESSAGE));
            this.cost = EndpointContext.windowCost(encoded.readableBytes());
            encoded.release();
            raw.write(frames -> frames.open(handle, new Open(service, "", OptionalLong.of(handle), 0)));
            credit = Long.parseLong(raw.expect("OPENED " + handle + " ").split(" ")[2]);
        }

        void useAll() {
            while (credit > 0) {
                raw.message(handle, bytes(MESSAGE));
                sent++;
                credit -= cost;
            }
        }

        void reportBlocked() {
            raw.write(frames -> frames.blocked(handle));
        }

        /** Waits until the messages are acknowledged. */
        void awaitAcknowledgement() throws InterruptedException {
            String[] ack;
            do {
                ack = raw.expect("ACK " + handle + " ").split(" ");
                credit += Long.parseLong(ack[4]);
            } while (Integer.parseInt(ack[2]) < sent);
        }

        /** Uses all credit until the credit equals a window of that size. */
        void growTo(long window) throws InterruptedException {
            while (credit + cost < window) {
                useAll();
                reportBlocked();
                awaitAcknowledgement();
                pass(raw);
            }
        }

        /** Waits for that credit: a frame may be processed before the credit of a message that was released earlier. */
        void awaitCredit(long bytes) throws InterruptedException {
            while (credit < bytes) {
                pass(raw);
            }
        }

        /** Adds the credit of frames that have arrived. */
        private void pass(RawPeer peer) throws InterruptedException {
            peer.write(frames -> frames.ping(1));
            String next;
            while (!(next = peer.expect("ACK " + handle + " ", "PONG")).startsWith("PONG")) {
                credit += Long.parseLong(next.split(" ")[4]);
            }
        }

        void shrunk(long bytes) {
            credit -= bytes;
            raw.write(frames -> frames.shrunk(handle, bytes));
        }
    }

    private void pass(RawPeer raw) throws InterruptedException {
        raw.write(frames -> frames.ping(2));
        raw.expect("PONG 2");
    }

    /** Lets a keep-alive interval pass in which the remote peer has sent a frame. */
    private void passInterval(RawPeer raw) throws InterruptedException {
        pass(raw);
        until("the keep-alive timer", () -> scheduler.pending() > 0);
        scheduler.advance(INTERVAL);
        until("the keep-alive timer", () -> scheduler.pending() > 0);
    }

    // -- growth

    /** Otherwise sender and receiver exchange a few messages at a time. */
    @Test
    void blockedReport_ofAWindowThatCannotGrow_returnsNoSmallCredit() throws Exception {
        EndpointLimits limits = EndpointLimits.DEFAULTS.toBuilder()
                .windowBytes(EndpointLimits.MIN_WINDOW_BYTES)
                .keepAliveInterval(INTERVAL)
                .build();
        PeerEndpoint endpoint = fixture.start(Identity.generate(), limits, scheduler);
        join(endpoint.listen(EndpointAddress.parse("mem://any")));
        endpoint.listen(HOLDING, held::add);
        started.add(endpoint);
        RawPeer raw = connect(endpoint);
        Sender sender = new Sender(raw, 1, HOLDING);
        sender.useAll();
        sender.awaitAcknowledgement();
        long before = sender.credit;

        held.iterator().next().release();
        sender.reportBlocked();
        sender.pass(raw);
        assertThat(sender.credit).isEqualTo(before);

        held.forEach(ReceivedMessage::release);
        sender.awaitCredit(before + EndpointLimits.MIN_WINDOW_BYTES / 4 + 1);
    }

    @Test
    void window_beginsSmall_andThatIsWhatIsReserved() throws Exception {
        Sender sender = new Sender(connect(alice), 1, SERVICE);
        assertThat(sender.credit).isEqualTo(MIN);
        assertThat(alice.reservedBytes()).isEqualTo(MIN);
    }

    @Test
    void peerOfVersion10_getsTheFullWindow() throws Exception {
        RawPeer raw = RawPeer.connect(fixture, alice);
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        raw.expect("OPENED 1 " + MAX);
        assertThat(alice.reservedBytes()).isEqualTo(MAX);
    }

    @Test
    void blockedSender_itsWindowIsMultiplied_upToTheMaximumOfTheService() throws Exception {
        Sender sender = new Sender(connect(alice), 1, SERVICE);
        int rounds = 0;
        while (alice.reservedBytes() < MAX) {
            long before = alice.reservedBytes();
            sender.useAll();
            sender.reportBlocked();
            sender.awaitAcknowledgement();
            sender.pass(sender.raw);
            assertThat(alice.reservedBytes()).isGreaterThanOrEqualTo(Math.min(MAX, 4 * before));
            assertThat(++rounds).isLessThanOrEqualTo(3);
        }
        sender.useAll();
        sender.reportBlocked();
        sender.awaitAcknowledgement();
        sender.pass(sender.raw);
        assertThat(alice.reservedBytes()).isEqualTo(MAX);
        assertThat(count(alice, Counter.CONNECTIONS_DROPPED)).isZero();
    }

    @Test
    void largeMessages_letTheWindowGrow_beforeTheSenderIsBlocked() throws Exception {
        RawPeer raw = connect(alice);
        new Sender(raw, 1, SERVICE);
        raw.message(1, bytes(MIN / 2));
        raw.expect("ACK 1 1");
        assertThat(alice.reservedBytes()).isEqualTo(4 * MIN);
    }

    @Test
    void smallMessages_areNoReasonToGrow() throws Exception {
        RawPeer raw = connect(alice);
        new Sender(raw, 1, SERVICE);
        for (int i = 1; i <= 100; i++) {
            raw.message(1, bytes(MESSAGE));
            raw.expect("ACK 1 " + i);
        }
        assertThat(alice.reservedBytes()).isEqualTo(MIN);
    }

    @Test
    void serviceThatReleasesNothing_itsWindowGrowsLittle() throws Exception {
        PeerEndpoint rich = start(64L << 20, 64L << 20);
        rich.listen(ServiceAddress.of("wide"), ServiceOptions.DEFAULTS.withWindowBytes(4 << 20), held::add);
        Sender sender = new Sender(connect(rich), 1, ServiceAddress.of("wide"));
        for (int i = 0; i < 6; i++) {
            sender.useAll();
            sender.reportBlocked();
            sender.pass(sender.raw);
        }
        assertThat(held.stream().mapToLong(message -> sender.cost).sum()).isBetween(256L * 1024, 260L * 1024);
        assertThat(rich.reservedBytes()).isBetween(256L * 1024, 260L * 1024);
    }

    @Test
    void serviceThatReleasesNothing_itsWindowDoesNotGrow_unlessMemoryIsPlentiful() throws Exception {
        PeerEndpoint poor = start(MAX, MAX);
        RawPeer raw = connect(poor);
        List<Sender> senders = new ArrayList<>();
        for (int handle = 1; handle <= 16; handle++) { // a quarter of the memory
            senders.add(new Sender(raw, handle, HOLDING));
        }
        for (Sender sender : senders) {
            sender.useAll();
            sender.reportBlocked();
        }
        pass(raw);
        assertThat(poor.reservedBytes()).isBetween(16L * MIN, 17L * MIN + 16 * MESSAGE);
    }

    @Test
    void growth_leavesMemoryForOthers() throws Exception {
        PeerEndpoint poor = start(MAX, 4L * MAX);
        RawPeer raw = connect(poor);
        for (int handle = 1; handle <= 3; handle++) {
            Sender sender = new Sender(raw, handle, SERVICE);
            for (int round = 0; round < 6; round++) {
                sender.useAll();
                sender.reportBlocked();
                sender.awaitAcknowledgement();
                sender.pass(raw);
            }
        }
        assertThat(poor.reservedBytes()).isBetween(MAX / 2L, MAX * 3L / 4 + 3 * MIN);
        for (int handle = 4; handle <= 16; handle++) {
            new Sender(raw, handle, SERVICE);
        }
    }

    @Test
    void reportsWithoutMessages_giveNoMemory() throws Exception {
        RawPeer raw = connect(alice);
        Sender sender = new Sender(raw, 1, SERVICE);
        for (int i = 0; i < 20_000; i++) {
            sender.reportBlocked();
        }
        pass(raw);
        assertThat(alice.reservedBytes()).isEqualTo(MIN);
        sender.useAll();
        sender.awaitAcknowledgement();
        sender.pass(raw);
        assertThat(alice.reservedBytes())
                .isLessThanOrEqualTo(16 * MIN); // one step for the reports, one for the messages
    }

    @Test
    void messageBeyondTheWindow_isReservedWhileItIsHeld() throws Exception {
        RawPeer raw = connect(alice);
        new Sender(raw, 1, HOLDING);
        raw.message(1, bytes(100_000));
        raw.expect("ACK 1 1");
        assertThat(alice.reservedBytes()).isBetween(100_000L, 101_000L);
        raw.write(frames -> frames.end(1));
        pass(raw);
        assertThat(alice.reservedBytes()).isBetween(100_000L, 101_000L);
        held.remove().release();
        until("the memory to be released", () -> alice.reservedBytes() == 0);
    }

    /** The objects of few elements, and the records of many, use more memory than their bytes. */
    @ParameterizedTest
    @ValueSource(ints = {64, 5_000})
    void messageOfTinyElements_isReservedWithItsObjects(int elements) throws Exception {
        RawPeer raw = connect(alice);
        new Sender(raw, 1, HOLDING);
        Message message =
                Message.compactBuilder().addAll(tinyElements(elements)).build();
        raw.message(1, message);
        raw.expect("ACK 1 1");
        assertThat(alice.reservedBytes()).isBetween(message.memoryBytes(0), 3 * message.memoryBytes(0));
        held.remove().release();
        pass(raw);
        assertThat(alice.reservedBytes()).as("the window, which has grown").isLessThan(100_000);
    }

    /** The encoded message stays in memory beside the names of objects. */
    @Test
    void messageOfLongNames_isReservedWithItsNames() throws Exception {
        RawPeer raw = connect(alice);
        new Sender(raw, 1, HOLDING);
        int count = 60;
        int length = 1000;
        raw.message(
                1,
                Message.of(IntStream.range(0, count)
                        .mapToObj(i -> MessageElement.of("n".repeat(length - 4) + (1000 + i), new byte[1]))
                        .toList()));
        raw.expect("ACK 1 1");
        assertThat(alice.reservedBytes()).isGreaterThan(3L * length * count);
        held.remove().release();
        pass(raw);
    }

    private static Message tinyElements(int count) {
        return Message.of(IntStream.range(0, count)
                .mapToObj(i -> MessageElement.of("e" + i % 10, new byte[1]))
                .toList());
    }

    @Test
    void reservedMemory_coversTheHeap() {
        ByteBuf encoded = new BinaryMessageCodec()
                .newSession(MessageLimits.DEFAULTS)
                .encode(tinyElements(65_000), UnpooledByteBufAllocator.DEFAULT);
        CodecSession session = new BinaryMessageCodec().newSession(MessageLimits.DEFAULTS);
        List<Message> decoded = new ArrayList<>();
        decoded.add(session.decode(Unpooled.copiedBuffer(encoded))); // loads classes
        long before = LiveHeap.bytes();
        for (int i = 0; i < 10; i++) {
            decoded.add(session.decode(Unpooled.copiedBuffer(encoded)));
        }
        long taken = LiveHeap.bytes() - before;
        encoded.release();
        long reserved =
                decoded.stream().mapToLong(message -> message.memoryBytes(0)).sum();
        assertThat(taken).isLessThanOrEqualTo(reserved + reserved / 20).isLessThan(20L * 10 * 65_000);
    }

    @Test
    void messageBeyondTheWindow_withoutMemory_isRefused() throws Exception {
        PeerEndpoint poor = start(MAX, MAX);
        RawPeer raw = connect(poor);
        int handle = 1;
        for (long used = MIN; used + 100_000 < MAX; used += 101_000) {
            new Sender(raw, handle, HOLDING);
            raw.message(handle++, bytes(100_000));
        }
        int last = handle;
        new Sender(raw, last, HOLDING);
        raw.message(last, bytes(100_000));
        raw.expect("REFUSE " + last + " BUSY");
        assertThat(poor.reservedBytes()).isLessThanOrEqualTo(MAX);
        new Sender(raw, last + 1, HOLDING);
    }

    @Test
    void reportOfAChannelThatDoesNotGrow_isAViolation() throws Exception {
        RawPeer old = RawPeer.connect(fixture, alice);
        old.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        old.write(frames -> frames.blocked(1));
        old.expect("GOODBYE PROTOCOL_VIOLATION");
        RawPeer raw = connect(alice);
        raw.write(frames -> frames.blocked(1));
        raw.expect("GOODBYE PROTOCOL_VIOLATION");
    }

    @Test
    void framesForAnEndedChannel_areIgnored() throws Exception {
        RawPeer raw = connect(alice);
        Sender sender = new Sender(raw, 1, SERVICE);
        raw.write(frames -> frames.end(1));
        sender.reportBlocked();
        raw.write(frames -> frames.shrunk(1, 5));
        raw.write(frames -> frames.shrink(1, 5));
        pass(raw);
        assertThat(count(alice, Counter.CONNECTIONS_DROPPED)).isZero();
    }

    // -- shrinking

    @Test
    void idleChannel_isAskedForItsUnusedCredit_andTheMemoryIsReleased() throws Exception {
        RawPeer raw = connect(alice);
        Sender sender = new Sender(raw, 1, SERVICE);
        sender.growTo(MAX);
        passInterval(raw); // there were messages in this interval
        assertThat(alice.reservedBytes()).isEqualTo(MAX);
        passInterval(raw);
        raw.expect("SHRINK 1 " + (MAX - MIN));
        sender.shrunk(MAX - MIN);
        pass(raw);
        assertThat(alice.reservedBytes()).isEqualTo(MIN);
        passInterval(raw);
        sender.growTo(MAX);
        assertThat(alice.reservedBytes()).isEqualTo(MAX);
    }

    @Test
    void idleChannel_keepsTheWindowOfUnreleasedMessages() throws Exception {
        RawPeer raw = connect(alice);
        Sender sender = new Sender(raw, 1, HOLDING);
        for (int i = 0; i < 2; i++) {
            sender.useAll();
            sender.reportBlocked();
            sender.pass(raw);
        }
        long used = sender.sent * sender.cost;
        assertThat(sender.credit).isPositive();
        passInterval(raw);
        passInterval(raw);
        raw.expect("SHRINK 1 " + sender.credit);
        sender.shrunk(sender.credit);
        sender.pass(raw); // the window is small before the messages are released
        held.forEach(ReceivedMessage::release);
        held.clear();
        sender.awaitCredit(used);
    }

    @Test
    void creditThatWasNotAskedFor_orNotThere_cannotBeGivenBack() throws Exception {
        RawPeer unasked = connect(alice);
        new Sender(unasked, 1, SERVICE).shrunk(0);
        unasked.expect("GOODBYE PROTOCOL_VIOLATION");

        RawPeer tooMuch = connect(alice);
        Sender sender = new Sender(tooMuch, 1, SERVICE);
        sender.growTo(MAX);
        passInterval(tooMuch);
        passInterval(tooMuch);
        tooMuch.expect("SHRINK 1 " + (MAX - MIN));
        sender.shrunk(MAX - MIN + 1);
        tooMuch.expect("GOODBYE PROTOCOL_VIOLATION");
    }

    @Test
    void creditThatIsInUse_cannotBeGivenBack() throws Exception {
        RawPeer raw = connect(alice);
        Sender sender = new Sender(raw, 1, HOLDING);
        for (int i = 0; i < 3; i++) {
            sender.useAll();
            sender.reportBlocked();
            sender.pass(raw);
        }
        passInterval(raw);
        passInterval(raw);
        long asked = Long.parseLong(raw.expect("SHRINK 1").split(" ")[2]);
        sender.useAll();
        sender.shrunk(asked);
        raw.expect("GOODBYE PROTOCOL_VIOLATION");
    }

    @Test
    void peerThatDoesNotGiveMemoryBack_isDropped() throws Exception {
        RawPeer raw = connect(alice);
        new Sender(raw, 1, SERVICE).growTo(MAX);
        for (int i = 0; i < 5; i++) {
            passInterval(raw);
        }
        assertThat(count(alice, Counter.CONNECTIONS_DROPPED)).isZero();
        passInterval(raw);
        raw.expect("GOODBYE PROTOCOL_VIOLATION");
    }

    @Test
    void messageThatDoesNotContinue_isDropped() throws Exception {
        RawPeer raw = connect(alice);
        new Sender(raw, 1, SERVICE);
        ByteBuf encoded = raw.encode(bytes(MAX));
        int size = encoded.readableBytes();
        raw.write(frames -> frames.first(1, size, encoded, 1000));
        pass(raw);
        for (int i = 0; i < 4; i++) {
            passInterval(raw);
        }
        raw.write(frames -> frames.more(1, encoded, 1000)); // progress, however little
        for (int i = 0; i < 4; i++) {
            passInterval(raw);
        }
        assertThat(count(alice, Counter.CONNECTIONS_DROPPED)).isZero();
        passInterval(raw);
        raw.expect("GOODBYE LIMIT_EXCEEDED");
        encoded.release();
    }

    @Test
    void newChannelWithoutMemory_waitsForThatOfIdleChannels() throws Exception {
        PeerEndpoint poor = start(MAX, MAX);
        RawPeer raw = connect(poor);
        Sender idle = new Sender(raw, 1, SERVICE);
        for (int i = 0; i < 6; i++) {
            idle.useAll();
            idle.reportBlocked();
            idle.awaitAcknowledgement();
            idle.pass(raw);
        }
        int handle = 2;
        while (poor.reservedBytes() + MIN <= MAX) {
            new Sender(raw, handle++, SERVICE);
        }
        int last = handle;
        raw.write(frames -> frames.open(last, new Open(SERVICE, "", OptionalLong.of(last), 0)));
        raw.write(frames -> frames.open(last + 1, new Open(SERVICE, "", OptionalLong.of(last + 1), 0)));
        raw.write(frames -> frames.end(last + 1));
        long asked = askedUnderPressure(raw);
        idle.shrunk(asked);
        raw.expect("OPENED " + last + " " + MIN);
        pass(raw);
        assertThat(poor.reservedBytes()).isLessThanOrEqualTo(MAX - asked + MIN);
    }

    /** Lets the time pass in which idle channels are found. */
    private long askedUnderPressure(RawPeer raw) throws InterruptedException {
        pass(raw);
        until("the timer of the retry", () -> scheduler.pending() == 2);
        scheduler.advance(MemoryBudget.RECLAIM_INTERVAL);
        until("the timer of the retry", () -> scheduler.pending() == 2);
        scheduler.advance(MemoryBudget.RECLAIM_INTERVAL);
        return Long.parseLong(raw.expect("SHRINK 1").split(" ")[2]);
    }

    @Test
    void newChannelWithoutMemory_isRefusedAfterASecond() throws Exception {
        PeerEndpoint poor = start(MAX, MAX);
        RawPeer raw = connect(poor);
        for (int handle = 1; handle <= MAX / MIN; handle++) {
            new Sender(raw, handle, SERVICE);
        }
        int last = MAX / MIN + 1;
        raw.write(frames -> frames.open(last, new Open(SERVICE, "", OptionalLong.of(last), 0)));
        pass(raw);
        for (int i = 0; i < 10; i++) {
            until("the timer of the retry", () -> scheduler.pending() == 2);
            scheduler.advance(MemoryBudget.RECLAIM_INTERVAL);
        }
        raw.expect("REFUSE " + last + " BUSY");
    }

    @Test
    void newChannelWithoutMemory_thatIsRefusedForAnotherReason_isRefusedOnce() throws Exception {
        ServiceAddress secure = ServiceAddress.of("secure");
        PeerEndpoint poor = start(MAX, MAX);
        poor.listenToChannels(
                secure,
                ServiceOptions.DEFAULTS.withWindowBytes(MIN).withSecureChannels(),
                peer -> ReceivedMessage::release);
        RawPeer raw = connect(poor);
        int last = MAX / MIN;
        for (int handle = 1; handle <= last; handle++) {
            new Sender(raw, handle, SERVICE);
        }
        OptionalLong channel = OptionalLong.of(last + 1);
        raw.write(frames -> frames.open(last + 1, new Open(SERVICE, "", channel, 0)));
        raw.write(frames -> frames.open(last + 2, new Open(secure, "", channel, 0).withSecure(true)));
        raw.write(frames -> frames.end(1));
        pass(raw);
        until("the timer of the retry", () -> scheduler.pending() == 2);
        scheduler.advance(MemoryBudget.RECLAIM_INTERVAL);
        raw.expect("OPENED " + (last + 1) + " " + MIN);
        raw.expect("REFUSE " + (last + 2) + " SECURITY_MISMATCH");
        raw.write(frames -> frames.ping(77));
        raw.expect("PONG 77");
        assertThat(scheduler.pending())
                .as("timers: of the keep-alive, not of a retry")
                .isEqualTo(1);
    }

    @Test
    void resumedChannelWithoutMemory_thatEnds_isReportedAsEnded() throws Exception {
        PeerEndpoint poor = start(MAX, MAX);
        ServiceAddress ending = ServiceAddress.of("ending");
        Queue<String> events = new ConcurrentLinkedQueue<>();
        poor.listenToChannels(ending, ServiceOptions.DEFAULTS.withWindowBytes(MIN), peer -> new ChannelListener() {
            @Override
            public void onMessage(ReceivedMessage message) {
                message.release();
            }

            @Override
            public void onInterrupted() {
                events.add("interrupted");
            }

            @Override
            public void onEnded() {
                events.add("ended");
            }
        });
        Identity identity = Identity.generate();
        RawPeer first = RawPeer.connectAcknowledging(fixture, poor, identity, ++connections, NONE);
        Open open = new Open(ending, "", OptionalLong.of(1000), 0);
        first.write(frames -> frames.open(1, open));
        first.expect("OPENED 1");
        Link lost = Objects.requireNonNull(
                Objects.requireNonNull(poor.association(identity.peerId())).activeLink());
        first.connection.abort(null);
        join(lost.whenClosed()); // the channel is free then
        until("the loss", () -> !poor.isConnected(identity.peerId()));
        RawPeer raw = RawPeer.connectAcknowledging(fixture, poor, identity, ++connections, NONE);
        int last = MAX / MIN + 1;
        for (int handle = 1; handle < last; handle++) {
            new Sender(raw, handle, SERVICE);
        }
        raw.write(frames -> frames.open(last, open));
        raw.write(frames -> frames.end(last));
        pass(raw);
        assertThat(events).containsExactly("interrupted", "ended");
    }

    @Test
    void newChannelWithoutMemory_getsThatOfAnotherPeer() throws Exception {
        PeerEndpoint poor = start(MAX, MAX);
        RawPeer rich = connect(poor);
        Sender idle = new Sender(rich, 1, SERVICE);
        for (int i = 0; i < 6; i++) {
            idle.useAll();
            idle.reportBlocked();
            idle.awaitAcknowledgement();
            idle.pass(rich);
        }
        RawPeer raw = connect(poor);
        int handle = 1;
        while (poor.reservedBytes() + MIN <= MAX) {
            new Sender(raw, handle++, SERVICE);
        }
        int last = handle;
        raw.write(frames -> frames.open(last, new Open(SERVICE, "", OptionalLong.of(last), 0)));
        pass(raw);
        Link linkOfRich = Objects.requireNonNull(
                Objects.requireNonNull(poor.association(rich.identity.peerId())).activeLink());
        until("the timers of the retry and of two keep-alives", () -> scheduler.pending() == 3);
        for (int i = 0; i < 3; i++) {
            scheduler.advance(MemoryBudget.RECLAIM_INTERVAL);
            until("the timers of the retry and of two keep-alives", () -> scheduler.pending() == 3);
            Eventually.run((EventExecutor) linkOfRich.context().executor(), () -> {}); // after the request of the retry
        }
        idle.shrunk(Long.parseLong(rich.expect("SHRINK 1").split(" ")[2]));
        pass(rich);
        scheduler.advance(MemoryBudget.RECLAIM_INTERVAL);
        raw.expect("OPENED " + last + " " + MIN);
    }

    // -- this endpoint sends

    private PeerMessenger messengerTo(RawPeer raw) {
        until("the link", () -> alice.isConnected(raw.identity.peerId()));
        return alice.messenger(raw.identity.peerId(), SERVICE);
    }

    @Test
    void senderWithoutCredit_reportsItOnce_untilItGetsCredit() throws Exception {
        RawPeer raw = connect(alice);
        PeerMessenger messenger = messengerTo(raw);
        messenger.send(bytes(MESSAGE));
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, 1, NONE));
        raw.expect("MESSAGE");
        assertThat(passing(raw)).as("nothing is queued").isEmpty();
        messenger.send(bytes(MESSAGE));
        raw.expect("BLOCKED 1");
        messenger.send(bytes(MESSAGE));
        raw.write(frames -> frames.ack(1, 1, 0));
        assertThat(passing(raw)).isEmpty();
        raw.write(frames -> frames.ack(1, 1, 1300));
        raw.expect("MESSAGE");
        raw.expect("BLOCKED 1");
        raw.write(frames -> frames.credit(1, 5000));
        raw.expect("MESSAGE");
        assertThat(passing(raw)).isEmpty();
        messenger.abort();
    }

    /** The peer takes none of the reports while it sends credit. */
    @Test
    void senderWithTooLittleCredit_reportsItToAPeerThatDoesNotRead_upToABound() throws Exception {
        TamperingTransport.Middle unchanged = (toAcceptor, frame) -> List.of(frame);
        PeerEndpoint sender = fixture.startSecure(
                Identity.generate(),
                EndpointLimits.DEFAULTS.toBuilder().maxChannels(10).build(),
                TransportSecurity.TLS,
                SslProvider.JDK,
                // a connection that reports what is written after the present task
                transport -> new TamperingTransport(transport, unchanged));
        RawPeer raw = connect(sender);
        until("the link", () -> sender.isConnected(raw.identity.peerId()));
        PeerMessenger messenger = sender.messenger(raw.identity.peerId(), SERVICE);
        messenger.send(bytes(100_000));
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, 1, NONE));
        raw.expect("MESSAGE");
        messenger.send(bytes(MESSAGE));
        raw.expect("BLOCKED 1");
        Link link = Objects.requireNonNull(Objects.requireNonNull(sender.association(raw.identity.peerId()))
                .activeLink());
        link.context().run(() -> {
            for (int i = 0; i < 10_000; i++) {
                ByteBuf credit = raw.frames.credit(1, 1);
                link.onFrame(credit);
                credit.release();
            }
        });
        raw.expect("GOODBYE LIMIT_EXCEEDED");
        messenger.abort();
    }

    @Test
    void senderWithoutCredit_doesNotReportItToAPeerOfVersion10() throws Exception {
        RawPeer raw = RawPeer.connect(fixture, alice);
        PeerMessenger messenger = messengerTo(raw);
        messenger.send(bytes(MESSAGE));
        messenger.send(bytes(MESSAGE));
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, 1, NONE));
        raw.expect("MESSAGE");
        assertThat(passing(raw)).isEmpty();
        messenger.abort();
    }

    /** Returns the BLOCKED frames that arrive before the response to a ping. */
    private static String passing(RawPeer raw) throws InterruptedException {
        raw.write(frames -> frames.ping(3));
        String next = raw.expect("BLOCKED", "PONG 3");
        return next.startsWith("PONG") ? "" : next;
    }

    @Test
    void sender_givesUnusedCreditBack() throws Exception {
        RawPeer raw = connect(alice);
        PeerMessenger messenger = messengerTo(raw);
        messenger.send(bytes(MESSAGE));
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, 10_000, NONE));
        raw.expect("MESSAGE");
        raw.write(frames -> frames.shrink(1, 5000));
        raw.expect("SHRUNK 1 5000");
        raw.write(frames -> frames.shrink(1, Long.MAX_VALUE));
        long rest = Long.parseLong(raw.expect("SHRUNK 1").split(" ")[2]);
        assertThat(rest).isBetween(5000 - MESSAGE - 400L, 5000L - MESSAGE - 256);
        raw.write(frames -> frames.shrink(1, 1));
        raw.expect("SHRUNK 1 0");
        messenger.send(bytes(MESSAGE));
        raw.expect("BLOCKED 1");
        messenger.abort();
    }

    @Test
    void requestForCredit_beforeTheChannelIsOpen_isAViolation() throws Exception {
        RawPeer raw = connect(alice);
        PeerMessenger messenger = messengerTo(raw);
        messenger.send(bytes(MESSAGE));
        raw.expect("OPEN 1");
        raw.write(frames -> frames.shrink(1, 5000));
        raw.expect("GOODBYE PROTOCOL_VIOLATION");
        messenger.abort();
    }

    // -- many

    @Test
    void manySenders_fit_andAServiceThatReleasesNothingDelaysNoOther() throws Exception {
        long memory = SENDERS * MEMORY_OF_A_SENDER;
        PeerEndpoint full = start(memory, memory);
        List<RawPeer> peers = new ArrayList<>();
        for (int i = 0; i < SENDERS; i++) {
            RawPeer raw = connect(full);
            peers.add(raw);
            raw.write(frames -> frames.open(1, new Open(HOLDING, "", OptionalLong.of(1), 0)));
            raw.write(frames -> frames.open(2, new Open(SERVICE, "", OptionalLong.of(2), 0)));
        }
        for (RawPeer raw : peers) {
            raw.expect("OPENED 2");
            for (int i = 0; i < 7; i++) {
                raw.message(1, bytes(MESSAGE));
            }
            raw.write(frames -> frames.blocked(1));
        }
        for (RawPeer raw : peers) {
            for (int i = 1; i <= 10; i++) {
                int expected = i;
                raw.message(2, bytes(MESSAGE));
                raw.expect("ACK 2 " + expected);
            }
        }
        assertThat(held).hasSize(7 * SENDERS);
        assertThat(full.reservedBytes()).isLessThan(memory);
    }
}

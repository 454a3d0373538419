package io.parley.transport.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.identity.Identity;
import io.parley.testkit.ClockScheduler;
import io.parley.testkit.ManualClock;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What becomes of datagrams: without sockets, and with a clock that stands still. */
class DatagramReceiverTest {

    private static final UdpSettings SETTINGS = UdpSettings.DEFAULTS;
    private static final UdpLimits LIMITS = SETTINGS.limits();
    private static final int PORT = SETTINGS.port();
    private static final InetAddress SOURCE = address(1);
    private static final InetAddress OTHER_SOURCE = address(2);
    private static final int BURST_SECONDS = 2;

    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-21T12:00:00Z"));
    private final TransportContext context = new TransportContext(
            Identity.generate(),
            TransportSecurity.TLS,
            TransportLimits.DEFAULTS,
            new EndpointMetrics(),
            new ClockScheduler(clock));
    private final List<PeerAddress> senders = new ArrayList<>();
    private final List<byte[]> payloads = new ArrayList<>();
    private final TestSender alice = new TestSender();
    private long nanos = -1_000_000; // as System.nanoTime(), it may be negative
    private final DatagramReceiver receiver = receiver(SETTINGS, true);

    private DatagramReceiver receiver(UdpSettings settings, boolean isLocal) {
        return new DatagramReceiver(context, settings, source -> isLocal, () -> nanos, (sender, payload) -> {
            senders.add(sender);
            payloads.add(ByteBufUtil.getBytes(payload));
        });
    }

    private static InetAddress address(int number) {
        try {
            return InetAddress.getByAddress(
                    ByteBuffer.allocate(4).putInt(0x0a000000 + number).array());
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private void pass(Duration time) {
        clock.advance(time);
        nanos += time.toNanos();
    }

    private void receive(InetAddress source, List<byte[]> datagrams) {
        datagrams.forEach(datagram -> receive(source, datagram));
    }

    private void receive(InetAddress source, byte[] datagram) {
        receiver.receive(source, Unpooled.wrappedBuffer(datagram));
    }

    private List<byte[]> message(byte[] payload) {
        return alice.message(PORT, clock.millis(), payload);
    }

    private List<byte[]> message(String payload) {
        return message(payload.getBytes(StandardCharsets.UTF_8));
    }

    private byte[] large() {
        byte[] payload = new byte[20_000];
        new Random(7).nextBytes(payload);
        return payload;
    }

    private void assertHeard(byte[]... expected) {
        assertThat(payloads).containsExactly(expected);
    }

    private void assertRefused(DropReason refusal, long count) {
        assertThat(receiver.refusals().count(refusal)).as("%s", refusal).isEqualTo(count);
        long all = Arrays.stream(DropReason.values())
                .mapToLong(each -> receiver.refusals().count(each))
                .sum();
        assertThat(all).as("refusals of all kinds").isEqualTo(count);
        assertThat(context.metrics().get(Counter.PROPAGATIONS_REJECTED)
                        + context.metrics().get(Counter.PROPAGATIONS_THROTTLED))
                .isEqualTo(count);
    }

    // Whole and in pieces.

    @Test
    void oneDatagram_isHeard_withItsSender() {
        List<byte[]> datagrams = message("hello");
        assertThat(datagrams).hasSize(1);
        receive(SOURCE, datagrams);

        assertHeard("hello".getBytes(StandardCharsets.UTF_8));
        assertThat(senders).containsExactly(PeerAddress.of(alice.identity().peerId(), TestSender.ADDRESS));
        assertRefused(DropReason.MALFORMED, 0);
    }

    @Test
    void pieces_inAnyOrder_eachTwice_areHeardOnce() {
        for (int seed = 0; seed < 20; seed++) {
            payloads.clear();
            byte[] payload = large();
            List<byte[]> datagrams = new ArrayList<>(message(payload));
            assertThat(datagrams).hasSizeGreaterThan(10);
            datagrams.addAll(datagrams);
            Collections.shuffle(datagrams, new Random(seed));
            receive(SOURCE, datagrams);
            assertThat(payloads).as("seed %s", seed).containsExactly(payload);
        }
        assertThat(receiver.reassembler().count()).isZero();
        assertThat(receiver.reassembler().heldBytes()).isZero();
        assertThat(receiver.reassembler().sourceCount()).isZero();
    }

    @Test
    void samePiecesFromTwoAddresses_interleaved_areHeardOnce_andNothingStays() {
        List<byte[]> datagrams = message(large());
        for (byte[] datagram : datagrams) {
            receive(SOURCE, datagram);
            receive(OTHER_SOURCE, datagram);
        }
        assertHeard(large());
        assertThat(receiver.reassembler().count()).isZero();
        assertThat(receiver.reassembler().heldBytes()).isZero();
    }

    @Test
    void lostPiece_isNotHeard_andForgottenInTime() {
        List<byte[]> datagrams = message(large());
        receive(SOURCE, datagrams.subList(1, datagrams.size()));
        assertThat(receiver.reassembler().count()).isEqualTo(1);
        pass(LIMITS.reassemblyTimeout());
        receiver.expire();
        assertThat(receiver.reassembler().count()).isEqualTo(1);

        pass(Duration.ofMillis(1));
        receiver.expire();
        assertThat(receiver.reassembler().count()).isZero();
        assertThat(receiver.reassembler().heldBytes()).isZero();
        assertThat(payloads).isEmpty();
        assertRefused(DropReason.REASSEMBLY_TIMEOUT, 1);
    }

    // Forgers.

    @Test
    void anyByteChanged_isNotHeard() {
        byte[] datagram = message("hello").get(0);
        for (int i = 0; i < datagram.length; i++) {
            byte[] changed = datagram.clone();
            changed[i] ^= 0x01;
            receive(SOURCE, changed);
            nanos += Duration.ofSeconds(1).toNanos(); // so that rates don't matter
        }
        assertThat(payloads).isEmpty();

        receive(SOURCE, datagram);
        assertHeard("hello".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void anyEnd_isNotHeard() {
        byte[] datagram = message("hello").get(0);
        for (int length = 0; length < datagram.length; length++) {
            receive(SOURCE, Arrays.copyOf(datagram, length));
            nanos += Duration.ofSeconds(1).toNanos();
        }
        assertThat(payloads).isEmpty();
    }

    @Test
    void forgedPiece_fromAnotherAddress_doesNoHarm() {
        List<byte[]> datagrams = message(large());
        byte[] forged = datagrams.get(0).clone();
        forged[forged.length - 1] ^= 1;
        receive(OTHER_SOURCE, forged);
        receive(SOURCE, datagrams);
        assertHeard(large());
    }

    @Test
    void forgedPiece_fromTheSameAddress_spoilsThatCopyAlone() {
        List<byte[]> datagrams = message(large());
        byte[] forged = datagrams.get(0).clone();
        forged[forged.length - 1] ^= 1;
        receive(SOURCE, forged);
        receive(SOURCE, datagrams.subList(1, datagrams.size()));
        assertThat(payloads).isEmpty();
        assertRefused(DropReason.INVALID_SIGNATURE, 1);

        receive(OTHER_SOURCE, datagrams);
        assertHeard(large());
    }

    @Test
    void signedForAnotherChannel_orUnderAnotherNumber_isRefused() {
        receive(SOURCE, alice.message(PORT + 1, clock.millis(), new byte[1]));
        MessageKey key = alice.nextKey();
        byte[] signed = SignedMessage.sign(alice.identity(), key.number(), PORT, clock.millis(), List.of(), new byte[1])
                .bytes();
        receive(SOURCE, TestSender.cut(alice.nextKey(), signed));
        assertThat(payloads).isEmpty();
        assertRefused(DropReason.INVALID_SIGNATURE, 2);
    }

    @Test
    void whatThisPeerSent_isIgnored_andNotCounted() {
        TestSender self = new TestSender(context.identity(), 1);
        receive(SOURCE, self.message(PORT, clock.millis(), large()));
        assertThat(payloads).isEmpty();
        assertThat(receiver.rates().sourceCount()).isZero();
        assertRefused(DropReason.MALFORMED, 0);
    }

    // Time and replay.

    @Test
    void replay_isIgnored_asLongAsItsTimeWouldPass_andRefusedAfter() {
        List<byte[]> early =
                alice.message(PORT, clock.millis() + SETTINGS.clockTolerance().toMillis(), new byte[1]);
        receive(SOURCE, early);
        for (int i = 0; i < 2 * SETTINGS.clockTolerance().toSeconds(); i++) {
            pass(Duration.ofSeconds(1));
            receive(i % 2 == 0 ? SOURCE : OTHER_SOURCE, early);
        }
        assertHeard(new byte[1]);
        assertRefused(DropReason.CLOCK_SKEW, 0);

        pass(Duration.ofSeconds(1));
        receive(SOURCE, early);
        assertHeard(new byte[1]);
        assertRefused(DropReason.CLOCK_SKEW, 1);
        assertThat(receiver.heard().size()).isZero();
    }

    @Test
    void clocksDiffer_withinTheTolerance_isHeard_beyondItIsNot() {
        long tolerance = SETTINGS.clockTolerance().toMillis();
        for (long offset : new long[] {-tolerance, tolerance, -tolerance - 1, tolerance + 1, Long.MIN_VALUE / 2}) {
            receive(SOURCE, alice.message(PORT, clock.millis() + offset, new byte[] {1}));
        }
        assertHeard(new byte[] {1}, new byte[] {1});
        assertRefused(DropReason.CLOCK_SKEW, 3);
    }

    // What is none of ours.

    @Test
    void foreignVersion_isRefused() {
        byte[] datagram = message("hello").get(0);
        datagram[4] = 2;
        receive(SOURCE, datagram);
        receive(SOURCE, Arrays.copyOf(datagram, 5));
        assertRefused(DropReason.UNSUPPORTED_VERSION, 2);
    }

    @Test
    void garbage_isRefused() {
        byte[] whole = message("hello").get(0);
        byte[] firstOfMany = message(large()).get(0);
        int refused = 0;
        for (byte[] garbage : new byte[][] {
            {},
            "NOTIFY * HTTP/1.1".getBytes(StandardCharsets.US_ASCII),
            Arrays.copyOf(whole, Datagram.HEADER_BYTES),
            Arrays.copyOf(whole, Datagram.MAX_BYTES + 1),
            Arrays.copyOf(firstOfMany, Datagram.MAX_BYTES - 1),
            with(whole, 7, 1), // the byte that is 0
            with(whole, 6, 0), // no pieces
            with(whole, 5, 1), // the second of one
            with(firstOfMany, 6, 65),
            Arrays.copyOf(whole, Datagram.HEADER_BYTES + 72) // no room for time and signature
        }) {
            receive(SOURCE, garbage);
            assertRefused(DropReason.MALFORMED, ++refused);
        }
    }

    private static byte[] with(byte[] datagram, int at, int value) {
        byte[] changed = datagram.clone();
        changed[at] = (byte) value;
        return changed;
    }

    @Test
    void malformedInside_butSigned_isRefused_unknownAddressesAreLeftOut() {
        byte[][] bodies = {{17}, {1}, {1, 0}, {1, 0, 0}, {1, 0, 3, 'a', 'b'}, {1, 1, 45}, {1, 0, 3, '?', '?', '?', 'x'}
        };
        for (byte[] body : bodies) {
            MessageKey key = alice.nextKey();
            receive(SOURCE, TestSender.cut(key, sign(key, body)));
        }
        assertRefused(DropReason.MALFORMED, bodies.length - 1);
        assertHeard("x".getBytes(StandardCharsets.US_ASCII));
        assertThat(senders).containsExactly(PeerAddress.of(alice.identity().peerId()));
    }

    /** As {@code docs/wire-format.md} has it, with anything behind the time. */
    private byte[] sign(MessageKey key, byte[] body) {
        byte[] domain = "parley-udp-1\0".getBytes(StandardCharsets.US_ASCII);
        byte[] covered = ByteBuffer.allocate(domain.length + 18 + body.length)
                .put(domain)
                .putShort((short) PORT)
                .putLong(key.number())
                .putLong(clock.millis())
                .put(body)
                .array();
        return ByteBuffer.allocate(8 + body.length + 64)
                .putLong(clock.millis())
                .put(body)
                .put(alice.identity().sign(covered))
                .array();
    }

    @Test
    void fromElsewhere_isRefused() {
        receiver(SETTINGS, false)
                .receive(SOURCE, Unpooled.wrappedBuffer(message("hello").get(0)));
        assertThat(payloads).isEmpty();
        assertThat(context.metrics().get(Counter.PROPAGATIONS_REJECTED)).isEqualTo(1);
    }

    // Floods.

    @Test
    void floodFromOneAddress_isThrottled_andOthersAreHeard() {
        byte[] piece = message(large()).get(0);
        int flood = 10 * LIMITS.datagramsPerSecondPerSource();
        for (int i = 0; i < flood; i++) {
            receive(SOURCE, piece);
        }
        assertRefused(DropReason.DATAGRAM_RATE, flood - BURST_SECONDS * LIMITS.datagramsPerSecondPerSource());

        receive(OTHER_SOURCE, message("hello"));
        assertHeard("hello".getBytes(StandardCharsets.UTF_8));
        pass(Duration.ofSeconds(1));
        receive(SOURCE, message("I am quiet now"));
        assertThat(payloads).hasSize(2);
    }

    @Test
    void floodFromManyAddresses_isThrottledInAll_andTheTableIsBounded() {
        byte[] piece = message(large()).get(0);
        int flood = 10 * LIMITS.datagramsPerSecond();
        for (int i = 0; i < flood; i++) {
            receive(address(i), piece);
            assertThat(receiver.rates().sourceCount()).isLessThanOrEqualTo(LIMITS.maxSources());
            assertReassemblerWithinLimits();
        }
        assertThat(receiver.refusals().count(DropReason.DATAGRAM_RATE))
                .isEqualTo(flood - BURST_SECONDS * LIMITS.datagramsPerSecond());
    }

    private void assertReassemblerWithinLimits() {
        assertThat(receiver.reassembler().count()).isLessThanOrEqualTo(LIMITS.maxReassemblies());
        assertThat(receiver.reassembler().sourceCount())
                .isLessThanOrEqualTo(receiver.reassembler().count());
        assertThat(receiver.reassembler().heldBytes()).isLessThanOrEqualTo(LIMITS.reassemblyBytes());
    }

    @Test
    void incompleteFromOneAddress_staysWithinItsShare_andAnHonestOneIsHeard() {
        for (int i = 0; i < 50; i++) {
            List<byte[]> datagrams = message(large());
            receive(SOURCE, datagrams.subList(1, datagrams.size()));
            assertThat(receiver.reassembler().count()).isLessThanOrEqualTo(LIMITS.maxReassembliesPerSource());
        }
        assertRefused(DropReason.REASSEMBLY_LIMIT, 50 - LIMITS.maxReassembliesPerSource());

        receive(SOURCE, message(large()));
        receive(OTHER_SOURCE, message(large()));
        assertHeard(large(), large());
    }

    @Test
    void incompleteAndLarge_staysWithinTheMemory() {
        byte[] largest = new byte[64 * 1024];
        for (int i = 0; i < 80; i++) {
            List<byte[]> datagrams = message(largest);
            InetAddress from = address(i);
            for (byte[] datagram : datagrams.subList(1, datagrams.size())) {
                receive(from, datagram);
                assertReassemblerWithinLimits();
            }
        }
        assertThat(receiver.reassembler().heldBytes()).isGreaterThan(LIMITS.reassemblyBytes() - 2 * largest.length);
        assertThat(receiver.refusals().count(DropReason.REASSEMBLY_LIMIT)).isPositive();

        receive(SOURCE, message(large()));
        assertHeard(large());
    }

    @Test
    void signatures_areVerifiedAtABoundedRate_inAllAndFromOneAddress() {
        byte[] forged = message("hello").get(0);
        forged[forged.length - 1] ^= 1;
        for (int i = 0; i < 4 * LIMITS.signaturesPerSecondPerSource(); i++) {
            receive(SOURCE, forged);
        }
        int perSource = BURST_SECONDS * LIMITS.signaturesPerSecondPerSource();
        assertThat(receiver.refusals().count(DropReason.INVALID_SIGNATURE)).isEqualTo(perSource);
        for (int i = 0; i < 4 * LIMITS.signaturesPerSecond(); i++) {
            receive(address(10 + i), forged);
        }
        int inAll = BURST_SECONDS * LIMITS.signaturesPerSecond();
        assertThat(receiver.refusals().count(DropReason.INVALID_SIGNATURE)).isEqualTo(inAll);
        assertRefusals(
                DropReason.SIGNATURE_RATE,
                4L * (LIMITS.signaturesPerSecondPerSource() + LIMITS.signaturesPerSecond()) - inAll);
    }

    private void assertRefusals(DropReason refusal, long count) {
        assertThat(receiver.refusals().count(refusal)).as("%s", refusal).isEqualTo(count);
    }

    @Test
    void validSignaturesAtFullRate_replayWindowStaysBounded() {
        UdpLimits few = new UdpLimits(50, 1 << 20, 2000, 8000, 2, 4, 1024, 16, 256, 4 << 20, Duration.ofSeconds(5));
        DatagramReceiver slow = receiver(
                SETTINGS.toBuilder()
                        .limits(few)
                        .clockTolerance(Duration.ofSeconds(10))
                        .build(),
                true);
        long bound = TokenBucket.most(4, Duration.ofSeconds(20).toNanos());
        for (int second = 0; second < 60; second++) {
            for (int i = 0; i < 8; i++) {
                slow.receive(address(i), Unpooled.wrappedBuffer(message("x").get(0)));
            }
            pass(Duration.ofSeconds(1));
            assertThat((long) slow.heard().size()).isLessThanOrEqualTo(bound);
        }
        assertThat(payloads).hasSizeBetween(4 * 59, 4 * 61 + 8);
    }
}

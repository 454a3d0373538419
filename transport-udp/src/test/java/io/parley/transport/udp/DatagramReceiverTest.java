package io.parley.transport.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.common.internal.TokenBucket;
import io.parley.identity.Identity;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.TestSeed;
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
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Checks, reassembly, verification and limits of received datagrams, without sockets and in manual time. */
class DatagramReceiverTest {

    private static final UdpSettings SETTINGS = UdpSettings.DEFAULTS;
    private static final UdpLimits LIMITS = SETTINGS.limits();
    private static final int PORT = SETTINGS.port();
    private static final InetAddress SOURCE = address(1);
    private static final InetAddress OTHER_SOURCE = address(2);
    private static final int BURST_SECONDS = 2;
    private static final Duration REFILL = Duration.ofMillis(20);

    private final ManualScheduler scheduler = new ManualScheduler();
    private final Clock clock = scheduler.clock();
    private final TransportContext context = new TransportContext(
            Identity.generate(), TransportSecurity.TLS, TransportLimits.DEFAULTS, new EndpointMetrics(), scheduler);
    private final List<PeerAddress> senders = new ArrayList<>();
    private final List<byte[]> payloads = new ArrayList<>();
    private final TestSender alice = new TestSender();
    private final DatagramReceiver receiver = receiver(SETTINGS, source -> true);

    private DatagramReceiver receiver(UdpSettings settings, Predicate<InetAddress> isLocal) {
        return new DatagramReceiver(context, settings, isLocal, new MessageVerifier(), (sender, payload) -> {
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

    private void assertReceived(byte[]... expected) {
        assertThat(payloads).containsExactly(expected);
    }

    private void assertDropped(DropReason reason, long count) {
        assertThat(receiver.drops().count(reason)).as("%s", reason).isEqualTo(count);
        long all = Arrays.stream(DropReason.values())
                .mapToLong(each -> receiver.drops().count(each))
                .sum();
        assertThat(all).as("drops for all reasons").isEqualTo(count);
        assertThat(context.metrics().get(Counter.PROPAGATIONS_REJECTED)
                        + context.metrics().get(Counter.PROPAGATIONS_THROTTLED))
                .isEqualTo(count);
    }

    // Fragments.

    @Test
    void oneDatagram_isDelivered_withItsSender() {
        List<byte[]> datagrams = message("hello");
        assertThat(datagrams).hasSize(1);
        receive(SOURCE, datagrams);

        assertReceived("hello".getBytes(StandardCharsets.UTF_8));
        assertThat(senders).containsExactly(PeerAddress.of(alice.identity().peerId(), TestSender.ADDRESS));
        assertDropped(DropReason.MALFORMED, 0);
    }

    @Test
    void fragments_inAnyOrder_eachTwice_areDeliveredOnce() {
        Random random = TestSeed.random("order of the fragments");
        for (int round = 0; round < 20; round++) {
            payloads.clear();
            byte[] payload = large();
            List<byte[]> datagrams = new ArrayList<>(message(payload));
            assertThat(datagrams).hasSizeGreaterThan(10);
            datagrams.addAll(datagrams);
            Collections.shuffle(datagrams, random);
            receive(SOURCE, datagrams);
            assertThat(payloads).as("round %s", round).containsExactly(payload);
        }
        assertThat(receiver.reassembler().count()).isZero();
        assertThat(receiver.reassembler().heldBytes()).isZero();
        assertThat(receiver.reassembler().sourceCount()).isZero();
    }

    @Test
    void sameFragmentsFromTwoAddresses_interleaved_areDeliveredOnce_andNothingStays() {
        List<byte[]> datagrams = message(large());
        for (byte[] datagram : datagrams) {
            receive(SOURCE, datagram);
            receive(OTHER_SOURCE, datagram);
        }
        assertReceived(large());
        assertThat(receiver.reassembler().count()).isZero();
        assertThat(receiver.reassembler().heldBytes()).isZero();
    }

    @Test
    void lostFragment_isNotDelivered_andDroppedAfterTheTimeout() {
        List<byte[]> datagrams = message(large());
        receive(SOURCE, datagrams.subList(1, datagrams.size()));
        assertThat(receiver.reassembler().count()).isEqualTo(1);
        scheduler.advance(LIMITS.reassemblyTimeout());
        receiver.expire();
        assertThat(receiver.reassembler().count()).isEqualTo(1);

        scheduler.advance(Duration.ofMillis(1));
        receiver.expire();
        assertThat(receiver.reassembler().count()).isZero();
        assertThat(receiver.reassembler().heldBytes()).isZero();
        assertThat(payloads).isEmpty();
        assertDropped(DropReason.REASSEMBLY_TIMEOUT, 1);
    }

    // Forgeries.

    @Test
    void anyByteChanged_isNotDelivered() {
        byte[] datagram = message("hello").get(0);
        for (int i = 0; i < datagram.length; i++) {
            byte[] changed = datagram.clone();
            changed[i] ^= 0x01;
            receive(SOURCE, changed);
            scheduler.advance(REFILL); // so that no rate applies
        }
        assertThat(payloads).isEmpty();

        receive(SOURCE, datagram);
        assertReceived("hello".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void anyPrefix_isNotDelivered() {
        byte[] datagram = message("hello").get(0);
        for (int length = 0; length < datagram.length; length++) {
            receive(SOURCE, Arrays.copyOf(datagram, length));
            scheduler.advance(REFILL);
        }
        assertThat(payloads).isEmpty();
    }

    @Test
    void forgedFragment_fromAnotherAddress_hasNoEffect() {
        List<byte[]> datagrams = message(large());
        byte[] forged = datagrams.get(0).clone();
        forged[forged.length - 1] ^= 1;
        receive(OTHER_SOURCE, forged);
        receive(SOURCE, datagrams);
        assertReceived(large());
    }

    @Test
    void forgedFragment_fromTheSameAddress_corruptsThatCopyAlone() {
        List<byte[]> datagrams = message(large());
        byte[] forged = datagrams.get(0).clone();
        forged[forged.length - 1] ^= 1;
        receive(SOURCE, forged);
        receive(SOURCE, datagrams.subList(1, datagrams.size()));
        assertThat(payloads).isEmpty();
        assertDropped(DropReason.INVALID_SIGNATURE, 1);

        receive(OTHER_SOURCE, datagrams);
        assertReceived(large());
    }

    @Test
    void signedForAnotherChannel_orUnderAnotherNumber_isDropped() {
        receive(SOURCE, alice.message(PORT + 1, clock.millis(), new byte[1]));
        MessageKey key = alice.nextKey();
        byte[] signed = SignedMessage.sign(alice.identity(), key.number(), PORT, clock.millis(), List.of(), new byte[1])
                .bytes();
        receive(SOURCE, TestSender.split(alice.nextKey(), signed));
        assertThat(payloads).isEmpty();
        assertDropped(DropReason.INVALID_SIGNATURE, 2);
    }

    @Test
    void ownMessage_isIgnored_andNotCounted() {
        TestSender self = new TestSender(context.identity(), 1);
        receive(SOURCE, self.message(PORT, clock.millis(), large()));
        assertThat(payloads).isEmpty();
        assertThat(receiver.datagramRates().size()).isZero();
        assertDropped(DropReason.MALFORMED, 0);
    }

    // Time and replay.

    @Test
    void replay_isIgnored_whileItsTimeIsValid_andDroppedAfter() {
        List<byte[]> early =
                alice.message(PORT, clock.millis() + SETTINGS.clockTolerance().toMillis(), new byte[1]);
        receive(SOURCE, early);
        for (int i = 0; i < 2 * SETTINGS.clockTolerance().toSeconds(); i++) {
            scheduler.advance(Duration.ofSeconds(1));
            receive(i % 2 == 0 ? SOURCE : OTHER_SOURCE, early);
        }
        assertReceived(new byte[1]);
        assertDropped(DropReason.CLOCK_SKEW, 0);

        scheduler.advance(Duration.ofSeconds(1));
        receive(SOURCE, early);
        assertReceived(new byte[1]);
        assertDropped(DropReason.CLOCK_SKEW, 1);
        assertThat(receiver.received().size()).isZero();
    }

    @Test
    void clocksDiffer_withinTheTolerance_isDelivered_beyondIsNot() {
        long tolerance = SETTINGS.clockTolerance().toMillis();
        for (long offset : new long[] {-tolerance, tolerance, -tolerance - 1, tolerance + 1, Long.MIN_VALUE / 2}) {
            receive(SOURCE, alice.message(PORT, clock.millis() + offset, new byte[] {1}));
        }
        assertReceived(new byte[] {1}, new byte[] {1});
        assertDropped(DropReason.CLOCK_SKEW, 3);
    }

    // Malformed and foreign datagrams.

    @Test
    void unknownVersion_isDropped() {
        byte[] datagram = message("hello").get(0);
        datagram[4] = 2;
        receive(SOURCE, datagram);
        receive(SOURCE, Arrays.copyOf(datagram, 5));
        assertDropped(DropReason.UNSUPPORTED_VERSION, 2);
    }

    @Test
    void garbage_isDropped() {
        byte[] whole = message("hello").get(0);
        byte[] firstOfMany = message(large()).get(0);
        int dropped = 0;
        for (byte[] garbage : new byte[][] {
            {},
            "NOTIFY * HTTP/1.1".getBytes(StandardCharsets.US_ASCII),
            Arrays.copyOf(whole, Datagram.HEADER_BYTES),
            Arrays.copyOf(whole, Datagram.MAX_BYTES + 1),
            Arrays.copyOf(firstOfMany, Datagram.MAX_BYTES - 1),
            with(whole, 7, 1), // the byte that must be 0
            with(whole, 6, 0), // no fragments
            with(whole, 5, 1), // the second fragment of one
            with(firstOfMany, 6, 65),
            Arrays.copyOf(whole, Datagram.HEADER_BYTES + 72) // no space for time and signature
        }) {
            receive(SOURCE, garbage);
            assertDropped(DropReason.MALFORMED, ++dropped);
        }
    }

    private static byte[] with(byte[] datagram, int at, int value) {
        byte[] changed = datagram.clone();
        changed[at] = (byte) value;
        return changed;
    }

    @Test
    void malformedContent_signed_isDropped_unknownAddressesAreLeftOut() {
        byte[][] bodies = {{17}, {1}, {1, 0}, {1, 0, 0}, {1, 0, 3, 'a', 'b'}, {1, 1, 45}, {1, 0, 3, '?', '?', '?', 'x'}
        };
        for (byte[] body : bodies) {
            MessageKey key = alice.nextKey();
            receive(SOURCE, TestSender.split(key, sign(key, body)));
        }
        assertDropped(DropReason.MALFORMED, bodies.length - 1);
        assertReceived("x".getBytes(StandardCharsets.US_ASCII));
        assertThat(senders).containsExactly(PeerAddress.of(alice.identity().peerId()));
    }

    /** Signs a message as {@code docs/wire-format.md} specifies, with any content after the time. */
    private byte[] sign(MessageKey key, byte[] body) {
        byte[] domain = "parley-udp-1\0".getBytes(StandardCharsets.US_ASCII);
        byte[] signed = ByteBuffer.allocate(domain.length + 18 + body.length)
                .put(domain)
                .putShort((short) PORT)
                .putLong(key.number())
                .putLong(clock.millis())
                .put(body)
                .array();
        return ByteBuffer.allocate(8 + body.length + 64)
                .putLong(clock.millis())
                .put(body)
                .put(alice.identity().sign(signed))
                .array();
    }

    @Test
    void fromAnotherNetwork_isDropped() {
        receiver(SETTINGS, source -> false)
                .receive(SOURCE, Unpooled.wrappedBuffer(message("hello").get(0)));
        assertThat(payloads).isEmpty();
        assertThat(context.metrics().get(Counter.PROPAGATIONS_REJECTED)).isEqualTo(1);
    }

    // Floods.

    @Test
    void floodFromOneAddress_isThrottled_andOthersAreDelivered() {
        byte[] fragment = message(large()).get(0);
        int flood = 10 * LIMITS.datagramsPerSecondPerSource();
        for (int i = 0; i < flood; i++) {
            receive(SOURCE, fragment);
        }
        assertDropped(DropReason.DATAGRAM_RATE, flood - BURST_SECONDS * LIMITS.datagramsPerSecondPerSource());

        receive(OTHER_SOURCE, message("hello"));
        assertReceived("hello".getBytes(StandardCharsets.UTF_8));
        scheduler.advance(Duration.ofSeconds(1));
        receive(SOURCE, message("below the rate"));
        assertThat(payloads).hasSize(2);
    }

    @Test
    void floodFromManyAddresses_isThrottledInTotal_andTheTableIsBounded() {
        byte[] fragment = message(large()).get(0);
        int flood = 10 * LIMITS.datagramsPerSecond();
        for (int i = 0; i < flood; i++) {
            receive(address(i), fragment);
            assertThat(receiver.datagramRates().size()).isLessThanOrEqualTo(LIMITS.maxSources());
            assertReassemblerWithinLimits();
        }
        assertThat(receiver.drops().count(DropReason.DATAGRAM_RATE))
                .isEqualTo(flood - BURST_SECONDS * LIMITS.datagramsPerSecond());
    }

    @Test
    void floodFromAnotherNetwork_usesNothingOfTheRates() {
        DatagramReceiver local = receiver(SETTINGS, SOURCE::equals);
        byte[] fragment = message(large()).get(0);
        for (int i = 0; i < 10 * LIMITS.datagramsPerSecond(); i++) {
            local.receive(address(2 + i), Unpooled.wrappedBuffer(fragment));
        }
        assertThat(local.datagramRates().size()).isZero();
        local.receive(SOURCE, Unpooled.wrappedBuffer(message("hello").get(0)));
        assertReceived("hello".getBytes(StandardCharsets.UTF_8));
    }

    private void assertReassemblerWithinLimits() {
        assertThat(receiver.reassembler().count()).isLessThanOrEqualTo(LIMITS.maxReassemblies());
        assertThat(receiver.reassembler().sourceCount())
                .isLessThanOrEqualTo(receiver.reassembler().count());
        assertThat(receiver.reassembler().heldBytes()).isLessThanOrEqualTo(LIMITS.reassemblyBytes());
    }

    @Test
    void incompleteFromOneAddress_staysWithinItsQuota_andAnHonestOneIsDelivered() {
        for (int i = 0; i < 50; i++) {
            List<byte[]> datagrams = message(large());
            receive(SOURCE, datagrams.subList(1, datagrams.size()));
            assertThat(receiver.reassembler().count()).isLessThanOrEqualTo(LIMITS.maxReassembliesPerSource());
        }
        assertDropped(DropReason.REASSEMBLY_LIMIT, 50 - LIMITS.maxReassembliesPerSource());

        receive(SOURCE, message(large()));
        receive(OTHER_SOURCE, message(large()));
        assertReceived(large(), large());
    }

    @Test
    void incompleteAndLarge_staysWithinTheMemoryLimit() {
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
        assertThat(receiver.drops().count(DropReason.REASSEMBLY_LIMIT)).isPositive();

        receive(SOURCE, message(large()));
        assertReceived(large());
    }

    @Test
    void signatures_areVerifiedAtABoundedRate_inTotalAndFromOneAddress() {
        byte[] forged = message("hello").get(0);
        forged[forged.length - 1] ^= 1;
        for (int i = 0; i < 4 * LIMITS.signaturesPerSecondPerSource(); i++) {
            receive(SOURCE, forged);
        }
        int perSource = BURST_SECONDS * LIMITS.signaturesPerSecondPerSource();
        assertThat(receiver.drops().count(DropReason.INVALID_SIGNATURE)).isEqualTo(perSource);
        for (int i = 0; i < 4 * LIMITS.signaturesPerSecond(); i++) {
            receive(address(10 + i), forged);
        }
        int total = BURST_SECONDS * LIMITS.signaturesPerSecond();
        assertThat(receiver.drops().count(DropReason.INVALID_SIGNATURE)).isEqualTo(total);
        assertDrops(
                DropReason.SIGNATURE_RATE,
                4L * (LIMITS.signaturesPerSecondPerSource() + LIMITS.signaturesPerSecond()) - total);
    }

    private void assertDrops(DropReason reason, long count) {
        assertThat(receiver.drops().count(reason)).as("%s", reason).isEqualTo(count);
    }

    @Test
    void validSignaturesAtFullRate_duplicateFilterStaysBounded() {
        UdpLimits few = new UdpLimits(50, 1 << 20, 2000, 8000, 2, 4, 1024, 16, 256, 4 << 20, Duration.ofSeconds(5));
        DatagramReceiver slow = receiver(
                SETTINGS.toBuilder()
                        .limits(few)
                        .clockTolerance(Duration.ofSeconds(10))
                        .build(),
                source -> true);
        long bound = TokenBucket.maxWithin(4, Duration.ofSeconds(20).toNanos());
        for (int second = 0; second < 60; second++) {
            for (int i = 0; i < 8; i++) {
                slow.receive(address(i), Unpooled.wrappedBuffer(message("x").get(0)));
            }
            scheduler.advance(Duration.ofSeconds(1));
            assertThat((long) slow.received().size()).isLessThanOrEqualTo(bound);
        }
        assertThat(payloads).hasSizeBetween(4 * 59, 4 * 61 + 8);
    }
}

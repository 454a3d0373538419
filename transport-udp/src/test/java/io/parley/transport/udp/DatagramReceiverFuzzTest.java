package io.parley.transport.udp;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.identity.Identity;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;

/**
 * Receives fuzzed datagrams: arbitrary bytes, and fragments of a valid message that the fuzzer may change, repeat and reorder.
 * Only the valid message is delivered, once, and all state stays within its limits. To search:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl transport-udp -am test -Dtest=DatagramReceiverFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class DatagramReceiverFuzzTest {

    private static final int FRAGMENTS = 3;
    private static final Duration MAX_STEP = Duration.ofSeconds(3);
    private static final UdpLimits LIMITS = new UdpLimits(
            1,
            Datagram.MAX_MESSAGE_BYTES,
            64,
            256,
            4,
            16,
            3,
            2,
            4,
            2 * Datagram.MAX_MESSAGE_BYTES,
            Duration.ofSeconds(5));
    private static final UdpSettings SETTINGS =
            UdpSettings.DEFAULTS.toBuilder().limits(LIMITS).build();
    private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

    private static final byte[] PAYLOAD = new byte[2 * Datagram.FRAGMENT_BYTES + 100];

    private final Identity self = Identity.generate();
    private final List<byte[]> validDatagrams = validDatagrams();
    private int delivered;

    /** Returns the fragments of the message that is delivered. */
    static List<byte[]> validDatagrams() {
        return new TestSender(TestSender.wellKnown(), 1).message(SETTINGS.port(), START.toEpochMilli(), PAYLOAD);
    }

    /** Returns a valid message of one datagram, which differs from the one that the fuzz test expects. */
    static byte[] smallDatagram() {
        return new TestSender(TestSender.wellKnown(), 2)
                .message(SETTINGS.port() + 1, START.toEpochMilli(), new byte[] {1})
                .get(0);
    }

    @FuzzTest(maxDuration = "60s")
    void receive(FuzzedDataProvider data) throws UnknownHostException {
        ManualScheduler scheduler = new ManualScheduler(new ManualClock(START), new Random(1));
        delivered = 0;
        DatagramReceiver receiver = new DatagramReceiver(
                new TransportContext(
                        self, TransportSecurity.TLS, TransportLimits.DEFAULTS, new EndpointMetrics(), scheduler),
                SETTINGS,
                source -> true,
                new MessageVerifier(),
                (sender, content) -> {
                    delivered++;
                    check(
                            Arrays.equals(ByteBufUtil.getBytes(content), PAYLOAD),
                            "delivered a payload that was not sent");
                });
        while (data.remainingBytes() > 0) {
            InetAddress source = InetAddress.getByAddress(new byte[] {10, 0, 0, data.consumeByte((byte) 0, (byte) 7)});
            receiver.receive(source, Unpooled.wrappedBuffer(datagram(data)));
            check(delivered <= 1, "delivered twice");
            check(receiver.datagramRates().size() <= LIMITS.maxSources(), "too many sources");
            check(receiver.reassembler().count() <= LIMITS.maxReassemblies(), "too many incomplete messages");
            check(receiver.reassembler().heldBytes() <= LIMITS.reassemblyBytes(), "memory limit exceeded");
            scheduler.advance(Duration.ofMillis(data.consumeLong(0, MAX_STEP.toMillis())));
        }
        scheduler.advance(LIMITS.reassemblyTimeout().plusNanos(1));
        receiver.expire();
        check(receiver.reassembler().count() == 0, "an incomplete message stays after its timeout");
        check(receiver.reassembler().heldBytes() == 0, "memory is still counted");
        check(receiver.reassembler().sourceCount() == 0, "a source is still counted");
    }

    private byte[] datagram(FuzzedDataProvider data) {
        int kind = data.consumeInt(0, FRAGMENTS + 1);
        if (kind > FRAGMENTS) {
            return data.consumeBytes(Datagram.MAX_BYTES + 10);
        }
        byte[] datagram = validDatagrams.get(kind % FRAGMENTS).clone();
        for (int changes = data.consumeInt(0, 3); changes > 0; changes--) {
            int last = data.consumeBoolean() ? Datagram.HEADER_BYTES : datagram.length - 1;
            datagram[data.consumeInt(0, last)] = data.consumeByte();
        }
        return data.consumeBoolean() ? datagram : Arrays.copyOf(datagram, data.consumeInt(0, datagram.length));
    }

    private static void check(boolean holds, String message) {
        if (!holds) {
            throw new AssertionError(message);
        }
    }
}

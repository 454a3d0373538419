package io.parley.transport.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.identity.Identity;
import io.parley.testkit.ClockScheduler;
import io.parley.testkit.ManualClock;
import io.parley.testkit.WireFormatDocument;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.PeerAddress;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares the datagrams with the vector in {@code docs/wire-format.md}. */
final class WireFormatDocumentTest {
    private static final long TIME_MILLIS = 1_795_262_400_000L;
    private static final long NUMBER = 0x0102030405060708L;

    private final TestSender sender = new TestSender(TestSender.wellKnown(), NUMBER);

    @Test
    void sentDatagram_isTheVector() throws IOException {
        List<byte[]> datagrams = sender.message(9701, TIME_MILLIS, "hello".getBytes(StandardCharsets.UTF_8));
        assertThat(datagrams).singleElement().extracting(ByteBufUtil::hexDump).isEqualTo(vector());
    }

    @Test
    void vector_isDelivered() throws IOException {
        List<PeerAddress> senders = new ArrayList<>();
        List<String> payloads = new ArrayList<>();
        TransportContext context = new TransportContext(
                Identity.generate(),
                TransportSecurity.TLS,
                TransportLimits.DEFAULTS,
                new EndpointMetrics(),
                new ClockScheduler(new ManualClock(Instant.ofEpochMilli(TIME_MILLIS))));
        DatagramReceiver receiver = new DatagramReceiver(
                context, UdpSettings.DEFAULTS, source -> true, new MessageVerifier(), (from, payload) -> {
                    senders.add(from);
                    payloads.add(payload.toString(StandardCharsets.UTF_8));
                });
        receiver.receive(InetAddress.getLoopbackAddress(), Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(vector())));

        assertThat(payloads).containsExactly("hello");
        assertThat(senders).containsExactly(PeerAddress.of(sender.identity().peerId(), TestSender.ADDRESS));
    }

    private static String vector() throws IOException {
        return WireFormatDocument.vector("udp");
    }
}

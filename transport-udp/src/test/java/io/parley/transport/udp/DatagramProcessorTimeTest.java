package io.parley.transport.udp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.common.internal.DuplicateFilter;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.ProcessorTime;
import io.parley.transport.PeerAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The processor time of datagrams is linear in their size. */
class DatagramProcessorTimeTest {

    private static final PeerId SENDER = Identity.generate().peerId();

    @Test
    void addressesOfAMessage() {
        ProcessorTime.assertLinear("addresses", PeerAddress.MAX_ADDRESSES / 4, n -> {
            ByteBuf content = Unpooled.buffer().writeLong(1).writeByte(n);
            for (int i = 0; i < n; i++) {
                byte[] address = ("tcp://" + "h".repeat(200) + ":" + i).getBytes(StandardCharsets.US_ASCII);
                content.writeShort(address.length).writeBytes(address);
            }
            content.writeZero(Identity.SIGNATURE_BYTES);
            byte[] bytes = new byte[content.readableBytes()];
            content.readBytes(bytes);
            return () -> SignedMessage.of(bytes).open(SENDER);
        });
    }

    @Test
    void numbersOfOneHash() {
        ProcessorTime.assertLinear("numbers", 1000, n -> () -> {
            DuplicateFilter<MessageKey> received =
                    new DuplicateFilter<>(Integer.MAX_VALUE, Duration.ofMinutes(2), new ManualScheduler());
            for (long i = 0; i < n; i++) {
                received.add(new MessageKey(SENDER, i << 32 | i)); // Long.hashCode is 0
            }
        });
    }

    @Test
    void payloadOfAMessage() {
        ProcessorTime.assertLinear("payload", Datagram.MAX_MESSAGE_BYTES / 4, n -> {
            SignedMessage message = SignedMessage.of(new byte[n]);
            MessageKey key = new MessageKey(SENDER, 1);
            return () -> message.isSignedBy(key, 1);
        });
    }
}

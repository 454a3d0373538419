package io.parley.transport.tcp.internal.relay;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.PeerFaultException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.RelayLimits;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Tag;

/**
 * Bytes of another peer to a relay, and of a relay. A request is served or rejected once, and a response reported once; a frame that is read is
 * written with the same meaning. The first byte of a request or response is the number of bytes of each read. To search:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl core -am test -Dtest=RelayFormatFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class RelayFormatFuzzTest {

    private final ManualScheduler scheduler = new ManualScheduler(new ManualClock(Instant.EPOCH), new Random(1));
    private final EndpointMetrics metrics = new EndpointMetrics();
    private final TransportContext context = new TransportContext(
            Identity.generate(), TransportSecurity.PLAINTEXT, TransportLimits.DEFAULTS, metrics, scheduler);
    private final Relay relay = new Relay(RelayLimits.DEFAULTS, metrics, scheduler);

    /** The result of one connection. */
    private static final class Outcome implements RelayRequestHandler.Owner {

        private int served;
        private int rejected;

        @Override
        public void onDirect() {
            served++;
        }

        @Override
        public void onListen(PeerId peer) {
            served++;
        }

        @Override
        public void onJoined() {
            throw new AssertionError("joined without an acceptor");
        }

        @Override
        public void onRejected(ParleyException reason) {
            rejected++;
        }
    }

    private static void check(boolean holds, String message) {
        if (!holds) {
            throw new AssertionError(message);
        }
    }

    private static void feed(EmbeddedChannel channel, byte[] data) {
        int piece = data.length == 0 ? 1 : 1 + (data[0] & 0xFF);
        for (int at = 1; at < data.length && channel.isOpen(); at += piece) {
            int length = Math.min(piece, data.length - at);
            channel.pipeline()
                    .fireChannelRead(Unpooled.copiedBuffer(data, at, length))
                    .fireChannelReadComplete();
            channel.runPendingTasks();
        }
        channel.checkException();
    }

    @FuzzTest(maxDuration = "60s")
    void request(byte[] data) {
        Outcome outcome = new Outcome();
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.pipeline()
                .addLast(new RelayRequestHandler(
                        context, relay, channel, new InetSocketAddress("192.0.2.1", 1), outcome));
        feed(channel, data);
        scheduler.advance(TransportLimits.DEFAULTS.handshakeTimeout());
        scheduler.advance(RelayLimits.DEFAULTS.acceptTimeout());
        channel.runPendingTasks();
        check(outcome.served + outcome.rejected == 1, "reported " + outcome.served + " and " + outcome.rejected);
        check(outcome.rejected == 0 || !channel.isOpen(), "open after a rejection");
        channel.finishAndReleaseAll();
        check(relay.circuitCount() == 0, "a circuit is left");
        check(scheduler.pending() == 0, "a timer is left");
    }

    @FuzzTest(maxDuration = "60s")
    void response(byte[] data) {
        int[] reports = new int[2];
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.pipeline()
                .addLast(new RelayResponseHandler(
                        new RelayRequest.Dial(context.identity().peerId()),
                        scheduler,
                        Duration.ofSeconds(5),
                        () -> reports[0]++,
                        reason -> reports[1]++));
        feed(channel, data);
        scheduler.advance(Duration.ofSeconds(5));
        channel.runPendingTasks();
        check(reports[0] + reports[1] == 1, "reported " + reports[0] + " and " + reports[1]);
        check(reports[1] == 0 || !channel.isOpen(), "open after a rejection");
        channel.finishAndReleaseAll();
        check(scheduler.pending() == 0, "a timer is left");
    }

    @FuzzTest(maxDuration = "60s")
    void frame(byte[] data) {
        RelayFrame read;
        try {
            read = RelayFrame.read(Unpooled.wrappedBuffer(data));
        } catch (PeerFaultException e) {
            check(e.code() == ErrorCode.PROTOCOL_VIOLATION, "another code");
            return;
        }
        ByteBuf written = read.write(UnpooledByteBufAllocator.DEFAULT);
        try {
            check(written.readableBytes() <= RelayFrame.MAX_BYTES, "a long frame");
            check(RelayFrame.read(written).equals(read), "another frame");
        } finally {
            written.release();
        }
    }
}

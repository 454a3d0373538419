package io.parley.transport.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.util.ReferenceCountUtil;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Tag;

/**
 * Bytes of another peer before and in a WebSocket: the tunnel is opened or rejected once, passes on nothing that was not in a message, and
 * keeps no more than a request or a frame. The first byte of an input is the number of bytes of each read. To search:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl transport-http -am test -Dtest=WebSocketFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class WebSocketFuzzTest {

    private static final String REQUEST = "GET /parley HTTP/1.1\r\nHost: peer\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            + "Sec-WebSocket-Protocol: parley\r\n\r\n";
    private static final EndpointAddress ADDRESS = EndpointAddress.parse("http://192.0.2.1:8080");

    /** A request, or a frame with its header, and some buffers of the decoders. */
    private static final int MAX_KEPT_BYTES = 2 * WebSocketTunnel.MAX_FRAME_BYTES;

    private final WebSocketTunnel tunnel = new WebSocketTunnel(
            new TransportContext(
                    Identity.generate(),
                    TransportSecurity.PLAINTEXT,
                    TransportLimits.DEFAULTS,
                    new EndpointMetrics(),
                    new ManualScheduler(new ManualClock(Instant.EPOCH), new Random(1))),
            new HttpProxies(() -> null),
            new HostTls());

    /** The result of one tunnel. */
    private static final class Outcome extends ChannelInboundHandlerAdapter {

        private int opened;
        private int rejected;
        private int bytes;

        private void onOpen(EmbeddedChannel channel) {
            opened++;
            channel.pipeline().addLast(this);
        }

        private void onRejected(ParleyException reason) {
            rejected++;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (!(message instanceof ByteBuf content)) {
                throw new AssertionError("passed on " + message);
            }
            bytes += content.readableBytes();
            content.release();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close(); // as a connection does
        }
    }

    private static void feed(EmbeddedChannel channel, byte[] data, Outcome outcome) {
        int piece = data.length == 0 ? 1 : 1 + (data[0] & 0xFF);
        int sent = 0;
        for (int at = 1; at < data.length && channel.isOpen(); at += piece) {
            int length = Math.min(piece, data.length - at);
            write(channel, Unpooled.copiedBuffer(data, at, length));
            sent += length;
            check(outcome.bytes <= sent, "passed on more bytes than it got");
            discardOutput(channel);
        }
    }

    private static void write(EmbeddedChannel channel, ByteBuf bytes) {
        channel.pipeline().fireChannelRead(bytes).fireChannelReadComplete();
        channel.runPendingTasks();
        try {
            channel.checkException();
        } catch (CorruptedFrameException e) {
            check(!channel.isOpen(), "open after a violation"); // this channel removes its handlers when it closes
        }
    }

    private static void discardOutput(EmbeddedChannel channel) {
        int written = 0;
        for (Object next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            written += next instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
            ReferenceCountUtil.release(next);
        }
        check(written <= MAX_KEPT_BYTES, "a long response");
    }

    private static void end(EmbeddedChannel channel, Outcome outcome) {
        check(outcome.opened + outcome.rejected <= 1, "reported twice");
        check(outcome.rejected == 0 || !channel.isOpen(), "open after a rejection");
        channel.finishAndReleaseAll();
        check(outcome.opened + outcome.rejected == 1, "not reported at the end");
    }

    private static void check(boolean holds, String message) {
        if (!holds) {
            throw new AssertionError(message);
        }
    }

    private EmbeddedChannel acceptor(Outcome outcome) {
        EmbeddedChannel channel = new EmbeddedChannel();
        tunnel.addAcceptorHandlers(channel, () -> outcome.onOpen(channel), outcome::onRejected);
        return channel;
    }

    @FuzzTest(maxDuration = "60s")
    void request(byte[] data) {
        Outcome outcome = new Outcome();
        EmbeddedChannel channel = acceptor(outcome);
        feed(channel, data, outcome);
        end(channel, outcome);
    }

    @FuzzTest(maxDuration = "60s")
    void frames(byte[] data) {
        Outcome outcome = new Outcome();
        EmbeddedChannel channel = acceptor(outcome);
        write(channel, Unpooled.copiedBuffer(REQUEST, ISO_8859_1));
        discardOutput(channel);
        check(outcome.opened == 1, "not opened");
        feed(channel, data, outcome);
        end(channel, outcome);
    }

    @FuzzTest(maxDuration = "60s")
    void response(byte[] data) {
        Outcome outcome = new Outcome();
        EmbeddedChannel channel = new EmbeddedChannel();
        tunnel.addDialerHandlers(channel, ADDRESS, null, () -> outcome.onOpen(channel), outcome::onRejected);
        channel.pipeline().fireChannelActive();
        discardOutput(channel);
        feed(channel, data, outcome);
        end(channel, outcome);
    }
}

package io.parley.transport.tls;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.parley.common.Scheduler;
import io.parley.identity.Identity;
import io.parley.testkit.ProcessorTime;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("extended")
class TlsProcessorTimeTest {

    /** Four times as many are half of the longest record. */
    private static final int N = 2000;

    private static final byte[] ONE_BYTE = new byte[1];
    private static final byte[] HEADER = {0x16, 3, 1, 0x40, 0};

    @Test
    void record_inReadsOfOneByte_isLinear() {
        TransportContext context = new TransportContext(
                Identity.generate(),
                TransportSecurity.TLS,
                TransportLimits.DEFAULTS,
                new EndpointMetrics(),
                Scheduler.system());
        try (TlsHandlerFactory tls = new TlsHandlerFactory(context)) {
            ProcessorTime.assertLinear("a TLS record in reads of one byte", N, count -> () -> read(tls, count));
        }
    }

    private static void read(TlsHandlerFactory tls, int count) {
        EmbeddedChannel channel = new EmbeddedChannel();
        try {
            channel.pipeline().addLast(tls.newHandler(false, UnpooledByteBufAllocator.DEFAULT));
        } catch (SSLException e) {
            throw new IllegalStateException(e);
        }
        channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(HEADER)).fireChannelReadComplete();
        for (int i = 0; i < count; i++) {
            channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(ONE_BYTE)).fireChannelReadComplete();
        }
        channel.finishAndReleaseAll();
    }
}

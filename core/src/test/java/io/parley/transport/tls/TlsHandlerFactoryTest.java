package io.parley.transport.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.parley.common.Scheduler;
import io.parley.identity.Identity;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TlsHandlerFactoryTest {

    @Test
    void timeoutsBelowAMillisecond_areNotNone() throws Exception {
        TransportLimits limits = TransportLimits.DEFAULTS.toBuilder()
                .handshakeTimeout(Duration.ofNanos(1))
                .closeTimeout(Duration.ofNanos(1))
                .build();
        TransportContext context = new TransportContext(
                Identity.generate(), TransportSecurity.TLS, limits, new EndpointMetrics(), Scheduler.system());
        try (TlsHandlerFactory tls = new TlsHandlerFactory(context, () -> SslProvider.JDK)) {
            SslHandler handler = tls.newHandler(true, UnpooledByteBufAllocator.DEFAULT);
            assertThat(handler.getHandshakeTimeoutMillis()).isEqualTo(1);
            assertThat(handler.getCloseNotifyFlushTimeoutMillis()).isEqualTo(1);
        }
    }
}

package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.identity.Identity;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.tls.TlsHandlerFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

class AcceptedChannelInitializerTest {

    private final ManualScheduler scheduler = new ManualScheduler();

    /** A channel of a host of its own. */
    private static EmbeddedChannel channel(int host) {
        return new EmbeddedChannel() {
            @Override
            protected SocketAddress remoteAddress0() {
                return new InetSocketAddress("192.0." + host + ".1", 1);
            }
        };
    }

    @ParameterizedTest
    @EnumSource
    void handshakeThatGivesWay_isCountedOnce(TransportSecurity security) {
        TransportLimits limits =
                TransportLimits.DEFAULTS.toBuilder().maxHandshakes(2).build();
        TransportContext context =
                new TransportContext(Identity.generate(), security, limits, new EndpointMetrics(), scheduler);
        HandshakeLimiter handshakes = new HandshakeLimiter(limits, scheduler);
        try (TlsHandlerFactory tls = new TlsHandlerFactory(context)) {
            EmbeddedChannel[] channels = {channel(1), channel(1), channel(2)};
            for (EmbeddedChannel each : channels) {
                new AcceptedChannelInitializer(
                                context,
                                new NoTunnel(),
                                tls,
                                handshakes,
                                loop -> new HostTurns(loop, loop, scheduler::nanoTime),
                                null,
                                new RateLimitedLogger(LoggerFactory.getLogger(getClass()), scheduler),
                                NoTunnel.SCHEME,
                                (InetSocketAddress) each.remoteAddress(),
                                connection -> {})
                        .initialize(each);
                each.pipeline().fireChannelActive();
            }
            channels[0].runPendingTasks();
            assertThat(channels[0].isOpen()).isFalse();
            assertThat(channels[1].isOpen()).isTrue();
            assertThat(channels[2].isOpen()).isTrue();
            assertThat(context.metrics().get(Counter.HANDSHAKES_FAILED)).isEqualTo(1);
            for (EmbeddedChannel each : channels) {
                each.finishAndReleaseAll();
            }
        }
    }
}

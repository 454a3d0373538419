package io.parley.bench.netty;

/** Raw Netty that writes each message to many channels, over TLS, with event loops that poll before they sleep. */
public final class NettyTlsSpinFanOutContender extends AbstractNettyFanOutContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public NettyTlsSpinFanOutContender() {
        super(
                "netty-fanout-tls-spin",
                "raw Netty that writes each message to all channels, from one array and into new ones, TLS 1.3, with event"
                        + " loops that wait as those of Parley do",
                "netty-tls-spin");
    }

    @Override
    NettyOptions options() {
        return NettyOptions.DEFAULTS.withTls().withArrays().withSpin();
    }
}

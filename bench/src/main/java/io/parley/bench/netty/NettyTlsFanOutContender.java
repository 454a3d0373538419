package io.parley.bench.netty;

/** Raw Netty that writes each message to many channels, over TLS. */
public final class NettyTlsFanOutContender extends AbstractNettyFanOutContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public NettyTlsFanOutContender() {
        super(
                "netty-fanout-tls",
                "raw Netty that writes each message to all channels, from one array and into new ones, TLS 1.3",
                "netty-tls-arrays");
    }

    @Override
    NettyOptions options() {
        return NettyOptions.DEFAULTS.withTls().withArrays();
    }
}

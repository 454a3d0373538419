package io.parley.bench.netty;

/** Raw Netty that writes each message to many channels, without TLS. */
public final class NettyFanOutContender extends AbstractNettyFanOutContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public NettyFanOutContender() {
        super(
                "netty-fanout",
                "raw Netty that writes each message to all channels, from one array and into new ones, plain text",
                "netty-arrays");
    }

    @Override
    NettyOptions options() {
        return NettyOptions.DEFAULTS.withArrays();
    }
}

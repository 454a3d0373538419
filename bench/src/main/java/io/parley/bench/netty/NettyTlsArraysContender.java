package io.parley.bench.netty;

/** The contender {@link NettyArraysContender} over TLS. */
public final class NettyTlsArraysContender extends AbstractNettyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public NettyTlsArraysContender() {
        super("netty-tls-arrays", "raw Netty with arrays, over TLS 1.3", "netty-tls", "netty-arrays");
    }

    @Override
    NettyOptions options() {
        return NettyOptions.DEFAULTS.withTls().withArrays();
    }
}

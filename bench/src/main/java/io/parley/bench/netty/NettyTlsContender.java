package io.parley.bench.netty;

/** The contender {@link NettyContender} over TLS. */
public final class NettyTlsContender extends AbstractNettyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public NettyTlsContender() {
        super("netty-tls", "raw Netty, no payload copies, over TLS 1.3 with P-256 certificates on both sides", "netty");
    }

    @Override
    NettyOptions options() {
        return NettyOptions.DEFAULTS.withTls();
    }
}

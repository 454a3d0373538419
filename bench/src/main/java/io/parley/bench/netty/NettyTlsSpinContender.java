package io.parley.bench.netty;

/** The contender {@link NettySpinContender} over TLS. */
public final class NettyTlsSpinContender extends AbstractNettyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public NettyTlsSpinContender() {
        super(
                "netty-tls-spin",
                "raw Netty with arrays, over TLS 1.3, whose event loop spins before it sleeps, by the code of Parley",
                "netty-tls-arrays",
                "netty-tls",
                "netty-spin");
    }

    @Override
    NettyOptions options() {
        return NettyOptions.DEFAULTS.withTls().withArrays().withSpin();
    }
}

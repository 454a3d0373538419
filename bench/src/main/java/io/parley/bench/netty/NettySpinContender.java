package io.parley.bench.netty;

/** The contender {@link NettyArraysContender}, whose event loop waits as those of Parley do. */
public final class NettySpinContender extends AbstractNettyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public NettySpinContender() {
        super(
                "netty-spin",
                "raw Netty with arrays, whose event loop spins before it sleeps, by the code of Parley",
                "netty-arrays",
                "sockets-spin");
    }

    @Override
    NettyOptions options() {
        return NettyOptions.DEFAULTS.withArrays().withSpin();
    }
}

package io.parley.bench.netty;

/** The contender {@link NettyContender} for an application whose memory is arrays, as in an application on Parley. */
public final class NettyArraysContender extends AbstractNettyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public NettyArraysContender() {
        super(
                "netty-arrays",
                "raw Netty as above, but each message is sent from an array and received into a new one",
                "netty");
    }

    @Override
    NettyOptions options() {
        return NettyOptions.DEFAULTS.withArrays();
    }
}

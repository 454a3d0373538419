package io.parley.bench.netty;

/** Raw Netty with a length in front of each message. */
public final class NettyContender extends AbstractNettyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public NettyContender() {
        super("netty", "raw Netty, length prefix, one event loop per side, no payload copies, plain text", "sockets");
    }

    @Override
    NettyOptions options() {
        return NettyOptions.DEFAULTS;
    }
}

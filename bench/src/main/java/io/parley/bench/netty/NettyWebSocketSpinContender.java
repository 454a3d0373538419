package io.parley.bench.netty;

/** The contender {@link NettySpinContender} with frames of WebSocket. */
public final class NettyWebSocketSpinContender extends AbstractNettyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public NettyWebSocketSpinContender() {
        super(
                "netty-websocket-spin",
                "raw Netty as netty-spin, with each message in a frame of WebSocket; only by name",
                "netty-spin");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    NettyOptions options() {
        return NettyOptions.DEFAULTS.withArrays().withSpin().withWebSocket();
    }
}

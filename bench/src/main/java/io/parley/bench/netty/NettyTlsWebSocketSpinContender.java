package io.parley.bench.netty;

/** The contender {@link NettyWebSocketSpinContender} over TLS. */
public final class NettyTlsWebSocketSpinContender extends AbstractNettyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public NettyTlsWebSocketSpinContender() {
        super(
                "netty-tls-websocket-spin",
                "raw Netty as netty-tls-spin, with each message in a frame of WebSocket inside TLS 1.3; only by name",
                "netty-tls-spin",
                "netty-websocket-spin");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    NettyOptions options() {
        return NettyOptions.DEFAULTS.withTls().withArrays().withSpin().withWebSocket();
    }
}

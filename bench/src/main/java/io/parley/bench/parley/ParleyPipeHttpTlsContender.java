package io.parley.bench.parley;

/** Unicast pipes over the HTTP transport, with the default TLS of the peers inside the WebSocket. */
public final class ParleyPipeHttpTlsContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeHttpTlsContender() {
        super(
                "parley-pipe-http-tls",
                "Parley's unicast pipes over TLS 1.3 inside WebSocket, one each way, listener on the event loop; only by name",
                "parley-pipe-tls",
                "netty-tls-websocket-spin");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.PIPE).overHttp();
    }
}

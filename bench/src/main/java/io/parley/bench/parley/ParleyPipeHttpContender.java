package io.parley.bench.parley;

/** Unicast pipes without TLS, over the HTTP transport. */
public final class ParleyPipeHttpContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeHttpContender() {
        super(
                "parley-pipe-http",
                "Parley's unicast pipes over WebSocket, one each way, listener on the event loop, plain text; only by name",
                "parley-pipe",
                "netty-websocket-spin");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.plainText(MeasuredLayer.PIPE).overHttp();
    }
}

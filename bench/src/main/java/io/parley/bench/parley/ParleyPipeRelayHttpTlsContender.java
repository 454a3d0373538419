package io.parley.bench.parley;

/** Unicast pipes with TLS through a relay that both peers reach over HTTP. */
public final class ParleyPipeRelayHttpTlsContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeRelayHttpTlsContender() {
        super(
                "parley-pipe-relay-http-tls",
                "Parley's unicast pipes over TLS 1.3 from end to end, inside WebSocket through a relay; only by name",
                "parley-pipe-tls",
                "parley-pipe-http-tls");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.PIPE).overHttp().throughRelay();
    }
}

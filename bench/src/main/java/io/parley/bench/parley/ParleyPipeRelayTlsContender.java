package io.parley.bench.parley;

/** Unicast pipes with TLS through a relay over TCP. */
public final class ParleyPipeRelayTlsContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeRelayTlsContender() {
        super(
                "parley-pipe-relay-tls",
                "Parley's unicast pipes over TLS 1.3 from end to end, through a relay; only by name",
                "parley-pipe-tls");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.PIPE).throughRelay();
    }
}

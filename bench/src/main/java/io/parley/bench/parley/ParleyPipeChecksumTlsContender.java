package io.parley.bench.parley;

/** Unicast pipes whose elements get a checksum, over connections with TLS. */
public final class ParleyPipeChecksumTlsContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeChecksumTlsContender() {
        super(
                "parley-pipe-checksum-tls",
                "Parley's unicast pipes with one encoding scheme, a checksum, over TLS 1.3; only by name",
                "parley-pipe-tls");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.PIPE_CHECKSUM);
    }
}

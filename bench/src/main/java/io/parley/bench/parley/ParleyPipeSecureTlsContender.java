package io.parley.bench.parley;

/** Secure pipes over connections with TLS, which protect them. */
public final class ParleyPipeSecureTlsContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeSecureTlsContender() {
        super(
                "parley-pipe-secure-tls",
                "Parley's secure pipes over TLS 1.3, one each way, listener on the event loop; only by name",
                "parley-pipe-tls",
                "netty-tls-spin");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.PIPE_SECURE);
    }
}

package io.parley.bench.parley;

/** Secure pipes over plaintext connections, so that TLS runs between the two peers. */
public final class ParleyPipeSecureContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeSecureContender() {
        super(
                "parley-pipe-secure",
                "Parley's secure pipes over plain text, one each way, listener on the event loop, TLS 1.3 inside; only by name",
                "parley-pipe-tls",
                "netty-tls-spin");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.plainText(MeasuredLayer.PIPE_SECURE);
    }
}

package io.parley.bench.parley;

/** Unicast pipes whose elements are encrypted, over connections with TLS. */
public final class ParleyPipeEncryptedTlsContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeEncryptedTlsContender() {
        super(
                "parley-pipe-encrypted-tls",
                "Parley's unicast pipes with one encoding scheme, AES-GCM, over TLS 1.3; only by name",
                "parley-pipe-tls");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.PIPE_ENCRYPTED);
    }
}

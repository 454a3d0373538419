package io.parley.bench.parley;

/** Unicast pipes whose elements are encrypted, without TLS. */
public final class ParleyPipeEncryptedContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeEncryptedContender() {
        super(
                "parley-pipe-encrypted",
                "Parley's unicast pipes with one encoding scheme, AES-GCM, over plain text; only by name",
                "parley-pipe-secure",
                "parley-pipe");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.plainText(MeasuredLayer.PIPE_ENCRYPTED);
    }
}

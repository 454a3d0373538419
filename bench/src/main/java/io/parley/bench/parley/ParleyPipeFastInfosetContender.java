package io.parley.bench.parley;

/** Unicast pipes with Fast Infoset, without TLS. */
public final class ParleyPipeFastInfosetContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeFastInfosetContender() {
        super(
                "parley-pipe-fastinfoset",
                "Parley's unicast pipes with Fast Infoset instead of the binary format, plain text; only in codec-wire or by name",
                "parley-pipe",
                "parley-pipe-xml");
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.plainText(MeasuredLayer.PIPE).withCodec("fastinfoset");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }
}

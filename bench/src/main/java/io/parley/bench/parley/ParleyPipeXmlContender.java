package io.parley.bench.parley;

/** Unicast pipes with the XML text format, without TLS. */
public final class ParleyPipeXmlContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeXmlContender() {
        super(
                "parley-pipe-xml",
                "Parley's unicast pipes with the XML format as text instead of the binary one, plain text; only in codec-wire or by name",
                "parley-pipe");
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.plainText(MeasuredLayer.PIPE).withCodec("xml");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }
}

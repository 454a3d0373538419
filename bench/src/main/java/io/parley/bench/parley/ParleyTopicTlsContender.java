package io.parley.bench.parley;

/** Topics with one subscriber, with default settings (TLS). */
public final class ParleyTopicTlsContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyTopicTlsContender() {
        super(
                "parley-topic-tls",
                "Parley's topics with one subscriber each way, which blocks, listener on the event loop, TLS 1.3; only by name",
                "parley-pipe-tls");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.TOPIC);
    }
}

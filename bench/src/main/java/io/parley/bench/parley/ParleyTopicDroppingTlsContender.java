package io.parley.bench.parley;

/** Topics with one subscriber that drops messages, with default settings (TLS). */
public final class ParleyTopicDroppingTlsContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyTopicDroppingTlsContender() {
        super(
                "parley-topic-dropping-tls",
                "Parley's topics with one subscriber each way, which drops the oldest messages, TLS 1.3; only in the suite loss");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.TOPIC_DROPPING);
    }
}

package io.parley.bench.parley;

/** Topics with one subscriber, without TLS. */
public final class ParleyTopicContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyTopicContender() {
        super(
                "parley-topic",
                "Parley's topics with one subscriber each way, which blocks, listener on the event loop, plain text; only by name",
                "parley-pipe");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.plainText(MeasuredLayer.TOPIC);
    }
}

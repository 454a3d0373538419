package io.parley.bench.parley;

/** A topic with many subscribers, without TLS. */
public final class ParleyTopicFanOutContender extends AbstractParleyFanOutContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyTopicFanOutContender() {
        super(
                "parley-topic",
                "a topic of Parley, each subscriber a peer that blocks the publisher, plain text",
                "parley-topic",
                "netty-fanout");
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.plainText(MeasuredLayer.TOPIC);
    }
}

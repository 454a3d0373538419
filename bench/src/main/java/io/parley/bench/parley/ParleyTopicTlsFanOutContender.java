package io.parley.bench.parley;

/** A topic with many subscribers, with TLS. */
public final class ParleyTopicTlsFanOutContender extends AbstractParleyFanOutContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyTopicTlsFanOutContender() {
        super(
                "parley-topic-tls",
                "a topic of Parley, each subscriber a peer that blocks the publisher, TLS 1.3",
                "parley-topic-tls",
                "netty-fanout-tls");
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.TOPIC);
    }
}

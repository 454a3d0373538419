package io.parley.bench.parley;

/** A topic with many subscribers, with TLS and event loops that sleep at once. */
public final class ParleyTopicTlsNoSpinFanOutContender extends AbstractParleyFanOutContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyTopicTlsNoSpinFanOutContender() {
        super(
                "parley-topic-tls-no-spin",
                "a topic of Parley, each subscriber a peer that blocks the publisher, TLS 1.3, with event loops that sleep at"
                        + " once",
                "parley-pipe-tls-no-spin",
                "netty-fanout-tls");
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.TOPIC).withoutSpin();
    }
}

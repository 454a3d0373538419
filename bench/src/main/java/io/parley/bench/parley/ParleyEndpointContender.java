package io.parley.bench.parley;

/** The endpoint without TLS. */
public final class ParleyEndpointContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyEndpointContender() {
        super(
                "parley-endpoint",
                "Parley's endpoint, one service each way, listener on the event loop, plain text",
                "netty-spin",
                "netty-arrays",
                "netty",
                "jxta-endpoint");
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.plainText(MeasuredLayer.ENDPOINT);
    }
}

package io.parley.bench.parley;

/** The endpoint with default settings (TLS). */
public final class ParleyEndpointTlsContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyEndpointTlsContender() {
        super(
                "parley-endpoint-tls",
                "Parley's endpoint, one service each way, listener on the event loop, TLS 1.3",
                "netty-tls-spin",
                "netty-tls-arrays",
                "netty-tls");
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.ENDPOINT);
    }
}

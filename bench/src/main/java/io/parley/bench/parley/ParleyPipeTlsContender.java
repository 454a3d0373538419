package io.parley.bench.parley;

/** Unicast pipes with default settings (TLS). */
public final class ParleyPipeTlsContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeTlsContender() {
        super(
                "parley-pipe-tls",
                "Parley's unicast pipes, one each way, listener on the event loop, TLS 1.3",
                "netty-tls-spin",
                "netty-tls-arrays",
                "netty-tls");
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.PIPE);
    }
}

package io.parley.bench.parley;

/** Unicast pipes with default settings (TLS), whose event loops sleep at once. */
public final class ParleyPipeTlsNoSpinContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeTlsNoSpinContender() {
        super(
                "parley-pipe-tls-no-spin",
                "Parley's unicast pipes, but event loops without work sleep at once, TLS 1.3",
                "netty-tls-arrays",
                "parley-pipe-tls");
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.PIPE).withoutSpin();
    }
}

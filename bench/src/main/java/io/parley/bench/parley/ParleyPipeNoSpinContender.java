package io.parley.bench.parley;

/** Unicast pipes without TLS, whose event loops sleep at once. */
public final class ParleyPipeNoSpinContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeNoSpinContender() {
        super(
                "parley-pipe-no-spin",
                "Parley's unicast pipes, but event loops without work sleep at once, plain text",
                "netty-arrays",
                "parley-pipe",
                "jxta-pipe");
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.plainText(MeasuredLayer.PIPE).withoutSpin();
    }
}

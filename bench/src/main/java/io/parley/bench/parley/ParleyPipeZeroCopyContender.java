package io.parley.bench.parley;

/** Unicast pipes without TLS, for an application that sends from direct memory and does not retain received messages. */
public final class ParleyPipeZeroCopyContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeZeroCopyContender() {
        super(
                "parley-pipe-borrowed",
                "Parley's unicast pipes as above, but sent from direct memory and borrowed by the listener",
                "netty",
                "parley-pipe");
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.plainText(MeasuredLayer.PIPE_BORROWED);
    }
}

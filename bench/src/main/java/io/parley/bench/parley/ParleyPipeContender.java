package io.parley.bench.parley;

/** Unicast pipes without TLS. */
public final class ParleyPipeContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeContender() {
        super(
                "parley-pipe",
                "Parley's unicast pipes, one each way, listener on the event loop, plain text",
                "netty-spin",
                "netty-arrays",
                "netty",
                "jxta-pipe");
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.plainText(MeasuredLayer.PIPE);
    }
}

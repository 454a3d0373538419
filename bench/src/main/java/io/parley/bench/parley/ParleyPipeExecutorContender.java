package io.parley.bench.parley;

/** Unicast pipes without TLS, whose listeners run on the default callback executor. */
public final class ParleyPipeExecutorContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeExecutorContender() {
        super(
                "parley-pipe-executor",
                "Parley's unicast pipes, but the listener runs on the callback executor, which is the default, plain text; only by name",
                "netty-spin",
                "parley-pipe");
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.plainText(MeasuredLayer.PIPE_EXECUTOR);
    }

    @Override
    public boolean onlyByName() {
        return true;
    }
}

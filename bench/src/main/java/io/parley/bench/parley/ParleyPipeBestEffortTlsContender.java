package io.parley.bench.parley;

/** Unicast pipes with best effort, with default settings (TLS). */
public final class ParleyPipeBestEffortTlsContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeBestEffortTlsContender() {
        super(
                "parley-pipe-best-effort-tls",
                "Parley's unicast pipes with best effort, which drop the oldest messages of a full queue, TLS 1.3; only in the suite loss");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.PIPE_BEST_EFFORT);
    }
}

package io.parley.bench.parley;

/** Requests whose handler runs on the default callback executor. */
public final class ParleyRequestExecutorContender extends AbstractParleyRequestContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyRequestExecutorContender() {
        super(false, "grpc-executor");
    }

    @Override
    public String name() {
        return "parley-request-executor";
    }

    @Override
    public String description() {
        return "Parley's requests over a pipe, handler on the callback executor, TLS; only in the suite requests";
    }
}

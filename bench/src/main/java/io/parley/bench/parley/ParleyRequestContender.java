package io.parley.bench.parley;

/** Requests whose handler runs on the event loop. */
public final class ParleyRequestContender extends AbstractParleyRequestContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyRequestContender() {
        super(true, "grpc", "parley-pipe-tls-no-spin"); // the same event loops, and TLS
    }

    @Override
    public String name() {
        return "parley-request";
    }

    @Override
    public String description() {
        return "Parley's requests over a pipe, handler on the event loop, TLS; only in the suites requests and rtt";
    }
}

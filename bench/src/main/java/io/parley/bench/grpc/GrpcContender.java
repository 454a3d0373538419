package io.parley.bench.grpc;

/** gRPC on its event loops. */
public final class GrpcContender extends AbstractGrpcContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public GrpcContender() {
        super(true);
    }

    @Override
    public String name() {
        return "grpc";
    }

    @Override
    public String description() {
        return "gRPC's unary calls, handlers on the event loop, mutual TLS; only in the suite requests";
    }
}

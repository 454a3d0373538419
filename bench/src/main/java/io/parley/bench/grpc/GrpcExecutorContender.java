package io.parley.bench.grpc;

/** gRPC with its default executor. */
public final class GrpcExecutorContender extends AbstractGrpcContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public GrpcExecutorContender() {
        super(false);
    }

    @Override
    public String name() {
        return "grpc-executor";
    }

    @Override
    public String description() {
        return "gRPC's unary calls, handlers on its default executor, mutual TLS; only in the suite requests";
    }
}

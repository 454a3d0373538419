package io.parley.bench.grpc;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;

/** gRPC's unary calls over one connection with mutual TLS. */
abstract class AbstractGrpcContender implements Contender {

    private final boolean direct;

    /** @param direct whether handlers and callbacks run on the event loops, instead of gRPC's default executor */
    AbstractGrpcContender(boolean direct) {
        this.direct = direct;
    }

    @Override
    public final boolean eventDriven() {
        return true;
    }

    @Override
    public final boolean onlyByName() {
        return true;
    }

    @Override
    public final String details() {
        return GrpcTls.label();
    }

    @Override
    public final Server serve(ProcessLocation location, MessageCounter counter) throws Exception {
        return GrpcServer.start(location, direct);
    }

    @Override
    public final ContenderClient connect(String address, ProcessLocation location, ReplyDispatcher replies)
            throws Exception {
        return GrpcClient.open(Integer.parseInt(address), replies, direct);
    }
}

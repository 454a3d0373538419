package io.parley.bench.parley;

import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;

/** Unicast pipes without TLS, read with {@link io.parley.pipes.InputPipe#receive}. */
public final class ParleyPipeReceiveContender extends AbstractParleyContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public ParleyPipeReceiveContender() {
        super(
                "parley-pipe-receive",
                "Parley's unicast pipes, but each side blocks in receive(), plain text; only by name",
                "netty-spin",
                "sockets-spin",
                "parley-pipe");
    }

    @Override
    ParleyOptions options() {
        return ParleyOptions.plainText(MeasuredLayer.PIPE_RECEIVE);
    }

    @Override
    public boolean eventDriven() {
        return false;
    }

    @Override
    public ContenderClient connect(String address, ProcessLocation site, ReplyDispatcher replies) {
        return ParleyReceivingClient.open(address, replies, options());
    }

    @Override
    public boolean onlyByName() {
        return true;
    }
}

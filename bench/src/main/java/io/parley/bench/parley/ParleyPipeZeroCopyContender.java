package io.parley.bench.parley;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.transport.TransportSecurity;
import java.util.List;

/**
 * Unicast pipes without TLS, for an application that sends from direct memory and does not retain received messages.
 */
public final class ParleyPipeZeroCopyContender implements Contender {

    @Override
    public String name() {
        return "parley-pipe-borrowed";
    }

    @Override
    public String description() {
        return "Parley's unicast pipes as above, but sent from direct memory and borrowed by the listener";
    }

    @Override
    public boolean eventDriven() {
        return true;
    }

    @Override
    public List<String> comparators() {
        return List.of("netty", "parley-pipe");
    }

    @Override
    public Server serve(ProcessLocation site, MessageCounter tally) {
        return ParleyServer.start(site, tally, MeasuredLayer.PIPE_BORROWED, TransportSecurity.PLAINTEXT);
    }

    @Override
    public ContenderClient connect(String address, ProcessLocation site, ReplyDispatcher replies) {
        return ParleyClient.open(address, replies, MeasuredLayer.PIPE_BORROWED, TransportSecurity.PLAINTEXT);
    }
}

package io.parley.bench.parley;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.transport.TransportSecurity;
import java.util.List;

/** Unicast pipes with Fast Infoset, without TLS. */
public final class ParleyPipeFastInfosetContender implements Contender {

    private static final String CODEC = "fastinfoset";

    @Override
    public String name() {
        return "parley-pipe-fastinfoset";
    }

    @Override
    public String description() {
        return "Parley's unicast pipes with Fast Infoset instead of the binary format, plain text; only in codec-wire or by name";
    }

    @Override
    public boolean eventDriven() {
        return true;
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    public List<String> comparators() {
        return List.of("parley-pipe", "parley-pipe-xml");
    }

    @Override
    public Server serve(ProcessLocation site, MessageCounter tally) {
        return ParleyServer.start(site, tally, MeasuredLayer.PIPE, TransportSecurity.PLAINTEXT, CODEC);
    }

    @Override
    public ContenderClient connect(String address, ProcessLocation site, ReplyDispatcher replies) {
        return ParleyClient.open(address, replies, MeasuredLayer.PIPE, TransportSecurity.PLAINTEXT, CODEC);
    }
}

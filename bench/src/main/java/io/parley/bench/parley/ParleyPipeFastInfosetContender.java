package io.parley.bench.parley;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import io.parley.bench.contender.Site;
import io.parley.bench.contender.Tally;
import io.parley.endpoint.Security;
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
    public Server serve(Site site, Tally tally) {
        return ParleyServer.start(site, tally, Route.PIPE, Security.PLAINTEXT, CODEC);
    }

    @Override
    public Link connect(String address, Site site, Replies replies) {
        return ParleyLink.open(address, replies, Route.PIPE, Security.PLAINTEXT, CODEC);
    }
}

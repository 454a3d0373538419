package io.parley.bench.parley;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import io.parley.bench.contender.Site;
import io.parley.bench.contender.Tally;
import io.parley.endpoint.Security;
import java.util.List;

/** Unicast pipes with the XML text format, without TLS. */
public final class ParleyPipeXmlContender implements Contender {

    private static final String CODEC = "xml";

    @Override
    public String name() {
        return "parley-pipe-xml";
    }

    @Override
    public String description() {
        return "Parley's unicast pipes with the XML format as text instead of the binary one, plain text; only in codec-wire or by name";
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
        return List.of("parley-pipe");
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

package io.parley.bench.parley;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import io.parley.bench.contender.Site;
import io.parley.bench.contender.Tally;
import io.parley.endpoint.Security;
import java.util.List;

/** Unicast pipes without TLS. */
public final class ParleyPipeContender implements Contender {

    @Override
    public String name() {
        return "parley-pipe";
    }

    @Override
    public String description() {
        return "Parley's unicast pipes, one each way, listener on the event loop, plain text";
    }

    @Override
    public boolean eventDriven() {
        return true;
    }

    @Override
    public List<String> comparators() {
        return List.of("netty", "netty-arrays", "jxta-pipe");
    }

    @Override
    public Server serve(Site site, Tally tally) {
        return ParleyServer.start(site, tally, Route.PIPE, Security.PLAINTEXT);
    }

    @Override
    public Link connect(String address, Site site, Replies replies) {
        return ParleyLink.open(address, replies, Route.PIPE, Security.PLAINTEXT);
    }
}

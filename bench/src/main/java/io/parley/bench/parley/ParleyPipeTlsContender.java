package io.parley.bench.parley;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import io.parley.bench.contender.Site;
import io.parley.bench.contender.Tally;
import io.parley.endpoint.Security;
import java.util.List;

/** Unicast pipes as they are by default. */
public final class ParleyPipeTlsContender implements Contender {

    @Override
    public String name() {
        return "parley-pipe-tls";
    }

    @Override
    public String description() {
        return "Parley's unicast pipes, one each way, listener on the event loop, TLS 1.3";
    }

    @Override
    public boolean eventDriven() {
        return true;
    }

    @Override
    public List<String> comparators() {
        return List.of("netty-tls");
    }

    @Override
    public Server serve(Site site, Tally tally) {
        return ParleyServer.start(site, tally, Route.PIPE, Security.TLS);
    }

    @Override
    public Link connect(String address, Site site, Replies replies) {
        return ParleyLink.open(address, replies, Route.PIPE, Security.TLS);
    }
}

package io.parley.bench.parley;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import io.parley.bench.contender.Site;
import io.parley.bench.contender.Tally;
import io.parley.endpoint.Security;
import java.util.List;

/** Unicast pipes without TLS, for an application whose memory is direct and which does not keep what it receives. */
public final class ParleyPipeBorrowedContender implements Contender {

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
    public Server serve(Site site, Tally tally) {
        return ParleyServer.start(site, tally, Route.PIPE_BORROWED, Security.PLAINTEXT);
    }

    @Override
    public Link connect(String address, Site site, Replies replies) {
        return ParleyLink.open(address, replies, Route.PIPE_BORROWED, Security.PLAINTEXT);
    }
}

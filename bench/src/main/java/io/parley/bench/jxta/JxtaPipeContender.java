package io.parley.bench.jxta;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import io.parley.bench.contender.Site;
import io.parley.bench.contender.Tally;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** JXTA's unicast pipes: what an application of its time would have used. */
public final class JxtaPipeContender implements Contender {

    @Override
    public String name() {
        return "jxta-pipe";
    }

    @Override
    public String description() {
        return "JXTA 2.5 unicast pipes (InputPipe, OutputPipe), resolved directly between two peers, plain text;"
                + " two bugs repaired";
    }

    @Override
    public boolean eventDriven() {
        return true;
    }

    @Override
    public List<String> comparators() {
        return List.of("netty", "jxta-endpoint");
    }

    @Override
    public List<Path> ownJars() {
        return JxtaJars.list();
    }

    @Override
    public Optional<String> obstacle() {
        return JxtaJars.obstacle();
    }

    @Override
    public String details() {
        return "JXSE 2.5";
    }

    @Override
    public Server serve(Site site, Tally tally) throws Exception {
        return JxtaPipeServer.start(site, tally);
    }

    @Override
    public Link connect(String address, Site site, Replies replies) throws Exception {
        return JxtaPipeLink.open(address, site, replies);
    }
}

package io.parley.bench.jxta;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import io.parley.bench.contender.Site;
import io.parley.bench.contender.Tally;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** JXTA's endpoint service: messengers over its TCP transport. */
public final class JxtaEndpointContender implements Contender {

    @Override
    public String name() {
        return "jxta-endpoint";
    }

    @Override
    public String description() {
        return "JXTA 2.5 endpoint service, messenger to a TCP address, plain text; two bugs repaired";
    }

    @Override
    public boolean eventDriven() {
        return true;
    }

    @Override
    public List<String> comparators() {
        return List.of("netty");
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
        return JxtaEndpointServer.start(site, tally);
    }

    @Override
    public Link connect(String address, Site site, Replies replies) throws Exception {
        return JxtaEndpointLink.open(address, site, replies);
    }
}

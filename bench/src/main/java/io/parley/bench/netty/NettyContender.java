package io.parley.bench.netty;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import io.parley.bench.contender.Site;
import io.parley.bench.contender.Tally;
import java.util.List;

/** Netty and a length in front of each message. */
public final class NettyContender implements Contender {

    @Override
    public String name() {
        return "netty";
    }

    @Override
    public String description() {
        return "raw Netty, length prefix, one event loop per side, no payload copies, plain text";
    }

    @Override
    public boolean eventDriven() {
        return true;
    }

    @Override
    public List<String> comparators() {
        return List.of("sockets");
    }

    @Override
    public String details() {
        return NettyIo.best().label();
    }

    @Override
    public Server serve(Site site, Tally tally) throws Exception {
        return NettyServer.start(site, tally, null, Memory.UNTOUCHED);
    }

    @Override
    public Link connect(String address, Site site, Replies replies) throws Exception {
        return NettyLink.open(Integer.parseInt(address), replies, null, Memory.UNTOUCHED);
    }
}

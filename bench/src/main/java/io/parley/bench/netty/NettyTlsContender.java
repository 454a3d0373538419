package io.parley.bench.netty;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import io.parley.bench.contender.Site;
import io.parley.bench.contender.Tally;
import java.util.List;

/** {@link NettyContender} over TLS. */
public final class NettyTlsContender implements Contender {

    @Override
    public String name() {
        return "netty-tls";
    }

    @Override
    public String description() {
        return "raw Netty as above, over TLS 1.3 with P-256 certificates on both sides";
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
    public String details() {
        return NettyIo.best().label() + ", " + Tls.label();
    }

    @Override
    public Server serve(Site site, Tally tally) throws Exception {
        return NettyServer.start(site, tally, Tls.server(), Memory.UNTOUCHED);
    }

    @Override
    public Link connect(String address, Site site, Replies replies) throws Exception {
        return NettyLink.open(Integer.parseInt(address), replies, Tls.client(), Memory.UNTOUCHED);
    }
}

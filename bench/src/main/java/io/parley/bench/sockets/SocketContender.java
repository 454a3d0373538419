package io.parley.bench.sockets;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import io.parley.bench.contender.Site;
import io.parley.bench.contender.Tally;
import java.io.IOException;

/** A length, then the payload, in one write each; the caller's thread reads the reply. */
public final class SocketContender implements Contender {

    @Override
    public String name() {
        return "sockets";
    }

    @Override
    public String description() {
        return "plain blocking Java sockets, length prefix, one write per message, TCP_NODELAY, plain text";
    }

    @Override
    public boolean eventDriven() {
        return false;
    }

    @Override
    public String details() {
        return "java.net.Socket";
    }

    @Override
    public Server serve(Site site, Tally tally) throws IOException {
        return SocketServer.start(site, tally);
    }

    @Override
    public Link connect(String address, Site site, Replies replies) throws IOException {
        return SocketLink.open(Integer.parseInt(address));
    }
}

package io.parley.bench.netty;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import java.util.List;

/** The contender {@link NettyContender} over TLS. */
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
        return NettyIo.best().label() + ", " + TlsContextFactory.label();
    }

    @Override
    public Server serve(ProcessLocation site, MessageCounter tally) throws Exception {
        return NettyServer.start(site, tally, TlsContextFactory.server(), MemoryMode.UNTOUCHED);
    }

    @Override
    public ContenderClient connect(String address, ProcessLocation site, ReplyDispatcher replies) throws Exception {
        return NettyClient.open(Integer.parseInt(address), replies, TlsContextFactory.client(), MemoryMode.UNTOUCHED);
    }
}

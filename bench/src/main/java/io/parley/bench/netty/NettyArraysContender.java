package io.parley.bench.netty;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import java.util.List;

/** The contender {@link NettyContender} for an application whose memory is arrays, as in an application on Parley. */
public final class NettyArraysContender implements Contender {

    @Override
    public String name() {
        return "netty-arrays";
    }

    @Override
    public String description() {
        return "raw Netty as above, but each message is sent from an array and received into a new one";
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
        return NettyIo.best().label();
    }

    @Override
    public Server serve(ProcessLocation site, MessageCounter tally) throws Exception {
        return NettyServer.start(site, tally, null, MemoryMode.ARRAYS);
    }

    @Override
    public ContenderClient connect(String address, ProcessLocation site, ReplyDispatcher replies) throws Exception {
        return NettyClient.open(Integer.parseInt(address), replies, null, MemoryMode.ARRAYS);
    }
}

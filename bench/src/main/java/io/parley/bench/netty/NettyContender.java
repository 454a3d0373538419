package io.parley.bench.netty;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import java.util.List;

/** Raw Netty with a length in front of each message. */
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
    public Server serve(ProcessLocation site, MessageCounter tally) throws Exception {
        return NettyServer.start(site, tally, null, MemoryMode.UNTOUCHED);
    }

    @Override
    public ContenderClient connect(String address, ProcessLocation site, ReplyDispatcher replies) throws Exception {
        return NettyClient.open(Integer.parseInt(address), replies, null, MemoryMode.UNTOUCHED);
    }
}

package io.parley.bench.sockets;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.bench.netty.IdleStrategy;
import java.io.IOException;
import java.util.List;

/** The contender {@link SocketContender} with threads that spin before they sleep. */
public final class SocketSpinContender implements Contender {

    @Override
    public String name() {
        return "sockets-spin";
    }

    @Override
    public String description() {
        return "non-blocking Java sockets, whose readers spin before they sleep, by the code of Parley; only by name";
    }

    @Override
    public boolean eventDriven() {
        return false;
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    public List<String> comparators() {
        return List.of("sockets");
    }

    @Override
    public String details() {
        return "java.nio.channels.SocketChannel, " + IdleStrategy.SPIN.label();
    }

    @Override
    public Server serve(ProcessLocation site, MessageCounter tally) throws IOException {
        return SocketServer.start(site, tally, SocketMode.SPINNING);
    }

    @Override
    public ContenderClient connect(String address, ProcessLocation site, ReplyDispatcher replies) throws IOException {
        return SocketClient.open(Integer.parseInt(address), replies, SocketMode.SPINNING);
    }
}

package io.parley.bench.sockets;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import java.io.IOException;

/** Blocking sockets: each message is one write of a length and the payload, and the calling thread reads the reply. */
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
    public Server serve(ProcessLocation site, MessageCounter tally) throws IOException {
        return SocketServer.start(site, tally, SocketMode.BLOCKING);
    }

    @Override
    public ContenderClient connect(String address, ProcessLocation site, ReplyDispatcher replies) throws IOException {
        return SocketClient.open(Integer.parseInt(address), replies, SocketMode.BLOCKING);
    }
}

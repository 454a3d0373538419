package io.parley.bench.jxta;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.Signal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.jxta.endpoint.EndpointAddress;
import net.jxta.endpoint.EndpointListener;
import net.jxta.endpoint.Message;
import net.jxta.endpoint.Messenger;

/** Answers at the address that the client's hello named: on loopback JXTA cannot be told to advertise another. */
final class JxtaEndpointServer implements Contender.Server, EndpointListener {

    static final String SERVICE = "parley-bench";
    static final String PING = "ping";
    static final String PONG = "pong";
    static final String HELLO = "hello";

    private static final long HELLO_SECONDS = 60;

    private final JxtaPeer peer;
    private final ProcessLocation site;
    private final MessageCounter tally;
    private final CompletableFuture<Messenger> back =
            new CompletableFuture<Messenger>().orTimeout(HELLO_SECONDS, TimeUnit.SECONDS);

    private JxtaEndpointServer(JxtaPeer peer, ProcessLocation site, MessageCounter tally) {
        this.peer = peer;
        this.site = site;
        this.tally = tally;
    }

    static JxtaEndpointServer start(ProcessLocation site, MessageCounter tally) throws Exception {
        JxtaEndpointServer server = new JxtaEndpointServer(JxtaPeer.start("bench-server", site), site, tally);
        server.peer.endpoint().addIncomingMessageListener(server, SERVICE, PING);
        server.peer
                .endpoint()
                .addIncomingMessageListener(
                        (message, source, destination) -> server.hello(JxtaPayload.address(message)), SERVICE, HELLO);
        return server;
    }

    private void hello(String address) {
        Messenger found =
                peer.endpoint().getMessenger(new EndpointAddress(new EndpointAddress(address), SERVICE, PONG));
        if (found == null) {
            back.completeExceptionally(new IOException("no way back to " + address));
        } else {
            back.complete(found);
        }
    }

    @Override
    public void processIncomingMessage(Message message, EndpointAddress source, EndpointAddress destination) {
        Header header = JxtaPayload.header(message);
        try {
            if (header.signal() == Signal.ECHO) {
                back().sendMessageB(JxtaPayload.reply(message), SERVICE, PONG);
            } else if (tally.count(header)) {
                back().sendMessageB(JxtaPayload.answer(), SERVICE, PONG);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot answer " + source, failed);
        }
    }

    /** A first message can overtake the hello, and then waits for it. */
    private Messenger back() {
        return back.join();
    }

    @Override
    public int port() {
        return peer.port();
    }

    @Override
    public String address() {
        return JxtaPeer.address(site.advertised(peer.port()));
    }

    @Override
    public void close() {
        peer.close();
    }
}

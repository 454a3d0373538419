package io.parley.bench.jxta;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageBytes;
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

/**
 * A server that replies to the address in the client's hello message, because JXTA on loopback cannot advertise another
 * address.
 */
final class JxtaEndpointServer implements Contender.Server, EndpointListener {

    static final String SERVICE = "parley-bench";
    static final String PING = "ping";
    static final String PONG = "pong";
    static final String HELLO = "hello";

    private static final long HELLO_TIMEOUT_SECONDS = 60;

    private final JxtaPeer peer;
    private final ProcessLocation site;
    private final MessageCounter tally;
    private final CompletableFuture<Messenger> replyMessenger =
            new CompletableFuture<Messenger>().orTimeout(HELLO_TIMEOUT_SECONDS, TimeUnit.SECONDS);

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
            replyMessenger.completeExceptionally(
                    new IOException("messenger to " + address + ": JXTA cannot connect replyMessenger to the client"));
        } else {
            replyMessenger.complete(found);
        }
    }

    @Override
    public void processIncomingMessage(Message message, EndpointAddress source, EndpointAddress destination) {
        MessageBytes received = JxtaPayload.received(message);
        try {
            if (Header.signal(received) == Signal.ECHO) {
                replyMessenger().sendMessageB(JxtaPayload.reply(message), SERVICE, PONG);
            } else if (tally.count(received)) {
                replyMessenger().sendMessageB(JxtaPayload.floodReply(), SERVICE, PONG);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("reply to " + source + ": cannot send", failed);
        }
    }

    /** Returns the messenger to the client. Waits for the hello message, because the first message can overtake it. */
    private Messenger replyMessenger() {
        return replyMessenger.join();
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

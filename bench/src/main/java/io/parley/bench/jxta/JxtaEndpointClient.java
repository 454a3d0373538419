package io.parley.bench.jxta;

import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import java.io.IOException;
import net.jxta.endpoint.EndpointAddress;
import net.jxta.endpoint.Messenger;

/** A client that sends through a messenger, which blocks while its queue is full. */
final class JxtaEndpointClient implements ContenderClient {

    private final JxtaPeer peer;
    private final Messenger messenger;
    private final JxtaPayload payload = new JxtaPayload();

    private JxtaEndpointClient(JxtaPeer peer, Messenger messenger) {
        this.peer = peer;
        this.messenger = messenger;
    }

    static JxtaEndpointClient open(String address, ProcessLocation site, ReplyDispatcher replies) throws Exception {
        JxtaPeer peer = JxtaPeer.start("bench-client", site);
        peer.endpoint()
                .addIncomingMessageListener(
                        (message, source, destination) -> replies.arrived(JxtaPayload.received(message)),
                        JxtaEndpointServer.SERVICE,
                        JxtaEndpointServer.PONG);
        Messenger messenger = peer.endpoint()
                .getMessenger(new EndpointAddress(
                        new EndpointAddress(address), JxtaEndpointServer.SERVICE, JxtaEndpointServer.PING));
        if (messenger == null) {
            throw new IOException("messenger to " + address + ": JXTA cannot connect");
        }
        messenger.sendMessageB(
                JxtaPayload.hello(JxtaPeer.address(site.advertised(peer.port()))),
                JxtaEndpointServer.SERVICE,
                JxtaEndpointServer.HELLO);
        return new JxtaEndpointClient(peer, messenger);
    }

    @Override
    public void prepare(int bytes) {
        payload.prepare(bytes);
    }

    @Override
    public void send() throws IOException {
        messenger.sendMessageB(payload.echo(), JxtaEndpointServer.SERVICE, JxtaEndpointServer.PING);
    }

    @Override
    public void flood(long messages, long expected) throws IOException {
        for (long sent = 1; sent < messages; sent++) {
            messenger.sendMessageB(payload.sink(), JxtaEndpointServer.SERVICE, JxtaEndpointServer.PING);
        }
        messenger.sendMessageB(payload.last(expected), JxtaEndpointServer.SERVICE, JxtaEndpointServer.PING);
    }

    @Override
    public int port() {
        return peer.port();
    }

    @Override
    public void close() {
        peer.close();
    }
}

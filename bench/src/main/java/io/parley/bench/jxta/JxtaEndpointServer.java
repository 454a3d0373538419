package io.parley.bench.jxta;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.Signal;
import io.parley.bench.contender.Site;
import io.parley.bench.contender.Tally;
import java.io.IOException;
import java.io.UncheckedIOException;
import net.jxta.endpoint.EndpointAddress;
import net.jxta.endpoint.EndpointListener;
import net.jxta.endpoint.Message;
import net.jxta.endpoint.Messenger;
import org.jspecify.annotations.Nullable;

/** Answers at the address each message came from, over the connection that JXTA already has. */
final class JxtaEndpointServer implements Contender.Server, EndpointListener {

    static final String SERVICE = "parley-bench";
    static final String PING = "ping";
    static final String PONG = "pong";

    private final JxtaPeer peer;
    private final Site site;
    private final Tally tally;
    private volatile @Nullable Messenger back;

    private JxtaEndpointServer(JxtaPeer peer, Site site, Tally tally) {
        this.peer = peer;
        this.site = site;
        this.tally = tally;
    }

    static JxtaEndpointServer start(Site site, Tally tally) throws Exception {
        JxtaEndpointServer server = new JxtaEndpointServer(JxtaPeer.start("bench-server", site), site, tally);
        server.peer.endpoint().addIncomingMessageListener(server, SERVICE, PING);
        return server;
    }

    @Override
    public void processIncomingMessage(Message message, EndpointAddress source, EndpointAddress destination) {
        Header header = Payload.header(message);
        try {
            if (header.signal() == Signal.ECHO) {
                back(source).sendMessageB(Payload.reply(message), SERVICE, PONG);
            } else if (tally.count(header)) {
                back(source).sendMessageB(Payload.answer(), SERVICE, PONG);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot answer " + source, failed);
        }
    }

    private Messenger back(EndpointAddress source) throws IOException {
        Messenger known = back;
        if (known != null) {
            return known;
        }
        Messenger found = peer.endpoint().getMessenger(new EndpointAddress(source, SERVICE, PONG));
        if (found == null) {
            throw new IOException("no way back to " + source);
        }
        back = found;
        return found;
    }

    @Override
    public int port() {
        return peer.port();
    }

    @Override
    public String address() {
        return JxtaPeer.address(site.advertised(peer.port())).toString();
    }

    @Override
    public void close() {
        peer.close();
    }
}

package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageBytes;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.Signal;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A server that echoes or counts the messages of its service or pipe. */
final class ParleyServer implements Contender.Server {

    private final Peer peer;
    private final @Nullable Peer relay;
    private final ProcessLocation site;
    private final MessageCounter tally;
    private final MeasuredLayer layer;
    private final Map<PeerId, CompletableFuture<MeasuredLayer.Sender>> replySenders = new ConcurrentHashMap<>();

    private ParleyServer(
            Peer peer, @Nullable Peer relay, ProcessLocation site, MessageCounter tally, MeasuredLayer layer) {
        this.peer = peer;
        this.relay = relay;
        this.site = site;
        this.tally = tally;
        this.layer = layer;
    }

    static ParleyServer start(ProcessLocation site, MessageCounter tally, ParleyOptions options) {
        Peer relay = options.relayed()
                ? options.peer()
                        .listen(options.serverAddress())
                        .ownEventLoops()
                        .actAsRelay()
                        .start()
                : null;
        String address = relay == null
                ? options.serverAddress()
                : relay.address().addresses().get(0).relayed().toString();
        Peer peer = options.layer().serving(options.peer().listen(address)).start();
        ParleyServer server = new ParleyServer(peer, relay, site, tally, options.layer());
        options.layer().listen(peer, MeasuredLayer.PING, server::onMessage);
        return server;
    }

    private void onMessage(PeerId from, Message message) {
        MessageBytes received = PayloadBytes.of(message);
        if (Header.signal(received) == Signal.ECHO) {
            reply(from, layer.echo(message));
        } else if (tally.count(received)) {
            reply(from, Message.of(layer.element(Header.reply())));
        }
    }

    private void reply(PeerId to, Message message) {
        replySenders
                .computeIfAbsent(to, client -> layer.open(peer, client, MeasuredLayer.PONG))
                .thenAccept(sender -> sender.send().accept(message));
    }

    @Override
    public int port() {
        return peer.address().addresses().get(0).port();
    }

    @Override
    public String address() {
        EndpointAddress local = peer.address().addresses().get(0);
        return PeerAddress.of(peer.id(), local.withPort(site.advertised(port())))
                .toString();
    }

    @Override
    public void close() {
        peer.close();
        if (relay != null) {
            relay.close();
        }
    }
}

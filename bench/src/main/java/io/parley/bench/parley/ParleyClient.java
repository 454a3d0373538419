package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.bench.contender.Signal;
import io.parley.codec.MessageCodec;
import io.parley.endpoint.EndpointLimits;
import io.parley.message.Message;
import io.parley.transport.PeerAddress;
import io.parley.transport.TransportSecurity;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Sends to the server's service or pipe, is told of what arrives at its own. Each message is encoded anew. */
final class ParleyClient implements ContenderClient {

    /** The defaults, as nobody should have to change them for speed. */
    static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Peer peer;
    private final MeasuredLayer route;
    private final MeasuredLayer.Sender sender;
    private Message echo = Message.EMPTY;
    private Message sink = Message.EMPTY;
    private int bytes = 1;

    private ParleyClient(Peer peer, MeasuredLayer route, MeasuredLayer.Sender sender) {
        this.peer = peer;
        this.route = route;
        this.sender = sender;
    }

    static ParleyClient open(String address, ReplyDispatcher replies, MeasuredLayer route, TransportSecurity security) {
        return open(address, replies, route, security, MessageCodec.binary().name());
    }

    /** Speaks no other codec than that. */
    static ParleyClient open(
            String address, ReplyDispatcher replies, MeasuredLayer route, TransportSecurity security, String codec) {
        PeerAddress server = PeerAddress.parse(address);
        Peer peer = Peer.builder()
                .multicast(false)
                .security(security)
                .codecs(codec)
                .limits(LIMITS)
                .start();
        peer.endpoint().addPeerAddress(server);
        route.listen(peer, MeasuredLayer.PONG, (from, message) -> replies.arrived());
        MeasuredLayer.Sender sender = route.open(peer, server.peer(), MeasuredLayer.PING)
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
        return new ParleyClient(peer, route, sender);
    }

    @Override
    public void prepare(int messageBytes) {
        bytes = messageBytes;
        echo = message(Signal.ECHO, 0);
        sink = message(Signal.SINK, 0);
    }

    private Message message(Signal signal, long messages) {
        return Message.of(route.element(new Header(signal, messages).message(bytes)));
    }

    @Override
    public void send() {
        sender.send().accept(echo);
    }

    @Override
    public void flood(long messages) {
        new FloodSender(sender, sink, messages - 1, message(Signal.LAST, messages)).run();
    }

    @Override
    public void close() {
        peer.close();
    }
}

package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import io.parley.bench.contender.Signal;
import io.parley.codec.BinaryMessageCodec;
import io.parley.endpoint.Limits;
import io.parley.endpoint.PeerAddress;
import io.parley.endpoint.Security;
import io.parley.message.Message;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Sends to the server's service or pipe, is told of what arrives at its own. Each message is encoded anew. */
final class ParleyLink implements Link {

    /** The defaults, as nobody should have to change them for speed. */
    static final Limits LIMITS = Limits.DEFAULTS;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Peer peer;
    private final Route route;
    private final Route.Sender sender;
    private Message echo = Message.EMPTY;
    private Message sink = Message.EMPTY;
    private int bytes = 1;

    private ParleyLink(Peer peer, Route route, Route.Sender sender) {
        this.peer = peer;
        this.route = route;
        this.sender = sender;
    }

    static ParleyLink open(String address, Replies replies, Route route, Security security) {
        return open(address, replies, route, security, BinaryMessageCodec.NAME);
    }

    /** Speaks no other codec than that. */
    static ParleyLink open(String address, Replies replies, Route route, Security security, String codec) {
        PeerAddress server = PeerAddress.parse(address);
        Peer peer = Peer.builder()
                .multicast(false)
                .security(security)
                .codecs(codec)
                .limits(LIMITS)
                .start();
        peer.endpoint().learn(server);
        route.listen(peer, Route.PONG, (from, message) -> replies.arrived());
        Route.Sender sender = route.open(peer, server.peer(), Route.PING)
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
        return new ParleyLink(peer, route, sender);
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
        new Flood(sender, sink, messages - 1, message(Signal.LAST, messages)).run();
    }

    @Override
    public void close() {
        peer.close();
    }
}

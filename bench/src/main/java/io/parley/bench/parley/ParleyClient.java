package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.contender.ComposedContenderClient;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.LossyContenderClient;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.bench.contender.Signal;
import io.parley.message.Message;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A client that sends to the server's service or pipe and receives replies at its own. Encodes each message again. */
final class ParleyClient implements LossyContenderClient, ComposedContenderClient {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Peer peer;
    private final MeasuredLayer layer;
    private final MeasuredLayer.Sender sender;
    private Message echo = Message.EMPTY;
    private Message sink = Message.EMPTY;
    private byte[] timed = new byte[0];
    private int bytes = 1;
    private int elements = 1;

    private ParleyClient(Peer peer, MeasuredLayer layer, MeasuredLayer.Sender sender) {
        this.peer = peer;
        this.layer = layer;
        this.sender = sender;
    }

    static ParleyClient open(String address, ReplyDispatcher replies, ParleyOptions options) {
        Peer peer = options.layer()
                .connecting(options.peer(), PeerAddress.parse(address))
                .start();
        options.layer().listen(peer, MeasuredLayer.PONG, (from, message) -> replies.arrived(PayloadBytes.of(message)));
        return connect(peer, address, options.layer());
    }

    /** Connects a peer whose input is open. Takes ownership of {@code peer}. */
    static ParleyClient connect(Peer peer, String address, MeasuredLayer layer) {
        PeerAddress server = PeerAddress.parse(address);
        peer.endpoint().addPeerAddress(server);
        MeasuredLayer.Sender sender = layer.open(peer, server.peer(), MeasuredLayer.PING)
                .orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                .join();
        return new ParleyClient(peer, layer, sender);
    }

    @Override
    public void prepare(int messageBytes) {
        prepare(messageBytes, 1);
    }

    @Override
    public void prepare(int messageBytes, int messageElements) {
        bytes = messageBytes;
        elements = messageElements;
        echo = message(Signal.ECHO, 0);
        sink = message(Signal.SINK, 0);
        timed = new Header(Signal.TIMED, 0).message(bytes);
    }

    @Override
    public void prepareLossy(int messageBytes) {
        prepare(messageBytes);
        timed = new Header(Signal.LOSSY, 0).message(bytes);
    }

    private Message message(Signal signal, long messages) {
        byte[] content = new Header(signal, messages).message(bytes);
        return Message.of(
                Header.slices(content, elements).stream().map(layer::element).toList());
    }

    @Override
    public void send() {
        sender.send().accept(echo);
    }

    @Override
    public void flood(long messages, long expected) {
        new FloodSender(sender, sink, messages - 1, message(Signal.LAST, expected)).run();
    }

    @Override
    public boolean isWritable() {
        return sender.isWritable().getAsBoolean();
    }

    @Override
    public void sendTimed(long sequence, long nanos) {
        sender.send().accept(Message.of(layer.element(Header.timed(timed, 0, sequence, nanos))));
    }

    @Override
    public void flush() {
        // the pipe decides when it writes
    }

    @Override
    public void close() {
        peer.close();
    }
}

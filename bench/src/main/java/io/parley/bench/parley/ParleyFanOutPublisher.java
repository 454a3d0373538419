package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.contender.FanOutContender;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.Signal;
import io.parley.message.Message;
import io.parley.pipes.Pipes;
import io.parley.pipes.TopicPublisher;
import java.time.Duration;

/** The publisher of a topic, in a peer that is also the rendezvous of the subscribers. */
final class ParleyFanOutPublisher implements FanOutContender.Publisher {

    static final String TOPIC = "bench-fan-out";

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Peer peer;
    private final TopicPublisher publisher;
    private final MeasuredLayer layer;
    private byte[] template = new byte[0];

    private ParleyFanOutPublisher(Peer peer, TopicPublisher publisher, MeasuredLayer layer) {
        this.peer = peer;
        this.publisher = publisher;
        this.layer = layer;
    }

    static ParleyFanOutPublisher open(ParleyOptions options) {
        Peer peer = options.layer()
                .serving(options.peer().listen("tcp://127.0.0.1:0"))
                .start();
        return new ParleyFanOutPublisher(peer, Pipes.of(peer).topic(TOPIC).openPublisher(), options.layer());
    }

    @Override
    public String address() {
        return peer.address().toString();
    }

    @Override
    public int receivers() {
        return publisher.receivers().size();
    }

    @Override
    public void prepare(int bytes) {
        template = new Header(Signal.TIMED, 0).message(bytes);
    }

    @Override
    public void send(long sequence) throws InterruptedException {
        publisher.send(Message.of(layer.element(Header.timed(template, 0, sequence, 0))), TIMEOUT);
    }

    @Override
    public void close() {
        peer.close();
    }
}

package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.contender.BlockingContenderClient;
import io.parley.pipes.InputPipe;
import java.io.IOException;
import java.time.Duration;

/** A client whose calling thread sends and then blocks in {@link InputPipe#receive}. */
final class ParleyReceivingClient implements BlockingContenderClient {

    /** The reply timeout. It exceeds every measurement; the runner times out earlier. */
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    private final ParleyClient client;
    private final InputPipe replies;

    private ParleyReceivingClient(ParleyClient client, InputPipe replies) {
        this.client = client;
        this.replies = replies;
    }

    static ParleyReceivingClient open(String address, ParleyOptions options) {
        Peer peer = options.peer().start();
        InputPipe replies = MeasuredLayer.openInput(peer, MeasuredLayer.PONG);
        return new ParleyReceivingClient(ParleyClient.connect(peer, address, options.layer()), replies);
    }

    @Override
    public void prepare(int bytes) {
        client.prepare(bytes);
    }

    @Override
    public void send() {
        client.send();
    }

    @Override
    public void flood(long messages) {
        client.flood(messages);
    }

    @Override
    public void awaitReply() throws IOException, InterruptedException {
        if (replies.receive(TIMEOUT).isEmpty()) {
            throw new IOException("reply: not received within " + TIMEOUT);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}

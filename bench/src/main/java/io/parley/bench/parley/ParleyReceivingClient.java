package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.contender.BlockingContenderClient;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.pipes.InputPipe;
import io.parley.pipes.PipeMessage;
import java.io.IOException;
import java.time.Duration;

/** A client whose calling thread sends and then blocks in {@link InputPipe#receive}. */
final class ParleyReceivingClient implements BlockingContenderClient {

    /** The reply timeout. It exceeds every measurement; the runner times out earlier. */
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    private final ParleyClient client;
    private final InputPipe input;
    private final ReplyDispatcher replies;

    private ParleyReceivingClient(ParleyClient client, InputPipe input, ReplyDispatcher replies) {
        this.client = client;
        this.input = input;
        this.replies = replies;
    }

    static ParleyReceivingClient open(String address, ReplyDispatcher replies, ParleyOptions options) {
        Peer peer = options.peer().start();
        InputPipe input = MeasuredLayer.openInput(peer, MeasuredLayer.PONG);
        return new ParleyReceivingClient(ParleyClient.connect(peer, address, options.layer()), input, replies);
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
    public void flood(long messages, long expected) {
        client.flood(messages, expected);
    }

    @Override
    public void awaitReply() throws IOException, InterruptedException {
        PipeMessage reply =
                input.receive(TIMEOUT).orElseThrow(() -> new IOException("reply: not received within " + TIMEOUT));
        replies.arrived(PayloadBytes.of(reply.message()));
    }

    @Override
    public void close() {
        client.close();
    }
}

package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageBytes;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.bench.contender.RequestContenderClient;
import io.parley.bench.contender.Signal;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.Pipes;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A client whose requests go through one output pipe. */
final class ParleyRequestClient implements RequestContenderClient {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String ELEMENT = "payload";

    private final Peer peer;
    private final OutputPipe pipe;
    private final ReplyDispatcher replies;
    private Message echo = Message.EMPTY;

    private ParleyRequestClient(Peer peer, OutputPipe pipe, ReplyDispatcher replies) {
        this.peer = peer;
        this.pipe = pipe;
        this.replies = replies;
    }

    static ParleyRequestClient open(String address, ReplyDispatcher replies, ParleyOptions options)
            throws InterruptedException {
        Peer peer = options.peer().start();
        OutputPipe pipe = Pipes.of(peer).connect(PeerAddress.parse(address), ParleyRequestServer.SERVICE, TIMEOUT);
        return new ParleyRequestClient(peer, pipe, replies);
    }

    @Override
    public void prepare(int bytes) {
        echo = Message.of(MessageElement.of(ELEMENT, new Header(Signal.ECHO, 0).message(bytes)));
    }

    @Override
    public void send() {
        request((response, failure) -> {
            if (response != null) {
                replies.arrived(response);
            }
        });
    }

    @Override
    public void request(BiConsumer<@Nullable MessageBytes, @Nullable Throwable> done) {
        pipe.requestAsync(echo, TIMEOUT)
                .whenComplete((response, failure) ->
                        done.accept(response == null ? null : PayloadBytes.of(response.message()), failure));
    }

    @Override
    public void flood(long messages, long expected) {
        throw new UnsupportedOperationException("requests: each has a response");
    }

    @Override
    public void close() {
        peer.close();
    }
}

package io.parley.bench.sockets;

import io.parley.bench.contender.BlockingContenderClient;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageBytes;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.bench.contender.Signal;
import java.io.IOException;

/** A client whose calling thread writes and reads. */
final class SocketClient implements BlockingContenderClient {

    private final FrameConnection connection;
    private final ReplyDispatcher replies;
    private int bytes = 1;
    private byte[] echo = frame(Signal.ECHO, 0);
    private byte[] sink = frame(Signal.SINK, 0);

    private SocketClient(FrameConnection connection, ReplyDispatcher replies) {
        this.connection = connection;
        this.replies = replies;
    }

    static SocketClient open(int port, ReplyDispatcher replies, SocketMode mode) throws IOException {
        return new SocketClient(mode.connect(port), replies);
    }

    @Override
    public void prepare(int messageBytes) {
        bytes = messageBytes;
        echo = frame(Signal.ECHO, 0);
        sink = frame(Signal.SINK, 0);
    }

    private byte[] frame(Signal signal, long messages) {
        return FrameConnection.frame(new Header(signal, messages).message(bytes));
    }

    @Override
    public void send() throws IOException {
        connection.write(echo);
    }

    @Override
    public void awaitReply() throws IOException {
        replies.arrived(MessageBytes.of(connection.read(), Integer.BYTES));
    }

    @Override
    public void flood(long messages, long expected) throws IOException {
        for (long sent = 1; sent < messages; sent++) {
            connection.write(sink);
        }
        connection.write(frame(Signal.LAST, expected));
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}

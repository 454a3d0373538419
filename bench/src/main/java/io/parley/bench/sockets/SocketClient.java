package io.parley.bench.sockets;

import io.parley.bench.contender.BlockingContenderClient;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.Signal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;

/** A client whose calling thread writes and reads. */
final class SocketClient implements BlockingContenderClient {

    private final Socket socket;
    private final SocketFrames frames;
    private int bytes = 1;
    private byte[] echo = frame(Signal.ECHO, 0);
    private byte[] sink = frame(Signal.SINK, 0);

    private SocketClient(Socket socket) throws IOException {
        this.socket = socket;
        this.frames = new SocketFrames(socket);
    }

    static SocketClient open(int port) throws IOException {
        return new SocketClient(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    @Override
    public void prepare(int messageBytes) {
        bytes = messageBytes;
        echo = frame(Signal.ECHO, 0);
        sink = frame(Signal.SINK, 0);
    }

    private byte[] frame(Signal signal, long messages) {
        return SocketFrames.frame(new Header(signal, messages).message(bytes));
    }

    @Override
    public void send() throws IOException {
        frames.write(echo);
    }

    @Override
    public void awaitReply() throws IOException {
        frames.read();
    }

    @Override
    public void flood(long messages) throws IOException {
        for (long sent = 1; sent < messages; sent++) {
            frames.write(sink);
        }
        frames.write(frame(Signal.LAST, messages));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

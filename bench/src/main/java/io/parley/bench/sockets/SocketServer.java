package io.parley.bench.sockets;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.Signal;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;

/** A server with one thread per connection. */
final class SocketServer implements Contender.Server {

    private static final int BACKLOG = 16;

    private final ServerSocket listener;
    private final ProcessLocation site;
    private final MessageCounter tally;

    private SocketServer(ServerSocket listener, ProcessLocation site, MessageCounter tally) {
        this.listener = listener;
        this.site = site;
        this.tally = tally;
    }

    static SocketServer start(ProcessLocation site, MessageCounter tally) throws IOException {
        SocketServer server =
                new SocketServer(new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()), site, tally);
        startDaemon("sockets-accept", server::accept);
        return server;
    }

    private static void startDaemon(String name, IoTask task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException closed) {
                        // the client has disconnected, or the server is closed
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket socket = listener.accept();
            startDaemon("sockets-serve", () -> serve(socket));
        }
    }

    private void serve(Socket socket) throws IOException {
        try (socket) {
            SocketFrames frames = new SocketFrames(socket);
            byte[] reply = SocketFrames.frame(Header.reply());
            while (true) {
                byte[] frame = frames.read();
                Header header = Header.of(ByteBuffer.wrap(frame).position(Integer.BYTES));
                if (header.signal() == Signal.ECHO) {
                    frames.write(frame);
                } else if (tally.count(header)) {
                    frames.write(reply);
                }
            }
        } catch (EOFException disconnected) {
            // the client has disconnected
        }
    }

    @Override
    public int port() {
        return listener.getLocalPort();
    }

    @Override
    public String address() {
        return Integer.toString(site.advertised(port()));
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    private interface IoTask {
        void run() throws IOException;
    }
}

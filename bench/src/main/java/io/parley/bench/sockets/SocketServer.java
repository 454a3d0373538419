package io.parley.bench.sockets;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageBytes;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.Signal;
import java.io.EOFException;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/** A server with one thread per connection. */
final class SocketServer implements Contender.Server {

    private final ServerSocket listener;
    private final SocketMode mode;
    private final ProcessLocation site;
    private final MessageCounter tally;

    private SocketServer(ServerSocket listener, SocketMode mode, ProcessLocation site, MessageCounter tally) {
        this.listener = listener;
        this.mode = mode;
        this.site = site;
        this.tally = tally;
    }

    static SocketServer start(ProcessLocation site, MessageCounter tally, SocketMode mode) throws IOException {
        SocketServer server = new SocketServer(mode.listen(), mode, site, tally);
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
        try (socket;
                FrameConnection connection = mode.connection(socket)) {
            byte[] reply = FrameConnection.frame(Header.reply());
            while (true) {
                byte[] frame = connection.read();
                MessageBytes message = MessageBytes.of(frame, Integer.BYTES);
                if (Header.signal(message) == Signal.ECHO) {
                    connection.write(frame);
                } else if (tally.count(message)) {
                    connection.write(reply);
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

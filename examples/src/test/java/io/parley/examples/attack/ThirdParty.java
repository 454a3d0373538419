package io.parley.examples.attack;

import io.parley.transport.EndpointAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A server without a part in the network, which counts the connections to it. */
final class ThirdParty implements AutoCloseable {

    private static final int BACKLOG = 1000;

    private final ServerSocket server;
    private final boolean silent;
    private final Queue<Socket> accepted = new ConcurrentLinkedQueue<>();

    /** @param silent whether it keeps connections without a response; otherwise it closes them */
    ThirdParty(String host, boolean silent) throws IOException {
        this.server = new ServerSocket(0, BACKLOG, InetAddress.getByName(host));
        this.silent = silent;
        Thread thread = new Thread(this::acceptAll, "third party");
        thread.setDaemon(true);
        thread.start();
    }

    private void acceptAll() {
        try {
            while (true) {
                Socket socket = server.accept();
                accepted.add(socket);
                if (!silent) {
                    socket.close();
                }
            }
        } catch (IOException e) {
            // closed
        }
    }

    EndpointAddress address() {
        return new EndpointAddress("tcp", server.getInetAddress().getHostAddress(), server.getLocalPort());
    }

    int dials() {
        return accepted.size();
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : accepted) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

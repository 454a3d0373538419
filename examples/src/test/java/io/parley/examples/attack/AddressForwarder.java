package io.parley.examples.attack;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Forwards connections from another local address, so that a peer in this JVM appears to be another host. */
final class AddressForwarder implements AutoCloseable {

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final String from;
    private final InetSocketAddress target;

    /** Starts the forwarder. Its connections to {@code target} come from the address {@code from}. */
    AddressForwarder(String from, InetSocketAddress target) throws IOException {
        this.from = from;
        this.target = target;
        start(this::acceptAll);
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "forwarder");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return server.getLocalPort();
    }

    private void acceptAll() {
        try {
            while (true) {
                Socket near = server.accept();
                Socket far = new Socket(target.getAddress(), target.getPort(), InetAddress.getByName(from), 0);
                sockets.add(near);
                sockets.add(far);
                start(() -> copy(near, far));
                start(() -> copy(far, near));
            }
        } catch (IOException e) {
            // The forwarder is closed.
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.setTcpNoDelay(true);
            to.setTcpNoDelay(true);
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            in.transferTo(out);
        } catch (IOException e) {
            // One of the peers has closed its connection.
        }
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

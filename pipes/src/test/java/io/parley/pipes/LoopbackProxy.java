package io.parley.pipes;

import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A TCP proxy on loopback in front of one server. A program in the middle decides which bytes it forwards. Thread-safe. */
final class LoopbackProxy implements AutoCloseable {

    /** The program in the middle. */
    interface Middle {

        /**
         * Forwards bytes, unchanged or not. Called for one read of a connection and direction at a time.
         *
         * @param toTarget whether the dialer has sent the bytes
         * @param bytes    the buffer, of which the first {@code length} bytes were read
         * @param out      the other end
         */
        void forward(boolean toTarget, byte[] bytes, int length, OutputStream out) throws IOException;
    }

    private static final int READ_BYTES = 4096;

    private final ServerSocket server;
    private final int targetPort;
    private final Middle middle;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /** Starts the proxy on a free port. */
    LoopbackProxy(int targetPort, Middle middle) throws IOException {
        this.targetPort = targetPort;
        this.middle = middle;
        this.server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Returns the address of the proxy for dialers that expect this peer. */
    PeerAddress address(PeerId peer) {
        return new PeerAddress(peer, List.of(EndpointAddress.parse("tcp://127.0.0.1:" + port())));
    }

    private interface Task {

        void run() throws IOException;
    }

    private static void start(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // a socket is closed
                    }
                },
                "loopback-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket dialer = server.accept();
            sockets.add(dialer);
            Socket target;
            try {
                target = new Socket(InetAddress.getLoopbackAddress(), targetPort);
            } catch (IOException e) { // the target does not listen now
                sockets.remove(dialer);
                dialer.close();
                continue;
            }
            sockets.add(target);
            start(() -> forward(dialer, target, true));
            start(() -> forward(target, dialer, false));
        }
    }

    private void forward(Socket from, Socket to, boolean toTarget) throws IOException {
        byte[] buffer = new byte[READ_BYTES];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                middle.forward(toTarget, buffer, read, out);
            }
        } finally {
            sockets.remove(from);
            sockets.remove(to);
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

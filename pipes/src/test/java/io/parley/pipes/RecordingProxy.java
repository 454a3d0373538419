package io.parley.pipes;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A TCP proxy on loopback that records the bytes that dialers send. Thread-safe. */
final class RecordingProxy implements AutoCloseable {

    private final ServerSocket server;
    private final int targetPort;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();

    RecordingProxy(int targetPort) throws IOException {
        this.targetPort = targetPort;
        this.server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Returns whether the recorded bytes contain these. */
    boolean contains(byte[] bytes) {
        synchronized (recorded) {
            return recorded.toString(StandardCharsets.ISO_8859_1)
                    .contains(new String(bytes, StandardCharsets.ISO_8859_1));
        }
    }

    boolean contains(String text) {
        return contains(text.getBytes(StandardCharsets.UTF_8));
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
                "recording-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket dialer = server.accept();
            Socket target = new Socket(InetAddress.getLoopbackAddress(), targetPort);
            sockets.add(dialer);
            sockets.add(target);
            start(() -> forward(dialer, target, true));
            start(() -> forward(target, dialer, false));
        }
    }

    private void forward(Socket from, Socket to, boolean record) throws IOException {
        byte[] buffer = new byte[8192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (record) {
                    synchronized (recorded) {
                        recorded.write(buffer, 0, read);
                    }
                }
                to.getOutputStream().write(buffer, 0, read);
            }
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

package io.parley.pipes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A TCP proxy on loopback that changes, drops or repeats some of the bytes that it forwards in both directions. Thread-safe. */
final class TamperingProxy implements AutoCloseable {

    private final ServerSocket server;
    private final int targetPort;
    private final int meanBytes;
    private final Random random;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger changes = new AtomicInteger();
    private volatile boolean honest;

    /** @param meanBytes about the number of bytes from one change to the next one */
    TamperingProxy(int targetPort, int meanBytes, long seed) throws IOException {
        this.targetPort = targetPort;
        this.meanBytes = meanBytes;
        this.random = new Random(seed);
        this.server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    int changes() {
        return changes.get();
    }

    /** Forwards everything unchanged from now on. */
    void becomeHonest() {
        honest = true;
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
                "tampering-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket dialer = server.accept();
            Socket target = new Socket(InetAddress.getLoopbackAddress(), targetPort);
            sockets.add(dialer);
            sockets.add(target);
            start(() -> forward(dialer, target));
            start(() -> forward(target, dialer));
        }
    }

    private void forward(Socket from, Socket to) throws IOException {
        byte[] buffer = new byte[4096];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                forward(buffer, read, out);
            }
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void forward(byte[] bytes, int length, OutputStream out) throws IOException {
        int kind;
        int position;
        synchronized (random) {
            kind = !honest && random.nextInt(meanBytes) < length ? random.nextInt(4) : -1;
            position = random.nextInt(length);
        }
        if (kind >= 0) {
            changes.incrementAndGet();
        }
        switch (kind) {
            case 0 -> { // drops the rest
                out.write(bytes, 0, position);
            }
            case 1 -> { // repeats the rest
                out.write(bytes, 0, length);
                out.write(bytes, position, length - position);
            }
            case 2, 3 -> {
                bytes[position] ^= (byte) (1 << (position % 8));
                out.write(bytes, 0, length);
            }
            default -> out.write(bytes, 0, length);
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

package io.parley.bench.worker;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A TCP proxy on loopback that counts the bytes of each direction: what a contender puts on the wire above TCP. It
 * slows its contender down, so it is never used where time is measured.
 */
final class WireTap implements AutoCloseable {

    private static final int COPY_BYTES = 64 << 10;
    private static final int BACKLOG = 16;

    private final ServerSocket listener;
    private final CompletableFuture<Integer> target = new CompletableFuture<>();
    private final AtomicLong toTarget = new AtomicLong();
    private final AtomicLong fromTarget = new AtomicLong();

    private WireTap(ServerSocket listener) {
        this.listener = listener;
    }

    static WireTap open() throws IOException {
        WireTap tap = new WireTap(new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()));
        daemon("tap-accept", tap::accept);
        return tap;
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Where connections go; those made earlier wait for it. */
    void target(int port) {
        target.complete(port);
    }

    /** Bytes sent to and received from the target so far. */
    Bytes bytes() {
        return new Bytes(toTarget.get(), fromTarget.get());
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            client.setTcpNoDelay(true);
            daemon("tap-connect", () -> {
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target.join());
                server.setTcpNoDelay(true);
                daemon("tap-to", () -> copy(client, server, toTarget));
                daemon("tap-from", () -> copy(server, client, fromTarget));
            });
        }
    }

    private static void copy(Socket from, Socket to, AtomicLong counter) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[COPY_BYTES];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                counter.addAndGet(read);
                out.write(buffer, 0, read);
            }
        }
    }

    private static void daemon(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException closed) {
                        // one side is done, and so is this copy
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    /** Bytes of both directions. */
    record Bytes(long toTarget, long fromTarget) {}

    private interface Work {
        void run() throws IOException;
    }
}

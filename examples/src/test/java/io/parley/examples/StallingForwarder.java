package io.parley.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;

/**
 * Forwards connections to a process. Each of them delivers a number of bytes of the process and then nothing more, so that a
 * transfer is incomplete whenever the test kills one of its processes.
 */
final class StallingForwarder implements AutoCloseable {

    private static final int BUFFER_BYTES = 64 * 1024;

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final URI target;
    private final long limit;

    /**
     * Starts the forwarder.
     *
     * @param target the address of the process
     * @param limit  the bytes of the process that each connection delivers
     */
    StallingForwarder(String target, long limit) throws IOException {
        this.target = URI.create(target);
        this.limit = limit;
        start(this::acceptAll);
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "forwarder");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns the ticket of the process with the address of this forwarder. */
    String ticket(String ticket) {
        return ParleyProcess.ticketAt("tcp://127.0.0.1:" + server.getLocalPort(), ticket);
    }

    private void acceptAll() {
        try {
            while (true) {
                forward(server.accept());
            }
        } catch (IOException e) {
            // The forwarder is closed.
        }
    }

    private void forward(Socket near) throws IOException {
        try {
            Socket far = new Socket(target.getHost(), target.getPort());
            start(() -> copy(near, far, Long.MAX_VALUE));
            start(() -> copy(far, near, limit));
        } catch (IOException e) {
            near.close(); // the process does not run
        }
    }

    private static void copy(Socket from, Socket to, long limit) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[BUFFER_BYTES];
            long left = limit;
            for (int read; (read = in.read(buffer)) >= 0; left -= Math.min(read, left)) {
                out.write(buffer, 0, (int) Math.min(read, left));
            }
        } catch (IOException e) {
            // One of the processes has closed its connection.
        }
    }

    /** Accepts no further connections. Those that are open end with the processes. */
    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

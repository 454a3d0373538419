package io.parley.examples.demo;

import io.parley.examples.console.CommandFailedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;

/**
 * A server that returns what it receives, and its client, with plain sockets that know nothing of peers. The client connects to the
 * port that another process forwards to the server.
 */
final class DemoSocket implements AutoCloseable {

    private static final int BYTES = 16 * 1024 * 1024;
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());

    /** Starts the server. It accepts one connection. */
    DemoSocket() throws IOException {
        startThread("echo", () -> {
            try (Socket socket = server.accept()) {
                socket.getInputStream().transferTo(socket.getOutputStream());
            } catch (IOException e) {
                // The client finds the end of the stream too early.
            }
        });
    }

    private static void startThread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns the port of the server. */
    int port() {
        return server.getLocalPort();
    }

    /**
     * Connects to a port, sends bytes, ends that direction, and reads to the end of the other one.
     *
     * @return the number of bytes that have come back unchanged
     * @throws CommandFailedException if other bytes have come back
     */
    static int exchange(int port) throws IOException {
        byte[] sent = new byte[BYTES];
        new Random(7).nextBytes(sent);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) TIMEOUT.toMillis());
            startThread("socket-sender", () -> send(socket, sent));
            byte[] received = socket.getInputStream().readAllBytes();
            if (!Arrays.equals(sent, received)) {
                throw new CommandFailedException("Not verified: the bytes of the socket. Sent " + sent.length
                        + " bytes, got " + received.length + " bytes or other ones.");
            }
            return received.length;
        }
    }

    private static void send(Socket socket, byte[] bytes) {
        try {
            for (int sent = 0; sent < bytes.length; sent += BUFFER_BYTES) {
                socket.getOutputStream().write(bytes, sent, Math.min(BUFFER_BYTES, bytes.length - sent));
            }
            socket.shutdownOutput();
        } catch (IOException e) {
            // The reader has the failure.
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}

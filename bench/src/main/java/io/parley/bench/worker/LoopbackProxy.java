package io.parley.bench.worker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;

/** A TCP proxy on loopback. Its {@link Copier} defines how bytes are copied. */
final class LoopbackProxy implements AutoCloseable {

    private static final int BACKLOG = 16;

    private final ServerSocket listener;
    private final Copier copier;
    private final CompletableFuture<Integer> target = new CompletableFuture<>();

    private LoopbackProxy(ServerSocket listener, Copier copier) {
        this.listener = listener;
        this.copier = copier;
    }

    static LoopbackProxy open(Copier copier) throws IOException {
        LoopbackProxy proxy = new LoopbackProxy(new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()), copier);
        daemon("proxy-accept", proxy::accept);
        return proxy;
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Sets the port to which the proxy connects. Connections accepted earlier wait for this call. */
    void target(int port) {
        target.complete(port);
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            client.setTcpNoDelay(true);
            daemon("proxy-connect", () -> {
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target.join());
                server.setTcpNoDelay(true);
                daemon("proxy-to", () -> copy(client, server, true));
                daemon("proxy-from", () -> copy(server, client, false));
            });
        }
    }

    private void copy(Socket from, Socket to, boolean toTarget) throws IOException, InterruptedException {
        try (from;
                to) {
            copier.copy(from, to, toTarget);
        }
    }

    static void daemon(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException | InterruptedException closed) {
                        // one side closed the connection, which ends this copy
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

    /** Copies one direction of a connection until its end. */
    interface Copier {
        void copy(Socket from, Socket to, boolean toTarget) throws IOException, InterruptedException;
    }

    interface Work {
        void run() throws IOException, InterruptedException;
    }
}

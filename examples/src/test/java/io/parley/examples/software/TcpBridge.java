package io.parley.examples.software;

import io.parley.sockets.PeerServerSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Connects each socket of a service to a TCP port of this machine, and copies both directions. Closing it closes all. */
final class TcpBridge implements AutoCloseable {

    private final PeerServerSocket server;
    private final int port;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private TcpBridge(PeerServerSocket server, int port) {
        this.server = server;
        this.port = port;
    }

    static TcpBridge start(PeerServerSocket server, int port) {
        TcpBridge bridge = new TcpBridge(server, port);
        bridge.thread("accepts", bridge::accept);
        return bridge;
    }

    private void thread(String what, Runnable task) {
        Thread thread = new Thread(task, "bridge to port " + port + " " + what);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket accepted = server.accept();
                open.add(accepted);
                thread("serves", () -> serve(accepted));
            } catch (IOException e) {
                if (server.isClosed()) {
                    return; // the end of the test
                }
                throw new IllegalStateException(e);
            }
        }
    }

    private void serve(Socket accepted) {
        try (accepted;
                Socket local = new Socket(InetAddress.getLoopbackAddress(), port)) {
            open.add(local);
            local.setTcpNoDelay(true);
            Thread back = new Thread(() -> copy(local, accepted), "bridge to port " + port + " copies back");
            back.setDaemon(true);
            back.start();
            copy(accepted, local);
            back.join();
            open.remove(local);
        } catch (IOException e) {
            // The client notices that the socket is closed.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(accepted);
        }
    }

    /** Copies one direction, and then its end: a lost connection closes both. */
    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed in any case.
        }
    }

    /** Returns the number of connections of this bridge, both sides together. */
    int openSockets() {
        return open.size();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        open.forEach(TcpBridge::closeQuietly);
    }
}

package io.parley.testkit;

import io.parley.testkit.CutPlan.Cut;
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
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on loopback in front of one server. It forwards bytes, and cuts connections by a {@link CutPlan}. New connections
 * pass. Thread-safe.
 */
public final class CuttingProxy implements AutoCloseable {

    private static final int BACKLOG = 64;
    private static final int READ_BYTES = 64 * 1024;

    /** Small, so that the bytes that were forwarded have also arrived, except for these. */
    private static final int SOCKET_BUFFER_BYTES = 64 * 1024;

    private final int targetPort;
    private final CutPlan plan;
    private final Runnable onMoved;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong forwardedBytes = new AtomicLong();
    private volatile ServerSocket server;
    private volatile boolean closed;

    /**
     * Starts the proxy on a free port.
     *
     * @param onMoved called after {@link #port} has changed
     */
    public CuttingProxy(int targetPort, CutPlan plan, Runnable onMoved) {
        this.targetPort = targetPort;
        this.plan = plan;
        this.onMoved = onMoved;
        this.server = listen();
    }

    private ServerSocket listen() {
        ServerSocket opened;
        try {
            opened = new ServerSocket();
            opened.setReceiveBufferSize(SOCKET_BUFFER_BYTES);
            opened.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("cutting-proxy-accept", () -> accept(opened));
        return opened;
    }

    /** Returns the port on which the proxy listens now. */
    public int port() {
        return server.getLocalPort();
    }

    /** Returns the number of bytes that were forwarded, in both directions. */
    public long forwardedBytes() {
        return forwardedBytes.get();
    }

    private void accept(ServerSocket from) throws IOException {
        while (true) {
            Socket dialer = from.accept();
            start("cutting-proxy-connect", () -> connect(dialer));
        }
    }

    private void connect(Socket dialer) throws IOException {
        Socket target = new Socket();
        try {
            keep(dialer);
            keep(target);
            dialer.setSendBufferSize(SOCKET_BUFFER_BYTES);
            target.setReceiveBufferSize(SOCKET_BUFFER_BYTES);
            target.setSendBufferSize(SOCKET_BUFFER_BYTES);
            target.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort));
            ProxiedConnection connection = new ProxiedConnection(dialer, target);
            start("cutting-proxy-to-target", () -> connection.forward(dialer, target));
            start("cutting-proxy-to-dialer", () -> connection.forward(target, dialer));
        } catch (IOException failed) {
            discard(dialer);
            discard(target);
            throw failed;
        }
    }

    /** Keeps a socket until it is discarded or the proxy closes, which may happen at the same time. */
    private void keep(Socket socket) throws IOException {
        sockets.add(socket);
        if (closed) {
            throw new IOException("closed");
        }
    }

    private void discard(Socket socket) throws IOException {
        socket.close();
        sockets.remove(socket);
    }

    /** Listens on another port and refuses connections to the earlier one. */
    private void move() throws IOException {
        ServerSocket left = server;
        server = listen();
        left.close();
        if (closed) {
            server.close();
        }
        onMoved.run();
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException closed) {
                        // The proxy or one end has closed the socket.
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** A connection to the proxy and its connection to the target. */
    private final class ProxiedConnection {

        private final Socket dialer;
        private final Socket target;
        private volatile CutPlan.@Nullable Kind cut;
        private int ended;

        ProxiedConnection(Socket dialer, Socket target) throws IOException {
            this.dialer = dialer;
            this.target = target;
            dialer.setTcpNoDelay(true);
            target.setTcpNoDelay(true);
        }

        /** Forwards one direction until its end. */
        void forward(Socket from, Socket to) throws IOException {
            try {
                copy(from.getInputStream(), to.getOutputStream());
                if (cut == null) {
                    to.shutdownOutput();
                }
            } catch (IOException e) {
                if (cut == null) {
                    reset();
                }
            } finally {
                end();
            }
        }

        private void copy(InputStream in, OutputStream out) throws IOException {
            byte[] buffer = new byte[READ_BYTES];
            for (int read = in.read(buffer); read >= 0 && cut != CutPlan.Kind.STALL; read = in.read(buffer)) {
                if (cut != null) {
                    continue; // swallowed
                }
                Cut next = plan.next(read);
                int forwarded = next == null ? read : next.forwarded();
                out.write(buffer, 0, forwarded);
                forwardedBytes.addAndGet(forwarded);
                if (next != null) {
                    cut(next);
                }
            }
        }

        private void cut(Cut made) throws IOException {
            cut = made.kind();
            if (made.kind() == CutPlan.Kind.RESET) {
                reset();
            }
            if (made.moves()) {
                move();
            }
        }

        private void reset() throws IOException {
            for (Socket socket : new Socket[] {dialer, target}) {
                if (!socket.isClosed()) {
                    socket.setSoLinger(true, 0);
                    socket.close();
                }
            }
        }

        /** Closes the sockets when both directions have ended; those of a stalled connection stay open until the proxy closes. */
        private synchronized void end() throws IOException {
            if (++ended == 2 && cut != CutPlan.Kind.STALL) {
                for (Socket socket : new Socket[] {dialer, target}) {
                    discard(socket);
                }
            }
        }
    }
}

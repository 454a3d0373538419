package io.parley.examples.forward;

import io.parley.sockets.SocketLimits;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Accepts connections of a server socket and forwards each of them: between a TCP port and a service of a peer, in either direction.
 * Each connection has two threads; a connection beyond the maximum number is reset. Closing resets all of them. Thread-safe.
 */
public final class ConnectionForwarder implements AutoCloseable {

    /** The default maximum number of connections at the same time. */
    public static final int MAX_CONNECTIONS = 512;

    /** The time that a program may take to read the rest of a connection that the other program has closed. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofHours(1);

    private static final Duration ACCEPT_PAUSE = Duration.ofMillis(100);

    /** The time that a connection has to leave its place after its sockets are closed. */
    private static final Duration PLACE_TIMEOUT = Duration.ofSeconds(1);

    private final ServerSocket server;
    private final OnwardConnector connector;
    private final int maxConnections;
    private final ConnectionLog failures;
    private final Duration placeTimeout;
    private final Semaphore free;
    private final Set<ForwardedConnection> open = ConcurrentHashMap.newKeySet();

    /** Whether the last connection was refused. Used by the thread that accepts. */
    private boolean full;

    private volatile boolean closed;

    private ConnectionForwarder(
            ServerSocket server,
            OnwardConnector connector,
            int maxConnections,
            Duration placeTimeout,
            ConnectionLog failures) {
        this.server = server;
        this.connector = connector;
        this.maxConnections = maxConnections;
        this.placeTimeout = placeTimeout;
        this.failures = failures;
        this.free = new Semaphore(maxConnections);
    }

    /** Starts to accept. The forwarder closes the server socket when it is closed. */
    public static ConnectionForwarder start(
            ServerSocket server, OnwardConnector connector, int maxConnections, ConnectionLog failures) {
        return start(server, connector, maxConnections, PLACE_TIMEOUT, failures);
    }

    /** Starts to accept, and gives a connection that time to leave its place. */
    static ConnectionForwarder start(
            ServerSocket server,
            OnwardConnector connector,
            int maxConnections,
            Duration placeTimeout,
            ConnectionLog failures) {
        ConnectionForwarder forwarder =
                new ConnectionForwarder(server, connector, maxConnections, placeTimeout, failures);
        startThread("forward-accept", forwarder::acceptAll);
        return forwarder;
    }

    /**
     * Returns the limits of sockets whose connections are forwarded.
     *
     * @param resumeTimeout time for which a stream waits for a lost connection
     */
    public static SocketLimits socketLimits(Duration resumeTimeout) {
        return SocketLimits.DEFAULTS.toBuilder()
                .resumeTimeout(resumeTimeout)
                .closeTimeout(CLOSE_TIMEOUT)
                .build();
    }

    private static void startThread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void acceptAll() {
        for (int number = 1; !server.isClosed(); number++) {
            try {
                forward(server.accept(), number);
            } catch (IOException e) {
                if (server.isClosed()) {
                    return;
                }
                failures.failed("Cannot accept a connection", e);
                LockSupport.parkNanos(ACCEPT_PAUSE.toNanos()); // for example, there are too many open files
            }
        }
    }

    private void forward(Socket accepted, int number) {
        if (!awaitPlace()) {
            ForwardedConnection.reset(accepted);
            failures.print("Connection refused: " + maxConnections
                    + " connections are open. Close some, or use a larger --max-connections.");
            return;
        }
        ForwardedConnection connection = new ForwardedConnection(accepted, connector, failures);
        open.add(connection);
        if (closed) {
            connection.abort();
        }
        try {
            startThread("forward-" + number, () -> {
                try {
                    connection.run();
                } finally {
                    remove(connection);
                }
            });
        } catch (OutOfMemoryError e) { // no further thread
            connection.abort();
            remove(connection);
            failures.failed("Connection refused", new IOException("There are too many threads", e));
        }
    }

    /**
     * Waits for a place: that of a connection which both programs have closed may be occupied for another moment. After a wait in vain,
     * further connections do not wait until one has found a place, so that many at once are refused at once.
     */
    private boolean awaitPlace() {
        try {
            full = !free.tryAcquire(full ? 0 : placeTimeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            full = true;
        }
        return !full;
    }

    private void remove(ForwardedConnection connection) {
        if (open.remove(connection)) {
            free.release();
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            server.close();
        } catch (IOException e) {
            failures.failed("Cannot close the server socket", e);
        }
        open.forEach(ForwardedConnection::abort);
    }
}

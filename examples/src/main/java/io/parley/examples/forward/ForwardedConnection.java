package io.parley.examples.forward;

import io.parley.sockets.PeerSocket;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that is forwarded: copies the bytes of two sockets in both directions, each on a thread of its own. The end of a
 * direction is passed on, and the other direction continues. The reset of a socket resets the other one; what was written before an
 * orderly end is never dropped.
 */
final class ForwardedConnection {

    private static final Logger log = LoggerFactory.getLogger(ForwardedConnection.class);

    private static final int BUFFER_BYTES = 64 * 1024;

    /** The time for which bytes that no program takes are read after all bytes of the other direction were passed on. */
    private static final Duration DRAIN_TIME = Duration.ofSeconds(5);

    private static final int DRAIN_POLL_MILLIS = 100;

    /** A direction, in which all bytes and the end were passed on if it is complete. */
    private static final class Direction {
        final Socket from;
        final Socket to;
        volatile boolean complete;

        Direction(Socket from, Socket to) {
            this.from = from;
            this.to = to;
        }
    }

    private final Socket accepted;
    private final OnwardConnector connector;
    private final ConnectionLog failures;

    /** Guards the fields below. */
    private final Object state = new Object();

    private @Nullable Socket onward;
    private boolean aborted;

    ForwardedConnection(Socket accepted, OnwardConnector connector, ConnectionLog failures) {
        this.accepted = accepted;
        this.connector = connector;
        this.failures = failures;
    }

    /** Connects and copies until both directions have ended. Returns after both sockets are closed. */
    void run() {
        Socket connected;
        try {
            setOptions(accepted);
            connected = connector.connect(accepted);
        } catch (IOException | RuntimeException e) {
            reset(accepted);
            if (!isAborted()) {
                failures.failed("Connection closed", e);
            }
            return;
        }
        synchronized (state) {
            onward = connected;
        }
        if (isAborted()) { // meanwhile
            abort();
            return;
        }
        try {
            setOptions(connected);
            copyBoth(connected);
        } catch (IOException e) {
            log.debug("Connection failed", e);
            abort();
        } finally {
            close(accepted);
            close(connected);
        }
    }

    private static void setOptions(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
    }

    private void copyBoth(Socket connected) {
        Direction there = new Direction(accepted, connected);
        Direction back = new Direction(connected, accepted);
        Thread other =
                new Thread(() -> copy(back, there), Thread.currentThread().getName() + "-back");
        other.setDaemon(true);
        try {
            other.start();
            copy(there, back);
            other.join();
        } catch (OutOfMemoryError e) { // no further thread
            abort();
            failures.failed("Connection closed", new IOException("There are too many threads", e));
        } catch (InterruptedException e) {
            abort();
            Thread.currentThread().interrupt();
        }
    }

    private static void copy(Direction direction, Direction reverse) {
        byte[] buffer = new byte[BUFFER_BYTES];
        while (true) {
            int count;
            try {
                InputStream in = direction.from.getInputStream();
                count = in.read(buffer);
            } catch (IOException e) { // it was reset
                log.debug("Lost {}", direction.from, e);
                reset(direction.to);
                reset(direction.from);
                return;
            }
            try {
                if (count < 0) {
                    direction.to.shutdownOutput();
                    direction.complete = true;
                    return;
                }
                OutputStream out = direction.to.getOutputStream();
                out.write(buffer, 0, count);
            } catch (IOException e) { // it is closed
                log.debug("Lost {}", direction.to, e);
                if (reverse.complete || mayEndInOrder(direction.to, e)) {
                    drain(direction.from, reverse);
                } else {
                    reset(direction.to);
                    reset(direction.from);
                }
                return;
            }
        }
    }

    /**
     * Reads what no program takes any more, until the end, or for a while after the other direction is complete. A close with unread
     * bytes would reset the connection, and the bytes of the other direction that the network has not taken yet would be lost.
     */
    private static void drain(Socket from, Direction reverse) {
        byte[] buffer = new byte[BUFFER_BYTES];
        long deadline = 0;
        try {
            InputStream in = from.getInputStream();
            from.setSoTimeout(DRAIN_POLL_MILLIS);
            while (true) {
                if (reverse.complete && deadline == 0) {
                    deadline = System.nanoTime() + DRAIN_TIME.toNanos();
                } else if (reverse.complete && System.nanoTime() - deadline > 0) {
                    return;
                }
                try {
                    if (in.read(buffer) < 0) {
                        return;
                    }
                } catch (SocketTimeoutException e) {
                    log.trace("Nothing to drain from {}", from);
                }
            }
        } catch (IOException e) { // it was closed or reset
            log.debug("Lost {}", from, e);
        }
    }

    /**
     * Returns whether a socket may still have bytes and an end, although it takes no more bytes: the program at its other end has
     * written, closed, and not read everything. A reset would lose what it has written.
     */
    private static boolean mayEndInOrder(Socket to, IOException failureOfWrite) {
        // A TCP socket that was reset has the end of the stream after it has reported the reset once; one that was
        // closed, and then
        // reset because it takes no more bytes, reports a broken pipe.
        return to instanceof PeerSocket || "Broken pipe".equals(failureOfWrite.getMessage());
    }

    private boolean isAborted() {
        synchronized (state) {
            return aborted;
        }
    }

    /** Resets both sockets, so that neither program takes this for the end of the data. */
    void abort() {
        Socket connected;
        synchronized (state) {
            aborted = true;
            connected = onward;
        }
        reset(accepted);
        if (connected != null) {
            reset(connected);
        }
    }

    /** Closes a socket at once. The other end sees a reset. */
    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            log.trace("Already closed", e);
        }
        close(socket);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            log.debug("Cannot close {}", socket, e);
        }
    }
}

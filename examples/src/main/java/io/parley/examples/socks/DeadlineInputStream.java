package io.parley.examples.socks;

import java.io.FilterInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** The input of a socket until a deadline for all reads together, so that a client cannot prolong it by single bytes. */
final class DeadlineInputStream extends FilterInputStream {

    private final Socket socket;
    private final Duration timeout;
    private final long deadlineNanos;

    DeadlineInputStream(Socket socket, Duration timeout) throws IOException {
        super(socket.getInputStream());
        this.socket = socket;
        this.timeout = timeout;
        this.deadlineNanos = System.nanoTime() + timeout.toNanos();
    }

    private void setTimeout() throws IOException {
        long leftMillis = Duration.ofNanos(deadlineNanos - System.nanoTime()).toMillis();
        if (leftMillis <= 0) {
            throw new SocketTimeoutException("no complete request within " + timeout.toSeconds() + " s");
        }
        socket.setSoTimeout((int) leftMillis);
    }

    @Override
    public int read() throws IOException {
        setTimeout();
        return super.read();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        setTimeout();
        return super.read(target, offset, length);
    }

    /** Removes the timeout of the socket. */
    void end() throws IOException {
        socket.setSoTimeout(0);
    }
}

package io.parley.sockets;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;

/** The exceptions of sockets, with the types and the first words of the JDK's. */
final class SocketFailures {

    static final String SOCKET_CLOSED = "Socket closed";

    private SocketFailures() {}

    static SocketException closed() {
        return new SocketException(SOCKET_CLOSED);
    }

    /** Returns the failure of a read. */
    static SocketException reset(Object stream, ParleyException reason) {
        return failure("Connection reset", stream, reason);
    }

    /** Returns the failure of a write. */
    static SocketException brokenPipe(Object stream, ParleyException reason) {
        return failure("Broken pipe", stream, reason);
    }

    private static SocketException failure(String words, Object stream, ParleyException reason) {
        return withCause(
                new SocketException(words + ": " + stream + ": " + reason.getMessage() + "; connect again"), reason);
    }

    /**
     * Returns the failure of a connect.
     *
     * @param host   what the caller wanted to connect to
     * @param toPeer whether the caller has named the peer
     */
    static IOException ofConnect(Object host, boolean toPeer, ParleyException reason) {
        String text = host + ": " + reason.getMessage();
        ErrorCode code = reason.code();
        if (code == ErrorCode.TIMEOUT || (code == ErrorCode.UNREACHABLE && !toPeer)) {
            return withCause(new SocketTimeoutException("Connect timed out: " + text), reason);
        }
        if (code == ErrorCode.UNREACHABLE) {
            return withCause(new NoRouteToHostException("No route to host: " + text), reason);
        }
        return withCause(new ConnectException("Connection refused: " + text), reason);
    }

    /** Returns whether the acceptor was too busy, so that another attempt may succeed. */
    static boolean isBusy(IOException failure) {
        return failure.getCause() instanceof ParleyException reason && reason.code() == ErrorCode.BUSY;
    }

    private static <E extends IOException> E withCause(E failure, Throwable cause) {
        failure.initCause(cause);
        return failure;
    }
}

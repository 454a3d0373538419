package io.parley.examples.forward;

import io.parley.examples.console.TextFormatter;
import io.parley.examples.console.UsageException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;

/**
 * A TCP port to which connections of other peers are forwarded.
 *
 * @param host a host name or an IP address
 */
public record TcpTarget(String host, int port) implements OnwardConnector {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final int MAX_PORT = 65_535;

    /**
     * Parses {@code PORT}, {@code HOST:PORT} or {@code [IPv6]:PORT}.
     *
     * @throws UsageException if the text has none of these forms
     */
    public static TcpTarget parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "localhost" : text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw invalid(text);
        }
        int port = port(text.substring(colon + 1));
        if (host.isBlank() || port < 1) {
            throw invalid(text);
        }
        return new TcpTarget(host, port);
    }

    private static int port(String text) {
        try {
            int port = Integer.parseInt(text);
            return port <= MAX_PORT ? port : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static UsageException invalid(String text) {
        return new UsageException(
                "Not a TCP port: " + TextFormatter.oneLine(text) + ". Use HOST:PORT, [IPv6]:PORT or PORT.");
    }

    /** Connects to the first address of the host that accepts. */
    @Override
    public Socket connect(Socket accepted) throws IOException {
        try {
            return connect();
        } catch (UnknownHostException e) {
            throw failure("unknown host", e);
        } catch (IOException e) {
            throw failure(String.valueOf(e.getMessage()), e);
        }
    }

    private ConnectException failure(String reason, IOException cause) {
        ConnectException failure = new ConnectException("Cannot connect to " + this + ": " + reason);
        failure.initCause(cause);
        return failure;
    }

    private Socket connect() throws IOException {
        IOException last = new UnknownHostException(host);
        for (InetAddress address : InetAddress.getAllByName(host)) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(address, port), (int) CONNECT_TIMEOUT.toMillis());
                return socket;
            } catch (IOException e) {
                socket.close();
                last = e;
            }
        }
        throw last;
    }

    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}

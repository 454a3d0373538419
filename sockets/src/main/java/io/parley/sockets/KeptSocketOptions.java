package io.parley.sockets;

import java.net.SocketException;
import java.net.SocketOptions;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The options of a socket. Those without a meaning for a stream between peers are kept and returned. Thread-safe. */
final class KeptSocketOptions {

    private static final Map<Integer, Object> INITIAL = Map.ofEntries(
            Map.entry(SocketOptions.SO_TIMEOUT, 0),
            Map.entry(SocketOptions.SO_LINGER, PeerStream.NO_LINGER),
            Map.entry(SocketOptions.TCP_NODELAY, false),
            Map.entry(SocketOptions.SO_KEEPALIVE, false),
            Map.entry(SocketOptions.SO_OOBINLINE, false),
            Map.entry(SocketOptions.SO_REUSEADDR, false),
            Map.entry(SocketOptions.SO_REUSEPORT, false),
            Map.entry(SocketOptions.SO_BROADCAST, false),
            Map.entry(SocketOptions.IP_TOS, 0));

    private final Map<Integer, Object> values = new ConcurrentHashMap<>(INITIAL);

    /** @param bufferBytes the initial sizes of the buffers */
    KeptSocketOptions(int bufferBytes) {
        values.put(SocketOptions.SO_SNDBUF, bufferBytes);
        values.put(SocketOptions.SO_RCVBUF, bufferBytes);
    }

    void set(int option, Object value) throws SocketException {
        Object present = values.get(option);
        if (present == null) {
            throw new SocketException("Unknown option " + option);
        }
        boolean isOff = option == SocketOptions.SO_LINGER && Boolean.FALSE.equals(value);
        Object kept = isOff ? Integer.valueOf(PeerStream.NO_LINGER) : value;
        if (!present.getClass().isInstance(kept)) {
            throw new SocketException("Bad value for option " + option);
        }
        values.put(option, kept);
    }

    Object get(int option) throws SocketException {
        Object value = values.get(option);
        if (value == null) {
            throw new SocketException("Unknown option " + option);
        }
        return value;
    }

    private int number(int option) {
        return values.get(option) instanceof Integer number ? number : 0;
    }

    /** Returns the timeout of reads and accepts; zero for none. */
    Duration timeout() {
        return Duration.ofMillis(number(SocketOptions.SO_TIMEOUT));
    }

    int lingerSeconds() {
        return number(SocketOptions.SO_LINGER);
    }
}

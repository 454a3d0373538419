package io.parley.sockets;

import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import jdk.net.ExtendedSocketOptions;

/** The options of a socket. Those without a meaning for a stream between peers are kept and returned. Thread-safe. */
final class KeptSocketOptions {

    /** Numbers of options that the JDK does not number. */
    private static final int TCP_QUICKACK = -1;

    private static final int TCP_KEEPIDLE = -2;
    private static final int TCP_KEEPINTERVAL = -3;
    private static final int TCP_KEEPCOUNT = -4;

    /** Those of keep-alive are in seconds and a count; the defaults are the ones of Linux. */
    private static final Map<Integer, Object> INITIAL = Map.ofEntries(
            Map.entry(TCP_QUICKACK, false),
            Map.entry(TCP_KEEPIDLE, 7200),
            Map.entry(TCP_KEEPINTERVAL, 75),
            Map.entry(TCP_KEEPCOUNT, 9),
            Map.entry(SocketOptions.SO_TIMEOUT, 0),
            Map.entry(SocketOptions.SO_LINGER, PeerStream.NO_LINGER),
            Map.entry(SocketOptions.TCP_NODELAY, false),
            Map.entry(SocketOptions.SO_KEEPALIVE, false),
            Map.entry(SocketOptions.SO_OOBINLINE, false),
            Map.entry(SocketOptions.SO_REUSEADDR, false),
            Map.entry(SocketOptions.SO_REUSEPORT, false),
            Map.entry(SocketOptions.SO_BROADCAST, false),
            Map.entry(SocketOptions.IP_TOS, 0));

    /** With those of the platform, which clients of HTTP and databases set where a plain socket has them. */
    private static final Map<SocketOption<?>, Integer> OF_STREAMS = Map.ofEntries(
            Map.entry(StandardSocketOptions.SO_KEEPALIVE, SocketOptions.SO_KEEPALIVE),
            Map.entry(StandardSocketOptions.SO_SNDBUF, SocketOptions.SO_SNDBUF),
            Map.entry(StandardSocketOptions.SO_RCVBUF, SocketOptions.SO_RCVBUF),
            Map.entry(StandardSocketOptions.SO_REUSEADDR, SocketOptions.SO_REUSEADDR),
            Map.entry(StandardSocketOptions.SO_REUSEPORT, SocketOptions.SO_REUSEPORT),
            Map.entry(StandardSocketOptions.SO_LINGER, SocketOptions.SO_LINGER),
            Map.entry(StandardSocketOptions.IP_TOS, SocketOptions.IP_TOS),
            Map.entry(StandardSocketOptions.TCP_NODELAY, SocketOptions.TCP_NODELAY),
            Map.entry(ExtendedSocketOptions.TCP_QUICKACK, TCP_QUICKACK),
            Map.entry(ExtendedSocketOptions.TCP_KEEPIDLE, TCP_KEEPIDLE),
            Map.entry(ExtendedSocketOptions.TCP_KEEPINTERVAL, TCP_KEEPINTERVAL),
            Map.entry(ExtendedSocketOptions.TCP_KEEPCOUNT, TCP_KEEPCOUNT));

    private static final Map<SocketOption<?>, Integer> OF_SERVERS = Map.of(
            StandardSocketOptions.SO_RCVBUF, SocketOptions.SO_RCVBUF,
            StandardSocketOptions.SO_REUSEADDR, SocketOptions.SO_REUSEADDR,
            StandardSocketOptions.SO_REUSEPORT, SocketOptions.SO_REUSEPORT);

    private final Map<SocketOption<?>, Integer> supported;
    private final Map<Integer, Object> values = new ConcurrentHashMap<>(INITIAL);

    private KeptSocketOptions(Map<SocketOption<?>, Integer> supported, int bufferBytes) {
        this.supported = supported;
        values.put(SocketOptions.SO_SNDBUF, bufferBytes);
        values.put(SocketOptions.SO_RCVBUF, bufferBytes);
    }

    /** @param bufferBytes the initial sizes of the buffers */
    static KeptSocketOptions ofStream(int bufferBytes) {
        return new KeptSocketOptions(OF_STREAMS, bufferBytes);
    }

    /** @param bufferBytes the initial sizes of the buffers */
    static KeptSocketOptions ofServer(int bufferBytes) {
        return new KeptSocketOptions(OF_SERVERS, bufferBytes);
    }

    /** Returns the options that have a name. */
    Set<SocketOption<?>> supported() {
        return supported.keySet();
    }

    /** @throws UnsupportedOperationException if these options do not have that one */
    int number(SocketOption<?> option) {
        Integer number = supported.get(option);
        if (number == null) {
            throw new UnsupportedOperationException("'" + option + "' not supported");
        }
        return number;
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

package io.parley.transport.tcp;

import io.parley.transport.TransportLimits;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/** Limits the accepted connections whose handshake is not complete, in total and per host. Thread-safe. */
final class HandshakeLimiter {

    private final int max;
    private final int maxPerHost;
    private final Map<InetAddress, Integer> byHost = new HashMap<>();
    private int total;

    HandshakeLimiter(TransportLimits limits) {
        this.max = limits.maxHandshakes();
        this.maxPerHost = limits.maxHandshakesPerHost();
    }

    /** Acquires a handshake for the host; returns whether the limits permit it. If so, {@link #release} must follow. */
    synchronized boolean tryAcquire(InetAddress host) {
        int fromHost = byHost.getOrDefault(host, 0);
        if (total >= max || fromHost >= maxPerHost) {
            return false;
        }
        total++;
        byHost.put(host, fromHost + 1);
        return true;
    }

    /** Releases a handshake of the host. */
    synchronized void release(InetAddress host) {
        total--;
        byHost.computeIfPresent(host, (address, count) -> count == 1 ? null : count - 1);
    }
}

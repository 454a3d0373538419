package io.parley.transport.tcp;

import io.parley.transport.TransportLimits;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/** Counts the incoming connections that have not yet proven themselves, in all and by host. Safe from any thread. */
final class HandshakeLimiter {

    private final int max;
    private final int maxPerHost;
    private final Map<InetAddress, Integer> byHost = new HashMap<>();
    private int total;

    HandshakeLimiter(TransportLimits limits) {
        this.max = limits.maxHandshakes();
        this.maxPerHost = limits.maxHandshakesPerHost();
    }

    /** Whether one more from that host may begin; if so, {@link #end} has to follow. */
    synchronized boolean tryBegin(InetAddress host) {
        int fromHost = byHost.getOrDefault(host, 0);
        if (total >= max || fromHost >= maxPerHost) {
            return false;
        }
        total++;
        byHost.put(host, fromHost + 1);
        return true;
    }

    synchronized void end(InetAddress host) {
        total--;
        byHost.computeIfPresent(host, (address, count) -> count == 1 ? null : count - 1);
    }
}

package io.parley.transport.tcp;

import io.parley.common.Scheduler;
import io.parley.common.internal.HostPrefix;
import io.parley.common.internal.HostShares;
import io.parley.common.internal.KeyedRateLimiter;
import io.parley.transport.TransportLimits;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits the accepted connections whose handshake is not complete, in total and per host, and the rate of handshakes. The total is shared among the hosts: when
 * nothing is left, the oldest handshake of the host with the most gives way to that of a host below its share. Thread-safe.
 */
final class HandshakeLimiter {

    /** A handshake that is not complete. Compared by identity. */
    static final class Handshake {

        private final String host;
        private final Runnable onEvicted;

        private Handshake(String host, Runnable onEvicted) {
            this.host = host;
            this.onEvicted = onEvicted;
        }
    }

    /** The rate of all hosts together, as a multiple of the rate of one host. */
    private static final int ALL_HOSTS = 10;

    private static final int MAX_HOSTS = 4096;

    private final int maxPerHost;
    private final KeyedRateLimiter<String> rates;
    private final HostShares shares;
    private final Map<String, Set<Handshake>> byHost = new HashMap<>();

    HandshakeLimiter(TransportLimits limits, Scheduler scheduler) {
        int perSecond = limits.handshakesPerSecond();
        this.rates = new KeyedRateLimiter<>(perSecond, (long) ALL_HOSTS * perSecond, MAX_HOSTS, scheduler);
        this.maxPerHost = limits.maxHandshakesPerHost();
        this.shares = new HostShares(limits.maxHandshakes());
    }

    /**
     * Begins a handshake. {@link #release} must follow, also after it has given way.
     *
     * @param onEvicted called on any thread if the handshake gives way to another one; must not block
     * @return null if the limits do not permit it
     */
    @Nullable
    Handshake tryAcquire(InetAddress address, Runnable onEvicted) {
        String host = HostPrefix.of(address.getHostAddress());
        Handshake acquired = new Handshake(host, onEvicted);
        Handshake evicted = null;
        synchronized (this) {
            if (byHost.getOrDefault(host, Set.of()).size() >= maxPerHost || !rates.tryAcquire(host)) {
                return null;
            }
            if (!shares.tryAcquire(host, 1)) {
                evicted = shares.isBelowShare(host, 1) ? oldestOfLargestHost(host) : null;
                if (evicted == null) {
                    return null;
                }
                remove(evicted);
                shares.transfer(evicted.host, host, 1);
            }
            byHost.computeIfAbsent(host, absent -> new LinkedHashSet<>(2)).add(acquired);
        }
        if (evicted != null) {
            evicted.onEvicted.run();
        }
        return acquired;
    }

    private @Nullable Handshake oldestOfLargestHost(String newcomer) {
        return shares.largestHost()
                .filter(largest -> !largest.equals(newcomer))
                .flatMap(largest ->
                        byHost.getOrDefault(largest, Set.of()).stream().findFirst())
                .orElse(null);
    }

    /** Ends a handshake. Further calls have no effect. */
    synchronized void release(Handshake handshake) {
        if (remove(handshake)) {
            shares.release(handshake.host, 1);
        }
    }

    private boolean remove(Handshake handshake) {
        Set<Handshake> ofHost = byHost.get(handshake.host);
        if (ofHost == null || !ofHost.remove(handshake)) {
            return false;
        }
        if (ofHost.isEmpty()) {
            byHost.remove(handshake.host);
        }
        return true;
    }
}

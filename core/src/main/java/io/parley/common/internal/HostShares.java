package io.parley.common.internal;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Shares a limited number of units, such as connections or bytes, among remote hosts. Identities cost nothing and addresses do, so
 * hosts count, and not peers. Up to four fifths of the limit each host gets what it requests. Beyond, a host gets more only
 * up to an equal share, which is the limit divided by the hosts present; its network (IPv4 /24, IPv6 /48) gets up to four equal shares
 * of the networks present. So a host that comes late finds room, as long as the others are few. When nothing is left, a host below its
 * share {@linkplain #isBelowShare deserves} the place of the {@linkplain #largestHost largest} one. Thread-safe.
 */
public final class HostShares {

    private static final int NETWORK_FACTOR = 4;

    private final long limit;
    private final int minHosts;
    private final Map<String, Long> byHost = new HashMap<>();
    private final Map<String, Long> byNetwork = new HashMap<>();
    private long used;

    /** @param limit the number of units of all hosts together */
    public HostShares(long limit) {
        this(limit, 1);
    }

    /**
     * Creates shares that leave room for hosts that come later, for units that no host gives back for another one.
     *
     * @param limit    the number of units of all hosts together
     * @param minHosts the number of hosts by which the limit is divided at least: with two, a host that is alone gets four fifths
     */
    public HostShares(long limit, int minHosts) {
        this.limit = limit;
        this.minHosts = minHosts;
    }

    /**
     * Acquires units for a host. {@link #release} must follow.
     *
     * @param host a {@linkplain HostPrefix#of prefix}
     * @return whether there was room
     */
    public synchronized boolean tryAcquire(String host, long units) {
        boolean ample = used + units <= limit - limit / 5;
        if (used + units > limit || (!ample && !isBelowShare(host, units))) {
            return false;
        }
        acquire(host, units);
        return true;
    }

    /**
     * Gives units of one host to another one, whatever their shares are.
     *
     * @param from the host that has the units
     */
    public synchronized void transfer(String from, String to, long units) {
        release(from, units);
        acquire(to, units);
    }

    /** Acquires units for a host, also above the limit. {@link #release} must follow. */
    public synchronized void acquire(String host, long units) {
        byHost.merge(host, units, Long::sum);
        byNetwork.merge(HostPrefix.network(host), units, Long::sum);
        used += units;
    }

    /** Releases units of a host. */
    public synchronized void release(String host, long units) {
        subtract(byHost, host, units);
        subtract(byNetwork, HostPrefix.network(host), units);
        used -= units;
    }

    private static void subtract(Map<String, Long> uses, String key, long units) {
        uses.computeIfPresent(key, (same, use) -> use == units ? null : Long.valueOf(use - units));
    }

    /** Returns whether a host and its network would not use more than their shares, with the units added. */
    public synchronized boolean isBelowShare(String host, long units) {
        return isBelowShare(byHost, host, units, 1)
                && isBelowShare(byNetwork, HostPrefix.network(host), units, NETWORK_FACTOR);
    }

    private boolean isBelowShare(Map<String, Long> uses, String key, long units, int factor) {
        Long own = uses.get(key);
        int present = Math.max(minHosts, uses.size() + (own == null ? 1 : 0));
        return (own == null ? 0 : own) + units <= Math.min(limit, limit / present * factor);
    }

    /** Returns the host that uses most, in linear time. */
    public synchronized Optional<String> largestHost() {
        return byHost.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
    }

    /** Returns the number of units in use. */
    public synchronized long used() {
        return used;
    }
}

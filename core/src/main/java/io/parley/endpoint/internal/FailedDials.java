package io.parley.endpoint.internal;

import io.parley.common.Scheduler;
import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The addresses at which other peers were not found. Any peer can claim any address, so invented peers could make this peer
 * connect to a third party without end. After some failures, it does not dial the address for further peers for a while. A peer that has failed before may be tried again, because the dialer repeats its rounds with growing delays. Thread-safe.
 */
final class FailedDials {

    /** The number of peers for which an address is dialed in vain, per {@link #PERIOD}. */
    static final int MAX_PEERS = 10;

    static final Duration PERIOD = Duration.ofMinutes(1);

    private static final int MAX_ADDRESSES = 1024;

    /** The failures at one address since a time in nanoseconds. */
    private record Failures(long since, Set<PeerId> peers) {}

    private final Scheduler scheduler;

    private final Map<EndpointAddress, Failures> byAddress = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<EndpointAddress, Failures> eldest) {
            return size() > MAX_ADDRESSES;
        }
    };

    FailedDials(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** Returns whether an address may be dialed for a peer. */
    synchronized boolean mayDial(EndpointAddress address, PeerId peer) {
        Failures failures = byAddress.get(address);
        return failures == null
                || failures.peers.size() < MAX_PEERS
                || failures.peers.contains(peer)
                || isOver(failures);
    }

    /** Notes that a peer was not found at an address. */
    synchronized void add(EndpointAddress address, PeerId peer) {
        Failures failures = byAddress.get(address);
        if (failures == null || isOver(failures)) {
            byAddress.remove(address); // the new entry is the last one
            failures = new Failures(scheduler.nanoTime(), new HashSet<>(2));
            byAddress.put(address, failures);
        }
        failures.peers.add(peer);
    }

    private boolean isOver(Failures failures) {
        return scheduler.nanoTime() - failures.since >= PERIOD.toNanos();
    }
}

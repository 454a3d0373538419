package io.parley.transport;

import io.parley.common.Scheduler;
import io.parley.identity.Identity;

/**
 * The parts of a peer that its transports use.
 *
 * @param identity      the identity of the peer
 * @param security      the protection of connections
 * @param limits        the limits and timeouts
 * @param metrics       the counters, such as failed handshakes
 * @param scheduler     the source of time, timers and random numbers
 * @param ownEventLoops whether the transport must have event loops of its own; otherwise all transports of its kind in this JVM
 *     should share theirs
 */
public record TransportContext(
        Identity identity,
        TransportSecurity security,
        TransportLimits limits,
        EndpointMetrics metrics,
        Scheduler scheduler,
        boolean ownEventLoops) {

    /** Creates the context of a peer that shares event loops. */
    public TransportContext(
            Identity identity,
            TransportSecurity security,
            TransportLimits limits,
            EndpointMetrics metrics,
            Scheduler scheduler) {
        this(identity, security, limits, metrics, scheduler, false);
    }
}

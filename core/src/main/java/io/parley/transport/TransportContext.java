package io.parley.transport;

import io.parley.common.Scheduler;
import io.parley.identity.Identity;

/**
 * The parts of a peer that its transports use.
 *
 * @param identity  the identity of the peer
 * @param security  the protection of connections
 * @param limits    the limits and timeouts
 * @param metrics   the counters, such as failed handshakes
 * @param scheduler the source of time, timers and random numbers
 */
public record TransportContext(
        Identity identity,
        TransportSecurity security,
        TransportLimits limits,
        EndpointMetrics metrics,
        Scheduler scheduler) {}

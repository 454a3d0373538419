package io.parley.transport;

import io.parley.common.Scheduler;
import io.parley.identity.Identity;

/**
 * What a transport gets from its peer.
 *
 * @param identity who this peer is
 * @param security how connections are protected
 * @param limits   bounds and time-outs
 * @param metrics  where failed handshakes and the like are counted
 * @param scheduler the source of time
 */
public record TransportContext(
        Identity identity,
        TransportSecurity security,
        TransportLimits limits,
        EndpointMetrics metrics,
        Scheduler scheduler) {}

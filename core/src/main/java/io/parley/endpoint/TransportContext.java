package io.parley.endpoint;

import io.parley.identity.Identity;
import java.time.Clock;

/**
 * What a transport gets from its peer.
 *
 * @param identity who this peer is
 * @param security how connections are protected
 * @param limits   bounds and time-outs
 * @param metrics  where failed handshakes and the like are counted
 * @param clock    the time, for the validity of certificates
 */
public record TransportContext(
        Identity identity, TransportSecurity security, EndpointLimits limits, EndpointMetrics metrics, Clock clock) {}

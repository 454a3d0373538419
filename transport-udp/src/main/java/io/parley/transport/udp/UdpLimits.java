package io.parley.transport.udp;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * Bounds on what anybody on the network can make this peer do or hold. A rate allows bursts of two seconds' worth. An
 * honest peer stays below these by its {@code sentPerSecond}, which is not for the others to rely on.
 *
 * @param sentPerSecond            payloads that this peer propagates; more fail with
 *     {@link io.parley.error.ErrorCode#BUSY}
 * @param unsentBytes              what waits to be sent, since a large payload is not sent all at once
 * @param datagramsPerSource       datagrams per second that are looked at, from one address
 * @param datagramsInAll           the same, from all addresses
 * @param signaturesPerSource      signatures per second that are verified, of what came from one address
 * @param signaturesInAll          the same, from all addresses; each costs 0.1 to 0.2 ms, so this bounds the CPU time that
 *     others can take
 * @param maxSources               addresses whose rates are remembered
 * @param reassembliesPerSource    payloads in several datagrams that are incomplete at a time, from one address
 * @param reassembliesInAll        the same, from all addresses
 * @param reassemblyBytes          memory for incomplete payloads
 * @param reassemblyTimeout        how long the rest of a payload may take
 */
public record UdpLimits(
        int sentPerSecond,
        int unsentBytes,
        int datagramsPerSource,
        int datagramsInAll,
        int signaturesPerSource,
        int signaturesInAll,
        int maxSources,
        int reassembliesPerSource,
        int reassembliesInAll,
        int reassemblyBytes,
        Duration reassemblyTimeout) {

    /** The defaults: some hundred peers that speak now and then, and bursts when something begins. */
    public static final UdpLimits DEFAULTS =
            new UdpLimits(50, 1024 * 1024, 2000, 8000, 100, 200, 1024, 16, 256, 4 * 1024 * 1024, Duration.ofSeconds(5));

    /** @throws IllegalArgumentException naming the limit, its value and its range */
    public UdpLimits {
        Arguments.atLeast("sentPerSecond", sentPerSecond, 1);
        Arguments.atLeast("unsentBytes", unsentBytes, Datagram.MAX_MESSAGE_BYTES);
        Arguments.atLeast("datagramsPerSource", datagramsPerSource, Datagram.MAX_PIECES);
        Arguments.atLeast("datagramsInAll", datagramsInAll, datagramsPerSource);
        Arguments.atLeast("signaturesPerSource", signaturesPerSource, 1);
        Arguments.atLeast("signaturesInAll", signaturesInAll, signaturesPerSource);
        Arguments.atLeast("maxSources", maxSources, 1);
        Arguments.atLeast("reassembliesPerSource", reassembliesPerSource, 1);
        Arguments.atLeast("reassembliesInAll", reassembliesInAll, reassembliesPerSource);
        Arguments.atLeast("reassemblyBytes", reassemblyBytes, 2 * Datagram.MAX_MESSAGE_BYTES);
        if (reassemblyTimeout.isNegative() || reassemblyTimeout.isZero() || reassemblyTimeout.toMinutes() >= 1) {
            throw new IllegalArgumentException("reassemblyTimeout: " + reassemblyTimeout + " (expected: > 0, < PT1M)");
        }
    }
}

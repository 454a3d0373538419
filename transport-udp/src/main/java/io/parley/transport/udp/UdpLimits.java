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
        Arguments.requireAtLeast("sentPerSecond", sentPerSecond, 1);
        Arguments.requireAtLeast("unsentBytes", unsentBytes, Datagram.MAX_MESSAGE_BYTES);
        Arguments.requireAtLeast("datagramsPerSource", datagramsPerSource, Datagram.MAX_PIECES);
        Arguments.requireAtLeast("datagramsInAll", datagramsInAll, datagramsPerSource);
        Arguments.requireAtLeast("signaturesPerSource", signaturesPerSource, 1);
        Arguments.requireAtLeast("signaturesInAll", signaturesInAll, signaturesPerSource);
        Arguments.requireAtLeast("maxSources", maxSources, 1);
        Arguments.requireAtLeast("reassembliesPerSource", reassembliesPerSource, 1);
        Arguments.requireAtLeast("reassembliesInAll", reassembliesInAll, reassembliesPerSource);
        Arguments.requireAtLeast("reassemblyBytes", reassemblyBytes, 2 * Datagram.MAX_MESSAGE_BYTES);
        if (reassemblyTimeout.isNegative() || reassemblyTimeout.isZero() || reassemblyTimeout.toMinutes() >= 1) {
            throw new IllegalArgumentException("reassemblyTimeout: " + reassemblyTimeout + " (expected: > 0, < PT1M)");
        }
    }

    /** Returns a builder with these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link UdpLimits}. Not thread-safe. */
    public static final class Builder {

        private int sentPerSecond;
        private int unsentBytes;
        private int datagramsPerSource;
        private int datagramsInAll;
        private int signaturesPerSource;
        private int signaturesInAll;
        private int maxSources;
        private int reassembliesPerSource;
        private int reassembliesInAll;
        private int reassemblyBytes;
        private Duration reassemblyTimeout;

        private Builder(UdpLimits values) {
            this.sentPerSecond = values.sentPerSecond;
            this.unsentBytes = values.unsentBytes;
            this.datagramsPerSource = values.datagramsPerSource;
            this.datagramsInAll = values.datagramsInAll;
            this.signaturesPerSource = values.signaturesPerSource;
            this.signaturesInAll = values.signaturesInAll;
            this.maxSources = values.maxSources;
            this.reassembliesPerSource = values.reassembliesPerSource;
            this.reassembliesInAll = values.reassembliesInAll;
            this.reassemblyBytes = values.reassemblyBytes;
            this.reassemblyTimeout = values.reassemblyTimeout;
        }

        /** Sets {@link UdpLimits#sentPerSecond()}. */
        public Builder sentPerSecond(int value) {
            this.sentPerSecond = value;
            return this;
        }

        /** Sets {@link UdpLimits#unsentBytes()}. */
        public Builder unsentBytes(int value) {
            this.unsentBytes = value;
            return this;
        }

        /** Sets {@link UdpLimits#datagramsPerSource()}. */
        public Builder datagramsPerSource(int value) {
            this.datagramsPerSource = value;
            return this;
        }

        /** Sets {@link UdpLimits#datagramsInAll()}. */
        public Builder datagramsInAll(int value) {
            this.datagramsInAll = value;
            return this;
        }

        /** Sets {@link UdpLimits#signaturesPerSource()}. */
        public Builder signaturesPerSource(int value) {
            this.signaturesPerSource = value;
            return this;
        }

        /** Sets {@link UdpLimits#signaturesInAll()}. */
        public Builder signaturesInAll(int value) {
            this.signaturesInAll = value;
            return this;
        }

        /** Sets {@link UdpLimits#maxSources()}. */
        public Builder maxSources(int value) {
            this.maxSources = value;
            return this;
        }

        /** Sets {@link UdpLimits#reassembliesPerSource()}. */
        public Builder reassembliesPerSource(int value) {
            this.reassembliesPerSource = value;
            return this;
        }

        /** Sets {@link UdpLimits#reassembliesInAll()}. */
        public Builder reassembliesInAll(int value) {
            this.reassembliesInAll = value;
            return this;
        }

        /** Sets {@link UdpLimits#reassemblyBytes()}. */
        public Builder reassemblyBytes(int value) {
            this.reassemblyBytes = value;
            return this;
        }

        /** Sets {@link UdpLimits#reassemblyTimeout()}. */
        public Builder reassemblyTimeout(Duration value) {
            this.reassemblyTimeout = value;
            return this;
        }

        /**
         * Returns the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public UdpLimits build() {
            return new UdpLimits(sentPerSecond, unsentBytes, datagramsPerSource, datagramsInAll, signaturesPerSource, signaturesInAll, maxSources, reassembliesPerSource, reassembliesInAll, reassemblyBytes, reassemblyTimeout);
        }
    }
}

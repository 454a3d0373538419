package io.parley.transport.udp;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * Bounds on what anybody on the network can make this peer do or hold. A rate allows bursts of two seconds' worth. An
 * honest peer stays below these by its {@code payloadsPerSecond}, which is not for the others to rely on.
 *
 * @param payloadsPerSecond            payloads that this peer propagates; more fail with
 *     {@link io.parley.error.ErrorCode#BUSY}
 * @param sendQueueBytes              what waits to be sent, since a large payload is not sent all at once
 * @param datagramsPerSecondPerSource       datagrams per second that are looked at, from one address
 * @param datagramsPerSecond           the same, from all addresses
 * @param signaturesPerSecondPerSource      signatures per second that are verified, of what came from one address
 * @param signaturesPerSecond          the same, from all addresses; each costs 0.1 to 0.2 ms, so this bounds the CPU time that
 *     others can take
 * @param maxSources               addresses whose rates are remembered
 * @param maxReassembliesPerSource    payloads in several datagrams that are incomplete at a time, from one address
 * @param maxReassemblies        the same, from all addresses
 * @param reassemblyBytes          memory for incomplete payloads
 * @param reassemblyTimeout        how long the rest of a payload may take
 */
public record UdpLimits(
        int payloadsPerSecond,
        int sendQueueBytes,
        int datagramsPerSecondPerSource,
        int datagramsPerSecond,
        int signaturesPerSecondPerSource,
        int signaturesPerSecond,
        int maxSources,
        int maxReassembliesPerSource,
        int maxReassemblies,
        int reassemblyBytes,
        Duration reassemblyTimeout) {

    /** The defaults: some hundred peers that speak now and then, and bursts when something begins. */
    public static final UdpLimits DEFAULTS =
            new UdpLimits(50, 1024 * 1024, 2000, 8000, 100, 200, 1024, 16, 256, 4 * 1024 * 1024, Duration.ofSeconds(5));

    /** @throws IllegalArgumentException naming the limit, its value and its range */
    public UdpLimits {
        Arguments.requireAtLeast("payloadsPerSecond", payloadsPerSecond, 1);
        Arguments.requireAtLeast("sendQueueBytes", sendQueueBytes, Datagram.MAX_MESSAGE_BYTES);
        Arguments.requireAtLeast("datagramsPerSecondPerSource", datagramsPerSecondPerSource, Datagram.MAX_PIECES);
        Arguments.requireAtLeast("datagramsPerSecond", datagramsPerSecond, datagramsPerSecondPerSource);
        Arguments.requireAtLeast("signaturesPerSecondPerSource", signaturesPerSecondPerSource, 1);
        Arguments.requireAtLeast("signaturesPerSecond", signaturesPerSecond, signaturesPerSecondPerSource);
        Arguments.requireAtLeast("maxSources", maxSources, 1);
        Arguments.requireAtLeast("maxReassembliesPerSource", maxReassembliesPerSource, 1);
        Arguments.requireAtLeast("maxReassemblies", maxReassemblies, maxReassembliesPerSource);
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

        private int payloadsPerSecond;
        private int sendQueueBytes;
        private int datagramsPerSecondPerSource;
        private int datagramsPerSecond;
        private int signaturesPerSecondPerSource;
        private int signaturesPerSecond;
        private int maxSources;
        private int maxReassembliesPerSource;
        private int maxReassemblies;
        private int reassemblyBytes;
        private Duration reassemblyTimeout;

        private Builder(UdpLimits values) {
            this.payloadsPerSecond = values.payloadsPerSecond;
            this.sendQueueBytes = values.sendQueueBytes;
            this.datagramsPerSecondPerSource = values.datagramsPerSecondPerSource;
            this.datagramsPerSecond = values.datagramsPerSecond;
            this.signaturesPerSecondPerSource = values.signaturesPerSecondPerSource;
            this.signaturesPerSecond = values.signaturesPerSecond;
            this.maxSources = values.maxSources;
            this.maxReassembliesPerSource = values.maxReassembliesPerSource;
            this.maxReassemblies = values.maxReassemblies;
            this.reassemblyBytes = values.reassemblyBytes;
            this.reassemblyTimeout = values.reassemblyTimeout;
        }

        /** Sets {@link UdpLimits#payloadsPerSecond()}. */
        public Builder payloadsPerSecond(int value) {
            this.payloadsPerSecond = value;
            return this;
        }

        /** Sets {@link UdpLimits#sendQueueBytes()}. */
        public Builder sendQueueBytes(int value) {
            this.sendQueueBytes = value;
            return this;
        }

        /** Sets {@link UdpLimits#datagramsPerSecondPerSource()}. */
        public Builder datagramsPerSecondPerSource(int value) {
            this.datagramsPerSecondPerSource = value;
            return this;
        }

        /** Sets {@link UdpLimits#datagramsPerSecond()}. */
        public Builder datagramsPerSecond(int value) {
            this.datagramsPerSecond = value;
            return this;
        }

        /** Sets {@link UdpLimits#signaturesPerSecondPerSource()}. */
        public Builder signaturesPerSecondPerSource(int value) {
            this.signaturesPerSecondPerSource = value;
            return this;
        }

        /** Sets {@link UdpLimits#signaturesPerSecond()}. */
        public Builder signaturesPerSecond(int value) {
            this.signaturesPerSecond = value;
            return this;
        }

        /** Sets {@link UdpLimits#maxSources()}. */
        public Builder maxSources(int value) {
            this.maxSources = value;
            return this;
        }

        /** Sets {@link UdpLimits#maxReassembliesPerSource()}. */
        public Builder maxReassembliesPerSource(int value) {
            this.maxReassembliesPerSource = value;
            return this;
        }

        /** Sets {@link UdpLimits#maxReassemblies()}. */
        public Builder maxReassemblies(int value) {
            this.maxReassemblies = value;
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
            return new UdpLimits(
                    payloadsPerSecond,
                    sendQueueBytes,
                    datagramsPerSecondPerSource,
                    datagramsPerSecond,
                    signaturesPerSecondPerSource,
                    signaturesPerSecond,
                    maxSources,
                    maxReassembliesPerSource,
                    maxReassemblies,
                    reassemblyBytes,
                    reassemblyTimeout);
        }
    }
}

package io.parley.transport.udp;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * The limits of the work and memory that senders on the network can cause at this peer. A rate permits bursts of two seconds.
 * The own {@code payloadsPerSecond} keeps an honest peer below the limits of the others; receivers do not rely on it.
 *
 * @param payloadsPerSecond            payloads per second that this peer propagates; more fail with
 *     {@link io.parley.error.ErrorCode#BUSY}
 * @param sendQueueBytes               bytes that wait to be sent, because a large payload is not sent at once
 * @param datagramsPerSecondPerSource  datagrams per second that are processed, from one address
 * @param datagramsPerSecond           datagrams per second that are processed, from all addresses
 * @param signaturesPerSecondPerSource signatures per second that are verified, from one address
 * @param signaturesPerSecond          signatures per second that are verified, from all addresses; each takes 0.1 to 0.2 ms,
 *     so this bounds the processor time that remote senders can take
 * @param maxSources                   addresses whose rates are kept
 * @param maxReassembliesPerSource     incomplete payloads of several datagrams, from one address
 * @param maxReassemblies              incomplete payloads of several datagrams, from all addresses
 * @param reassemblyBytes              memory for incomplete payloads, in bytes
 * @param reassemblyTimeout            maximum time to receive the rest of a payload, less than a minute
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

    /** The defaults: a few hundred peers that propagate occasionally, with bursts at their start. */
    public static final UdpLimits DEFAULTS =
            new UdpLimits(50, 1024 * 1024, 2000, 8000, 100, 200, 1024, 16, 256, 4 * 1024 * 1024, Duration.ofSeconds(5));

    /** @throws IllegalArgumentException naming the limit, its value and its range */
    public UdpLimits {
        Arguments.requireAtLeast("payloadsPerSecond", payloadsPerSecond, 1);
        Arguments.requireAtLeast("sendQueueBytes", sendQueueBytes, Datagram.MAX_MESSAGE_BYTES);
        Arguments.requireAtLeast("datagramsPerSecondPerSource", datagramsPerSecondPerSource, Datagram.MAX_FRAGMENTS);
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

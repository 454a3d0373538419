package io.parley.endpoint;

import io.parley.codec.MessageLimits;
import io.parley.common.internal.Arguments;
import io.parley.transport.TransportLimits;
import java.time.Duration;

/**
 * The limits of an endpoint. They bound the memory and the waiting time that a remote peer, or a caller that is faster than
 * the network, can cause. Sizes are in bytes.
 *
 * @param messages          limits of a single message
 * @param transport         limits of the transports
 * @param windowBytes       maximum number of bytes that one sender may have outstanding at one service of this peer, and bytes
 *                          of one messenger that may be sent and not acknowledged. The window of a sender begins with
 *                          {@link #MIN_WINDOW_BYTES}, grows while that makes the sender faster and memory is free, and shrinks
 *                          when the sender is idle
 * @param queueBytes        bytes that one messenger queues before it refuses messages or blocks the sender
 * @param peerMemoryBytes   memory that one remote peer can reserve, for windows and large messages
 * @param totalMemoryBytes  memory that all remote peers of an endpoint together can reserve. A sixteenth of it is there in addition
 *                          for hosts with little memory. All endpoints of a JVM together reserve at most three quarters of the
 *                          maximum heap size, or 136 MiB if that is more
 * @param maxConnections    open connections. When four fifths are in use, a host gets more only up to an equal share; dialed
 *                          connections count and are never refused
 * @param maxChannels       open channels per remote peer and direction
 * @param maxKnownPeers     peers whose addresses are stored
 * @param keepAliveInterval interval without received frames after which a ping is sent; after three such intervals the
 *                          connection is closed
 * @param idleTimeout       time without messages after which a connection is closed
 * @param reconnectTimeout  maximum time that queued and unacknowledged messages wait for a lost peer
 */
public record EndpointLimits(
        MessageLimits messages,
        TransportLimits transport,
        int windowBytes,
        int queueBytes,
        long peerMemoryBytes,
        long totalMemoryBytes,
        int maxConnections,
        int maxChannels,
        int maxKnownPeers,
        Duration keepAliveInterval,
        Duration idleTimeout,
        Duration reconnectTimeout) {

    /** The window with which a channel opens, in bytes; the least value of {@link #windowBytes}. */
    public static final int MIN_WINDOW_BYTES = 8 * 1024;

    /** The longest timeout that can be set: 365 days. */
    public static final Duration MAX_TIMEOUT = Arguments.MAX_TIMEOUT;

    private static final long MIB = 1024 * 1024;

    /**
     * The defaults, for a fast network. The memory for all remote peers is a quarter of the heap, and at least 128 MiB.
     */
    public static final EndpointLimits DEFAULTS = new EndpointLimits(
            MessageLimits.DEFAULTS,
            TransportLimits.DEFAULTS,
            (int) (4 * MIB),
            (int) MIB,
            128 * MIB,
            Math.max(128 * MIB, Runtime.getRuntime().maxMemory() / 4),
            4096,
            16_384,
            10_000,
            Duration.ofSeconds(15),
            Duration.ofMinutes(15),
            Duration.ofSeconds(30));

    /** @throws IllegalArgumentException with the name of the limit, its value and its range */
    public EndpointLimits {
        Arguments.requireAtLeast("windowBytes", windowBytes, MIN_WINDOW_BYTES);
        Arguments.requireAtLeast("queueBytes", queueBytes, 1);
        Arguments.requireAtLeast("peerMemoryBytes", peerMemoryBytes, windowBytes);
        Arguments.requireAtLeast("totalMemoryBytes", totalMemoryBytes, windowBytes);
        Arguments.requireAtLeast("maxConnections", maxConnections, 1);
        Arguments.requireAtLeast("maxChannels", maxChannels, 1);
        Arguments.requireAtLeast("maxKnownPeers", maxKnownPeers, 1);
        Arguments.requireTimeout("keepAliveInterval", keepAliveInterval);
        Arguments.requireTimeout("idleTimeout", idleTimeout);
        Arguments.requireTimeout("reconnectTimeout", reconnectTimeout);
    }

    /** Returns the maximum time of an orderly close. */
    public Duration closeTimeout() {
        return transport.closeTimeout();
    }

    /**
     * Returns the time for which this endpoint remembers what it has received from a lost peer, so that the peer can resume its
     * channels: three times {@link #keepAliveInterval}, in which the peer notices the loss, and {@link #reconnectTimeout}.
     */
    public Duration resumeTimeout() {
        return reconnectTimeout.plus(keepAliveInterval.multipliedBy(3));
    }

    /** Returns a builder with these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link EndpointLimits}. Not thread-safe. */
    public static final class Builder {

        private MessageLimits messages;
        private int maxHandshakes;
        private int maxHandshakesPerHost;
        private int handshakesPerSecond;
        private Duration connectTimeout;
        private Duration handshakeTimeout;
        private Duration closeTimeout;
        private Duration maxSpin;
        private int windowBytes;
        private int queueBytes;
        private long peerMemoryBytes;
        private long totalMemoryBytes;
        private int maxConnections;
        private int maxChannels;
        private int maxKnownPeers;
        private Duration keepAliveInterval;
        private Duration idleTimeout;
        private Duration reconnectTimeout;

        private Builder(EndpointLimits values) {
            this.messages = values.messages;
            this.maxHandshakes = values.transport.maxHandshakes();
            this.maxHandshakesPerHost = values.transport.maxHandshakesPerHost();
            this.handshakesPerSecond = values.transport.handshakesPerSecond();
            this.connectTimeout = values.transport.connectTimeout();
            this.handshakeTimeout = values.transport.handshakeTimeout();
            this.closeTimeout = values.transport.closeTimeout();
            this.maxSpin = values.transport.maxSpin();
            this.windowBytes = values.windowBytes;
            this.queueBytes = values.queueBytes;
            this.peerMemoryBytes = values.peerMemoryBytes;
            this.totalMemoryBytes = values.totalMemoryBytes;
            this.maxConnections = values.maxConnections;
            this.maxChannels = values.maxChannels;
            this.maxKnownPeers = values.maxKnownPeers;
            this.keepAliveInterval = values.keepAliveInterval;
            this.idleTimeout = values.idleTimeout;
            this.reconnectTimeout = values.reconnectTimeout;
        }

        /**
         * Sets the maximum size of a message and of an element. If the maximum grows, the memory limits for remote peers
         * grow by the same number of bytes. Both peers need the setting: a receiver announces its limit in the handshake,
         * and a sender applies the lower one.
         */
        public Builder maxMessageBytes(long bytes) {
            long growth = Math.max(0, bytes - messages.maxMessageBytes());
            messages = messages.toBuilder()
                    .maxMessageBytes(bytes)
                    .maxElementBytes(bytes)
                    .build();
            peerMemoryBytes += growth;
            totalMemoryBytes += growth;
            return this;
        }

        /** Sets {@link EndpointLimits#messages()}. */
        public Builder messages(MessageLimits value) {
            this.messages = value;
            return this;
        }

        /** Sets {@link TransportLimits#maxHandshakes()}. */
        public Builder maxHandshakes(int value) {
            this.maxHandshakes = value;
            return this;
        }

        /** Sets {@link TransportLimits#handshakesPerSecond()}. */
        public Builder handshakesPerSecond(int value) {
            this.handshakesPerSecond = value;
            return this;
        }

        /** Sets {@link TransportLimits#maxHandshakesPerHost()}. */
        public Builder maxHandshakesPerHost(int value) {
            this.maxHandshakesPerHost = value;
            return this;
        }

        /** Sets {@link TransportLimits#connectTimeout()}. */
        public Builder connectTimeout(Duration value) {
            this.connectTimeout = value;
            return this;
        }

        /** Sets {@link TransportLimits#handshakeTimeout()}. */
        public Builder handshakeTimeout(Duration value) {
            this.handshakeTimeout = value;
            return this;
        }

        /** Sets {@link TransportLimits#closeTimeout()}. */
        public Builder closeTimeout(Duration value) {
            this.closeTimeout = value;
            return this;
        }

        /** Sets {@link TransportLimits#maxSpin()}. */
        public Builder maxSpin(Duration value) {
            this.maxSpin = value;
            return this;
        }

        /** Sets {@link EndpointLimits#windowBytes()}. */
        public Builder windowBytes(int value) {
            this.windowBytes = value;
            return this;
        }

        /** Sets {@link EndpointLimits#queueBytes()}. */
        public Builder queueBytes(int value) {
            this.queueBytes = value;
            return this;
        }

        /** Sets {@link EndpointLimits#peerMemoryBytes()}. */
        public Builder peerMemoryBytes(long value) {
            this.peerMemoryBytes = value;
            return this;
        }

        /** Sets {@link EndpointLimits#totalMemoryBytes()}. */
        public Builder totalMemoryBytes(long value) {
            this.totalMemoryBytes = value;
            return this;
        }

        /** Sets {@link EndpointLimits#maxConnections()}. */
        public Builder maxConnections(int value) {
            this.maxConnections = value;
            return this;
        }

        /** Sets {@link EndpointLimits#maxChannels()}. */
        public Builder maxChannels(int value) {
            this.maxChannels = value;
            return this;
        }

        /** Sets {@link EndpointLimits#maxKnownPeers()}. */
        public Builder maxKnownPeers(int value) {
            this.maxKnownPeers = value;
            return this;
        }

        /** Sets {@link EndpointLimits#keepAliveInterval()}. */
        public Builder keepAliveInterval(Duration value) {
            this.keepAliveInterval = value;
            return this;
        }

        /** Sets {@link EndpointLimits#idleTimeout()}. */
        public Builder idleTimeout(Duration value) {
            this.idleTimeout = value;
            return this;
        }

        /** Sets {@link EndpointLimits#reconnectTimeout()}. */
        public Builder reconnectTimeout(Duration value) {
            this.reconnectTimeout = value;
            return this;
        }

        /**
         * Returns the limits.
         *
         * @throws IllegalArgumentException with the name of the limit, its value and its range
         */
        public EndpointLimits build() {
            return new EndpointLimits(
                    messages,
                    new TransportLimits(
                            maxHandshakes,
                            maxHandshakesPerHost,
                            handshakesPerSecond,
                            connectTimeout,
                            handshakeTimeout,
                            closeTimeout,
                            maxSpin),
                    windowBytes,
                    queueBytes,
                    peerMemoryBytes,
                    totalMemoryBytes,
                    maxConnections,
                    maxChannels,
                    maxKnownPeers,
                    keepAliveInterval,
                    idleTimeout,
                    reconnectTimeout);
        }
    }
}

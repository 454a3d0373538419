package io.parley.transport;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * The limits of a transport.
 *
 * @param maxHandshakes        accepted connections that have not completed their handshake
 * @param maxHandshakesPerHost such connections from one host
 * @param handshakesPerSecond  handshakes that one host may begin, twice as many at once; all hosts together may begin ten times
 *                             as many
 * @param connectTimeout       maximum time to connect to one address
 * @param handshakeTimeout     maximum time of a handshake
 * @param closeTimeout         maximum time of an orderly close
 * @param maxSpin              maximum time for which a thread that waits for the network polls before it sleeps; zero: it
 *                             sleeps at once. It polls for a quarter of that, and longer only while this makes events come sooner
 */
public record TransportLimits(
        int maxHandshakes,
        int maxHandshakesPerHost,
        int handshakesPerSecond,
        Duration connectTimeout,
        Duration handshakeTimeout,
        Duration closeTimeout,
        Duration maxSpin) {

    /** The longest time for which a thread can poll: 1 ms. */
    public static final Duration MAX_SPIN = Duration.ofMillis(1);

    /** The longest timeout that can be set: 365 days. */
    public static final Duration MAX_TIMEOUT = Arguments.MAX_TIMEOUT;

    /** The defaults: 256 handshakes, 64 of one host, which may begin 500 per second, 5 s for each step, 200 µs of polling. */
    public static final TransportLimits DEFAULTS = new TransportLimits(
            256,
            64,
            500,
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Duration.ofNanos(200_000));

    /** @throws IllegalArgumentException naming the limit, its value and its range */
    public TransportLimits {
        Arguments.requireAtLeast("maxHandshakes", maxHandshakes, 1);
        Arguments.requireAtLeast("maxHandshakesPerHost", maxHandshakesPerHost, 1);
        Arguments.requireRange("handshakesPerSecond", handshakesPerSecond, 1, 1_000_000);
        Arguments.requireTimeout("connectTimeout", connectTimeout);
        Arguments.requireTimeout("handshakeTimeout", handshakeTimeout);
        Arguments.requireTimeout("closeTimeout", closeTimeout);
        Arguments.requireRange("maxSpin", maxSpin, Duration.ZERO, MAX_SPIN);
    }

    /** Returns a builder with these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link TransportLimits}. Not thread-safe. */
    public static final class Builder {

        private int maxHandshakes;
        private int maxHandshakesPerHost;
        private int handshakesPerSecond;
        private Duration connectTimeout;
        private Duration handshakeTimeout;
        private Duration closeTimeout;
        private Duration maxSpin;

        private Builder(TransportLimits values) {
            this.maxHandshakes = values.maxHandshakes;
            this.maxHandshakesPerHost = values.maxHandshakesPerHost;
            this.handshakesPerSecond = values.handshakesPerSecond;
            this.connectTimeout = values.connectTimeout;
            this.handshakeTimeout = values.handshakeTimeout;
            this.closeTimeout = values.closeTimeout;
            this.maxSpin = values.maxSpin;
        }

        /** Sets {@link TransportLimits#maxHandshakes()}. */
        public Builder maxHandshakes(int value) {
            this.maxHandshakes = value;
            return this;
        }

        /** Sets {@link TransportLimits#maxHandshakesPerHost()}. */
        public Builder maxHandshakesPerHost(int value) {
            this.maxHandshakesPerHost = value;
            return this;
        }

        /** Sets {@link TransportLimits#handshakesPerSecond()}. */
        public Builder handshakesPerSecond(int value) {
            this.handshakesPerSecond = value;
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

        /**
         * Returns the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public TransportLimits build() {
            return new TransportLimits(
                    maxHandshakes,
                    maxHandshakesPerHost,
                    handshakesPerSecond,
                    connectTimeout,
                    handshakeTimeout,
                    closeTimeout,
                    maxSpin);
        }
    }
}

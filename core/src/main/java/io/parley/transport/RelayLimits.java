package io.parley.transport;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * The limits of a relay. Of the first three, one host gets at most four fifths; when these are in use, each host has an equal share among those present.
 *
 * @param maxClients           peers that listen at the relay
 * @param maxCircuits          circuits of all clients, those included whose client has not accepted them yet
 * @param maxCircuitsPerClient circuits of one client
 * @param acceptTimeout        time in which a client accepts a circuit; a fifth of it is left to a client that is not connected to return
 * @param idleTimeout          time without a byte after which a circuit is closed; the keep-alive of peers is shorter
 */
public record RelayLimits(
        int maxClients, int maxCircuits, int maxCircuitsPerClient, Duration acceptTimeout, Duration idleTimeout) {

    /** The defaults: 1,024 clients, 1,024 circuits, 128 of one client, 5 s, 2 min. */
    public static final RelayLimits DEFAULTS =
            new RelayLimits(1024, 1024, 128, Duration.ofSeconds(5), Duration.ofMinutes(2));

    /** @throws IllegalArgumentException naming the limit, its value and its range */
    public RelayLimits {
        Arguments.requireAtLeast("maxClients", maxClients, 1);
        Arguments.requireAtLeast("maxCircuits", maxCircuits, 1);
        Arguments.requireAtLeast("maxCircuitsPerClient", maxCircuitsPerClient, 1);
        Arguments.requireTimeout("acceptTimeout", acceptTimeout);
        Arguments.requireTimeout("idleTimeout", idleTimeout);
    }

    /** Returns a builder with these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link RelayLimits}. Not thread-safe. */
    public static final class Builder {

        private int maxClients;
        private int maxCircuits;
        private int maxCircuitsPerClient;
        private Duration acceptTimeout;
        private Duration idleTimeout;

        private Builder(RelayLimits values) {
            this.maxClients = values.maxClients;
            this.maxCircuits = values.maxCircuits;
            this.maxCircuitsPerClient = values.maxCircuitsPerClient;
            this.acceptTimeout = values.acceptTimeout;
            this.idleTimeout = values.idleTimeout;
        }

        /** Sets {@link RelayLimits#maxClients()}. */
        public Builder maxClients(int value) {
            this.maxClients = value;
            return this;
        }

        /** Sets {@link RelayLimits#maxCircuits()}. */
        public Builder maxCircuits(int value) {
            this.maxCircuits = value;
            return this;
        }

        /** Sets {@link RelayLimits#maxCircuitsPerClient()}. */
        public Builder maxCircuitsPerClient(int value) {
            this.maxCircuitsPerClient = value;
            return this;
        }

        /** Sets {@link RelayLimits#acceptTimeout()}. */
        public Builder acceptTimeout(Duration value) {
            this.acceptTimeout = value;
            return this;
        }

        /** Sets {@link RelayLimits#idleTimeout()}. */
        public Builder idleTimeout(Duration value) {
            this.idleTimeout = value;
            return this;
        }

        /**
         * Returns the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public RelayLimits build() {
            return new RelayLimits(maxClients, maxCircuits, maxCircuitsPerClient, acceptTimeout, idleTimeout);
        }
    }
}

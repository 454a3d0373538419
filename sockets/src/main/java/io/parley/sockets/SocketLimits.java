package io.parley.sockets;

import io.parley.common.internal.Arguments;
import io.parley.endpoint.EndpointLimits;
import java.time.Duration;

/**
 * The limits of sockets.
 *
 * @param backlog           connections of a server socket that wait for {@code accept}, unless it is bound with another number. A further
 *                          one is refused
 * @param bufferBytes       maximum size of the receive window of a socket: what the remote peer may have sent and this program has not
 *                          read
 * @param maxSockets        open sockets of a group of this peer. Further ones are refused, in both directions. Remote peers connect at
 *                          most three quarters (of 4 or more), so that this peer can connect too. One host gets at most four fifths of these at a
 *                          server socket
 * @param maxSocketsPerPeer open sockets that one remote peer may have at one server socket
 * @param connectTimeout    time for a connect without a timeout of its own
 * @param acceptTimeout     time that a connection may wait for {@code accept}; then it is closed
 * @param resumeTimeout     time for which a stream waits for a lost connection. Then both sides fail. The endpoint gives up after
 *                          {@link EndpointLimits#reconnectTimeout()}, if that is earlier. When one direction has ended, the side
 *                          that still writes waits until the endpoint gives up; and the side that still reads, once it is connected
 *                          again, for {@link EndpointLimits#resumeTimeout()} if the stream has ended at the other side meanwhile
 * @param closeTimeout      time that a closed socket has to send the bytes that were written; then it is reset
 */
public record SocketLimits(
        int backlog,
        int bufferBytes,
        int maxSockets,
        int maxSocketsPerPeer,
        Duration connectTimeout,
        Duration acceptTimeout,
        Duration resumeTimeout,
        Duration closeTimeout) {

    /** The defaults. */
    public static final SocketLimits DEFAULTS = new SocketLimits(
            50,
            4 * 1024 * 1024,
            16_384,
            4096,
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(60));

    /** The most connections that may wait for {@code accept}, also if a server socket is bound with another number. */
    public static final int MAX_BACKLOG = 4096;

    /** @throws IllegalArgumentException with the name of the limit, its value and its range */
    public SocketLimits {
        Arguments.requireRange("backlog", backlog, 1, MAX_BACKLOG);
        Arguments.requireAtLeast("bufferBytes", bufferBytes, EndpointLimits.MIN_WINDOW_BYTES);
        Arguments.requireAtLeast("maxSockets", maxSockets, 1);
        Arguments.requireAtLeast("maxSocketsPerPeer", maxSocketsPerPeer, 1);
        Arguments.requireTimeout("connectTimeout", connectTimeout);
        Arguments.requireTimeout("acceptTimeout", acceptTimeout);
        Arguments.requireTimeout("resumeTimeout", resumeTimeout);
        Arguments.requireTimeout("closeTimeout", closeTimeout);
    }

    /** Returns a builder with these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link SocketLimits}. Not thread-safe. */
    public static final class Builder {

        private int backlog;
        private int bufferBytes;
        private int maxSockets;
        private int maxSocketsPerPeer;
        private Duration connectTimeout;
        private Duration acceptTimeout;
        private Duration resumeTimeout;
        private Duration closeTimeout;

        private Builder(SocketLimits values) {
            this.backlog = values.backlog;
            this.bufferBytes = values.bufferBytes;
            this.maxSockets = values.maxSockets;
            this.maxSocketsPerPeer = values.maxSocketsPerPeer;
            this.connectTimeout = values.connectTimeout;
            this.acceptTimeout = values.acceptTimeout;
            this.resumeTimeout = values.resumeTimeout;
            this.closeTimeout = values.closeTimeout;
        }

        /** Sets {@link SocketLimits#backlog()}. */
        public Builder backlog(int value) {
            backlog = value;
            return this;
        }

        /** Sets {@link SocketLimits#bufferBytes()}. */
        public Builder bufferBytes(int value) {
            bufferBytes = value;
            return this;
        }

        /** Sets {@link SocketLimits#maxSockets()}. */
        public Builder maxSockets(int value) {
            maxSockets = value;
            return this;
        }

        /** Sets {@link SocketLimits#maxSocketsPerPeer()}. */
        public Builder maxSocketsPerPeer(int value) {
            maxSocketsPerPeer = value;
            return this;
        }

        /** Sets {@link SocketLimits#connectTimeout()}. */
        public Builder connectTimeout(Duration value) {
            connectTimeout = value;
            return this;
        }

        /** Sets {@link SocketLimits#acceptTimeout()}. */
        public Builder acceptTimeout(Duration value) {
            acceptTimeout = value;
            return this;
        }

        /** Sets {@link SocketLimits#resumeTimeout()}. */
        public Builder resumeTimeout(Duration value) {
            resumeTimeout = value;
            return this;
        }

        /** Sets {@link SocketLimits#closeTimeout()}. */
        public Builder closeTimeout(Duration value) {
            closeTimeout = value;
            return this;
        }

        /** @throws IllegalArgumentException with the name of the limit, its value and its range */
        public SocketLimits build() {
            return new SocketLimits(
                    backlog,
                    bufferBytes,
                    maxSockets,
                    maxSocketsPerPeer,
                    connectTimeout,
                    acceptTimeout,
                    resumeTimeout,
                    closeTimeout);
        }
    }
}

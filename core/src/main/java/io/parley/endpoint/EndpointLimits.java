package io.parley.endpoint;

import io.parley.codec.MessageLimits;
import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * Every bound on what a remote peer, or a caller that is faster than the network, can make this peer hold or wait for.
 * All defaults are finite. Sizes are bytes.
 *
 * @param messages              bounds on a single message
 * @param windowBytes           how much one sender may have in flight to one service of this peer
 * @param queueBytes            how much one messenger queues before it refuses or blocks
 * @param peerMemoryBytes       memory that one remote peer can claim: windows and large messages
 * @param totalMemoryBytes      memory that all remote peers together can claim
 * @param maxConnections        connections that are open at a time
 * @param maxHandshakes         incoming connections that have not yet proven who they are
 * @param maxHandshakesPerHost  the same, from one host
 * @param maxChannels           services of this peer that one remote peer has open, and the reverse
 * @param maxKnownPeers         peers whose addresses are remembered
 * @param connectTimeout        for a transport to connect to one address
 * @param handshakeTimeout      for both sides to prove themselves and agree
 * @param keepAliveInterval     silence after which a ping is sent; after three times that the connection is dead
 * @param idleTimeout           time without any message after which a connection is closed
 * @param reconnectTimeout      how long queued messages wait for a lost peer
 * @param closeTimeout          how long an orderly close may take
 */
public record EndpointLimits(
        MessageLimits messages,
        int windowBytes,
        int queueBytes,
        long peerMemoryBytes,
        long totalMemoryBytes,
        int maxConnections,
        int maxHandshakes,
        int maxHandshakesPerHost,
        int maxChannels,
        int maxKnownPeers,
        Duration connectTimeout,
        Duration handshakeTimeout,
        Duration keepAliveInterval,
        Duration idleTimeout,
        Duration reconnectTimeout,
        Duration closeTimeout) {

    /** The smallest window: what one sender always gets. */
    public static final int MIN_WINDOW_BYTES = 64 * 1024;

    /** The longest wait that can be set. */
    public static final Duration MAX_WAIT = Duration.ofDays(365);

    private static final long MIB = 1024 * 1024;

    /** The defaults: fast on a fast network; for what others send a quarter of the heap, or 128 MiB in a small one. */
    public static final EndpointLimits DEFAULTS = new EndpointLimits(
            MessageLimits.DEFAULTS,
            (int) (4 * MIB),
            (int) MIB,
            128 * MIB,
            Math.max(128 * MIB, Runtime.getRuntime().maxMemory() / 4),
            4096,
            256,
            64,
            4096,
            10_000,
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Duration.ofSeconds(15),
            Duration.ofMinutes(15),
            Duration.ofSeconds(30),
            Duration.ofSeconds(5));

    /** @throws IllegalArgumentException naming the limit, its value and its range */
    public EndpointLimits {
        Arguments.atLeast("windowBytes", windowBytes, MIN_WINDOW_BYTES);
        Arguments.atLeast("queueBytes", queueBytes, 1);
        Arguments.atLeast("peerMemoryBytes", peerMemoryBytes, windowBytes);
        Arguments.atLeast("totalMemoryBytes", totalMemoryBytes, windowBytes);
        Arguments.atLeast("maxConnections", maxConnections, 1);
        Arguments.atLeast("maxHandshakes", maxHandshakes, 1);
        Arguments.atLeast("maxHandshakesPerHost", maxHandshakesPerHost, 1);
        Arguments.atLeast("maxChannels", maxChannels, 1);
        Arguments.atLeast("maxKnownPeers", maxKnownPeers, 1);
        Arguments.wait("connectTimeout", connectTimeout, MAX_WAIT);
        Arguments.wait("handshakeTimeout", handshakeTimeout, MAX_WAIT);
        Arguments.wait("keepAliveInterval", keepAliveInterval, MAX_WAIT);
        Arguments.wait("idleTimeout", idleTimeout, MAX_WAIT);
        Arguments.wait("reconnectTimeout", reconnectTimeout, MAX_WAIT);
        Arguments.wait("closeTimeout", closeTimeout, MAX_WAIT);
    }

    /**
     * A copy in which messages and their elements may be that large, with as much more memory for what others send. Both
     * sides need it: a receiver tells its limit when a connection opens, and a sender keeps to the lower one.
     */
    public EndpointLimits withMaxMessageBytes(long bytes) {
        long more = Math.max(0, bytes - messages.maxMessageBytes());
        return withMessages(messages.withMaxMessageBytes(bytes).withMaxElementBytes(bytes))
                .withPeerMemoryBytes(peerMemoryBytes + more)
                .withTotalMemoryBytes(totalMemoryBytes + more);
    }

    /** A copy with another {@link #messages()}. */
    public EndpointLimits withMessages(MessageLimits value) {
        return new EndpointLimits(
                value,
                windowBytes,
                queueBytes,
                peerMemoryBytes,
                totalMemoryBytes,
                maxConnections,
                maxHandshakes,
                maxHandshakesPerHost,
                maxChannels,
                maxKnownPeers,
                connectTimeout,
                handshakeTimeout,
                keepAliveInterval,
                idleTimeout,
                reconnectTimeout,
                closeTimeout);
    }

    /** A copy with another {@link #windowBytes()}. */
    public EndpointLimits withWindowBytes(int value) {
        return new EndpointLimits(
                messages,
                value,
                queueBytes,
                peerMemoryBytes,
                totalMemoryBytes,
                maxConnections,
                maxHandshakes,
                maxHandshakesPerHost,
                maxChannels,
                maxKnownPeers,
                connectTimeout,
                handshakeTimeout,
                keepAliveInterval,
                idleTimeout,
                reconnectTimeout,
                closeTimeout);
    }

    /** A copy with another {@link #queueBytes()}. */
    public EndpointLimits withQueueBytes(int value) {
        return new EndpointLimits(
                messages,
                windowBytes,
                value,
                peerMemoryBytes,
                totalMemoryBytes,
                maxConnections,
                maxHandshakes,
                maxHandshakesPerHost,
                maxChannels,
                maxKnownPeers,
                connectTimeout,
                handshakeTimeout,
                keepAliveInterval,
                idleTimeout,
                reconnectTimeout,
                closeTimeout);
    }

    /** A copy with another {@link #peerMemoryBytes()}. */
    public EndpointLimits withPeerMemoryBytes(long value) {
        return new EndpointLimits(
                messages,
                windowBytes,
                queueBytes,
                value,
                totalMemoryBytes,
                maxConnections,
                maxHandshakes,
                maxHandshakesPerHost,
                maxChannels,
                maxKnownPeers,
                connectTimeout,
                handshakeTimeout,
                keepAliveInterval,
                idleTimeout,
                reconnectTimeout,
                closeTimeout);
    }

    /** A copy with another {@link #totalMemoryBytes()}. */
    public EndpointLimits withTotalMemoryBytes(long value) {
        return new EndpointLimits(
                messages,
                windowBytes,
                queueBytes,
                peerMemoryBytes,
                value,
                maxConnections,
                maxHandshakes,
                maxHandshakesPerHost,
                maxChannels,
                maxKnownPeers,
                connectTimeout,
                handshakeTimeout,
                keepAliveInterval,
                idleTimeout,
                reconnectTimeout,
                closeTimeout);
    }

    /** A copy with another {@link #maxConnections()}. */
    public EndpointLimits withMaxConnections(int value) {
        return new EndpointLimits(
                messages,
                windowBytes,
                queueBytes,
                peerMemoryBytes,
                totalMemoryBytes,
                value,
                maxHandshakes,
                maxHandshakesPerHost,
                maxChannels,
                maxKnownPeers,
                connectTimeout,
                handshakeTimeout,
                keepAliveInterval,
                idleTimeout,
                reconnectTimeout,
                closeTimeout);
    }

    /** A copy with another {@link #maxHandshakes()}. */
    public EndpointLimits withMaxHandshakes(int value) {
        return new EndpointLimits(
                messages,
                windowBytes,
                queueBytes,
                peerMemoryBytes,
                totalMemoryBytes,
                maxConnections,
                value,
                maxHandshakesPerHost,
                maxChannels,
                maxKnownPeers,
                connectTimeout,
                handshakeTimeout,
                keepAliveInterval,
                idleTimeout,
                reconnectTimeout,
                closeTimeout);
    }

    /** A copy with another {@link #maxHandshakesPerHost()}. */
    public EndpointLimits withMaxHandshakesPerHost(int value) {
        return new EndpointLimits(
                messages,
                windowBytes,
                queueBytes,
                peerMemoryBytes,
                totalMemoryBytes,
                maxConnections,
                maxHandshakes,
                value,
                maxChannels,
                maxKnownPeers,
                connectTimeout,
                handshakeTimeout,
                keepAliveInterval,
                idleTimeout,
                reconnectTimeout,
                closeTimeout);
    }

    /** A copy with another {@link #maxChannels()}. */
    public EndpointLimits withMaxChannels(int value) {
        return new EndpointLimits(
                messages,
                windowBytes,
                queueBytes,
                peerMemoryBytes,
                totalMemoryBytes,
                maxConnections,
                maxHandshakes,
                maxHandshakesPerHost,
                value,
                maxKnownPeers,
                connectTimeout,
                handshakeTimeout,
                keepAliveInterval,
                idleTimeout,
                reconnectTimeout,
                closeTimeout);
    }

    /** A copy with another {@link #maxKnownPeers()}. */
    public EndpointLimits withMaxKnownPeers(int value) {
        return new EndpointLimits(
                messages,
                windowBytes,
                queueBytes,
                peerMemoryBytes,
                totalMemoryBytes,
                maxConnections,
                maxHandshakes,
                maxHandshakesPerHost,
                maxChannels,
                value,
                connectTimeout,
                handshakeTimeout,
                keepAliveInterval,
                idleTimeout,
                reconnectTimeout,
                closeTimeout);
    }

    /** A copy with another {@link #connectTimeout()}. */
    public EndpointLimits withConnectTimeout(Duration value) {
        return new EndpointLimits(
                messages,
                windowBytes,
                queueBytes,
                peerMemoryBytes,
                totalMemoryBytes,
                maxConnections,
                maxHandshakes,
                maxHandshakesPerHost,
                maxChannels,
                maxKnownPeers,
                value,
                handshakeTimeout,
                keepAliveInterval,
                idleTimeout,
                reconnectTimeout,
                closeTimeout);
    }

    /** A copy with another {@link #handshakeTimeout()}. */
    public EndpointLimits withHandshakeTimeout(Duration value) {
        return new EndpointLimits(
                messages,
                windowBytes,
                queueBytes,
                peerMemoryBytes,
                totalMemoryBytes,
                maxConnections,
                maxHandshakes,
                maxHandshakesPerHost,
                maxChannels,
                maxKnownPeers,
                connectTimeout,
                value,
                keepAliveInterval,
                idleTimeout,
                reconnectTimeout,
                closeTimeout);
    }

    /** A copy with another {@link #keepAliveInterval()}. */
    public EndpointLimits withKeepAliveInterval(Duration value) {
        return new EndpointLimits(
                messages,
                windowBytes,
                queueBytes,
                peerMemoryBytes,
                totalMemoryBytes,
                maxConnections,
                maxHandshakes,
                maxHandshakesPerHost,
                maxChannels,
                maxKnownPeers,
                connectTimeout,
                handshakeTimeout,
                value,
                idleTimeout,
                reconnectTimeout,
                closeTimeout);
    }

    /** A copy with another {@link #idleTimeout()}. */
    public EndpointLimits withIdleTimeout(Duration value) {
        return new EndpointLimits(
                messages,
                windowBytes,
                queueBytes,
                peerMemoryBytes,
                totalMemoryBytes,
                maxConnections,
                maxHandshakes,
                maxHandshakesPerHost,
                maxChannels,
                maxKnownPeers,
                connectTimeout,
                handshakeTimeout,
                keepAliveInterval,
                value,
                reconnectTimeout,
                closeTimeout);
    }

    /** A copy with another {@link #reconnectTimeout()}. */
    public EndpointLimits withReconnectTimeout(Duration value) {
        return new EndpointLimits(
                messages,
                windowBytes,
                queueBytes,
                peerMemoryBytes,
                totalMemoryBytes,
                maxConnections,
                maxHandshakes,
                maxHandshakesPerHost,
                maxChannels,
                maxKnownPeers,
                connectTimeout,
                handshakeTimeout,
                keepAliveInterval,
                idleTimeout,
                value,
                closeTimeout);
    }

    /** A copy with another {@link #closeTimeout()}. */
    public EndpointLimits withCloseTimeout(Duration value) {
        return new EndpointLimits(
                messages,
                windowBytes,
                queueBytes,
                peerMemoryBytes,
                totalMemoryBytes,
                maxConnections,
                maxHandshakes,
                maxHandshakesPerHost,
                maxChannels,
                maxKnownPeers,
                connectTimeout,
                handshakeTimeout,
                keepAliveInterval,
                idleTimeout,
                reconnectTimeout,
                value);
    }
}

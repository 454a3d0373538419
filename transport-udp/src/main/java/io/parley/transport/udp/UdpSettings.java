package io.parley.transport.udp;

import io.parley.common.internal.Arguments;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Set;

/**
 * The channel of a UDP propagation transport and its settings. Peers must have the same groups and port to receive from each
 * other; all other settings may differ.
 *
 * @param group4        the IPv4 multicast group; the default, 239.255.80.76, is site-local (RFC 2365)
 * @param group6        the IPv6 multicast group; the default, ff12::f061:726c, is link-local and transient, which means
 *     not permanently assigned (RFC 4291 section 2.7, RFC 3307 section 4.3)
 * @param port          the UDP port, 9701 by default; several peers of one machine share it
 * @param hops          the number of hops of a datagram (IPv4 TTL); with 1, the default, datagrams stay on the local network,
 *     and those from other networks are dropped
 * @param interfaces    names of the network interfaces to use; empty, the default, for all that are up, capable of multicast
 *     or loopback, and neither point-to-point nor an alias
 * @param clockTolerance maximum difference between the clocks of sender and receiver, 2 minutes by default; duplicates are
 *     remembered for twice this time, so it also bounds a replay against a peer that has lost its memory
 * @param interfaceCheckInterval interval between two checks for added and removed interfaces, 5 seconds by default
 * @param limits        limits of the work and memory that remote senders can cause
 */
public record UdpSettings(
        Inet4Address group4,
        Inet6Address group6,
        int port,
        int hops,
        Set<String> interfaces,
        Duration clockTolerance,
        Duration interfaceCheckInterval,
        UdpLimits limits) {

    private static final Duration MAX_TIMEOUT = Duration.ofHours(1);

    /** The defaults. */
    public static final UdpSettings DEFAULTS = new UdpSettings(
            (Inet4Address) literal(239, 255, 80, 76),
            (Inet6Address) literal(0xff, 0x12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x61, 0x72, 0x6c),
            9701,
            1,
            Set.of(),
            Duration.ofMinutes(2),
            Duration.ofSeconds(5),
            UdpLimits.DEFAULTS);

    /** @throws IllegalArgumentException naming the setting, its value and its range */
    public UdpSettings {
        interfaces = Set.copyOf(interfaces);
        checkGroup("group4", group4);
        checkGroup("group6", group6);
        Arguments.requireRange("port", port, 1, 65535);
        Arguments.requireRange("hops", hops, 0, 255);
        Arguments.requireTimeout("clockTolerance", clockTolerance, MAX_TIMEOUT);
        Arguments.requireTimeout("interfaceCheckInterval", interfaceCheckInterval, MAX_TIMEOUT);
    }

    private static void checkGroup(String name, InetAddress group) {
        if (!group.isMulticastAddress()) {
            throw new IllegalArgumentException(
                    name + ": " + group.getHostAddress() + " (expected: a multicast address)");
        }
    }

    private static InetAddress literal(int... bytes) {
        byte[] address = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            address[i] = (byte) bytes[i];
        }
        try {
            return InetAddress.getByAddress(address);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("IP address of " + bytes.length + " bytes", e);
        }
    }

    /** Returns a builder with these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link UdpSettings}. Not thread-safe. */
    public static final class Builder {

        private Inet4Address group4;
        private Inet6Address group6;
        private int port;
        private int hops;
        private Set<String> interfaces;
        private Duration clockTolerance;
        private Duration interfaceCheckInterval;
        private UdpLimits limits;

        private Builder(UdpSettings values) {
            this.group4 = values.group4;
            this.group6 = values.group6;
            this.port = values.port;
            this.hops = values.hops;
            this.interfaces = values.interfaces;
            this.clockTolerance = values.clockTolerance;
            this.interfaceCheckInterval = values.interfaceCheckInterval;
            this.limits = values.limits;
        }

        /** Sets {@link UdpSettings#group4()}. */
        public Builder group4(Inet4Address value) {
            this.group4 = value;
            return this;
        }

        /** Sets {@link UdpSettings#group6()}. */
        public Builder group6(Inet6Address value) {
            this.group6 = value;
            return this;
        }

        /** Sets {@link UdpSettings#port()}. */
        public Builder port(int value) {
            this.port = value;
            return this;
        }

        /** Sets {@link UdpSettings#hops()}. */
        public Builder hops(int value) {
            this.hops = value;
            return this;
        }

        /** Sets {@link UdpSettings#interfaces()}. */
        public Builder interfaces(Set<String> value) {
            this.interfaces = value;
            return this;
        }

        /** Sets {@link UdpSettings#clockTolerance()}. */
        public Builder clockTolerance(Duration value) {
            this.clockTolerance = value;
            return this;
        }

        /** Sets {@link UdpSettings#interfaceCheckInterval()}. */
        public Builder interfaceCheckInterval(Duration value) {
            this.interfaceCheckInterval = value;
            return this;
        }

        /** Sets {@link UdpSettings#limits()}. */
        public Builder limits(UdpLimits value) {
            this.limits = value;
            return this;
        }

        /**
         * Returns the settings.
         *
         * @throws IllegalArgumentException naming the setting, its value and its range
         */
        public UdpSettings build() {
            return new UdpSettings(
                    group4, group6, port, hops, interfaces, clockTolerance, interfaceCheckInterval, limits);
        }
    }
}

package io.parley.transport.udp;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.security.SecureRandom;

/** Creates channels that no other test uses. */
final class TestChannel {

    private static final SecureRandom RANDOM = new SecureRandom();

    private TestChannel() {}

    /** Returns settings with random groups and a free port. */
    static UdpSettings settings() {
        try (DatagramSocket free = new DatagramSocket()) {
            byte[] group4 = {(byte) 239, (byte) 255, (byte) RANDOM.nextInt(1, 250), (byte) RANDOM.nextInt(1, 250)};
            byte[] group6 = UdpSettings.DEFAULTS.group6().getAddress();
            group6[14] = (byte) RANDOM.nextInt();
            group6[15] = (byte) RANDOM.nextInt();
            return UdpSettings.DEFAULTS.toBuilder()
                    .group4((Inet4Address) InetAddress.getByAddress(group4))
                    .group6((Inet6Address) InetAddress.getByAddress(group6))
                    .port(free.getLocalPort())
                    .build();
        } catch (IOException e) {
            throw new IllegalStateException("no UDP port is free", e);
        }
    }
}

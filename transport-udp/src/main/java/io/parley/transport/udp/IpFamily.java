package io.parley.transport.udp;

import io.netty.channel.socket.SocketProtocolFamily;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;

/** An IP version: IPv4 or IPv6. */
enum IpFamily {
    IPV4("IPv4", SocketProtocolFamily.INET, 4) {
        @Override
        InetAddress group(UdpSettings settings) {
            return settings.group4();
        }

        @Override
        boolean isOn(NetworkInterface network) {
            return network.inetAddresses().anyMatch(Inet4Address.class::isInstance);
        }
    },
    IPV6("IPv6", SocketProtocolFamily.INET6, 16) {
        @Override
        InetAddress group(UdpSettings settings) {
            return settings.group6();
        }

        /** Multicast needs a link-local source address. The loopback interface of Linux has none, and no multicast route. */
        @Override
        boolean isOn(NetworkInterface network) {
            return network.inetAddresses()
                    .anyMatch(address -> address instanceof Inet6Address && address.isLinkLocalAddress());
        }
    };

    private final String text;
    private final SocketProtocolFamily protocol;
    private final int addressBytes;

    IpFamily(String text, SocketProtocolFamily protocol, int addressBytes) {
        this.text = text;
        this.protocol = protocol;
        this.addressBytes = addressBytes;
    }

    abstract InetAddress group(UdpSettings settings);

    /** Returns whether the interface has an address to send multicast from. */
    abstract boolean isOn(NetworkInterface network);

    SocketProtocolFamily protocol() {
        return protocol;
    }

    /** Returns the wildcard address with this port. */
    InetSocketAddress wildcard(int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[addressBytes]), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("IP address of " + addressBytes + " bytes", e);
        }
    }

    @Override
    public String toString() {
        return text;
    }
}

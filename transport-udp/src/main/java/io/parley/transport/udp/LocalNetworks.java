package io.parley.transport.udp;

import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.util.Collection;
import java.util.List;

/**
 * The networks of this machine, by the addresses of its interfaces. A multicast datagram with one hop can only come from
 * these networks. A datagram from elsewhere was sent to this machine alone, through a router.
 */
final class LocalNetworks {

    private final List<InterfaceAddress> networks;

    private LocalNetworks(List<InterfaceAddress> networks) {
        this.networks = networks;
    }

    static LocalNetworks of(Collection<NetworkInterface> interfaces) {
        return new LocalNetworks(interfaces.stream()
                .flatMap(each -> each.getInterfaceAddresses().stream())
                .toList());
    }

    boolean contains(InetAddress address) {
        return address.isLoopbackAddress()
                || address.isLinkLocalAddress()
                || networks.stream().anyMatch(network -> contains(network, address.getAddress()));
    }

    private static boolean contains(InterfaceAddress network, byte[] address) {
        byte[] own = network.getAddress().getAddress();
        int bits = network.getNetworkPrefixLength();
        return own.length == address.length
                && samePrefix(own, address, bits < 1 || bits > 8 * own.length ? 8 * own.length : bits);
    }

    /** Returns whether the first {@code bits} bits are equal. */
    static boolean samePrefix(byte[] one, byte[] other, int bits) {
        for (int bit = 0; bit < bits; bit++) {
            if (((one[bit / 8] ^ other[bit / 8]) & 0x80 >> bit % 8) != 0) {
                return false;
            }
        }
        return true;
    }
}

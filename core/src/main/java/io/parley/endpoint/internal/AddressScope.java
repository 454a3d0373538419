package io.parley.endpoint.internal;

import io.netty.util.NetUtil;
import io.parley.transport.EndpointAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** The networks in which an address has a meaning, the narrowest first. */
enum AddressScope {

    /** This host: 127.0.0.0/8, ::1. */
    LOOPBACK,

    /** A private network: RFC 1918, RFC 6598, link-local addresses, and unique local addresses of IPv6 (RFC 4193). */
    PRIVATE,

    /** All others, and names, which are not resolved for this purpose. */
    PUBLIC;

    /** Returns the scope of an address. */
    static AddressScope of(EndpointAddress address) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address.host());
        if (bytes == null) {
            return address.host().equalsIgnoreCase("localhost") ? LOOPBACK : PUBLIC;
        }
        InetAddress host;
        try {
            host = InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
        }
        if (host.isLoopbackAddress() || host.isAnyLocalAddress()) {
            return LOOPBACK;
        }
        byte[] form = host.getAddress(); // a mapped IPv4 address has become an IPv4 address
        boolean shared = form.length == 4 && form[0] == 100 && (form[1] & 0xC0) == 64;
        boolean uniqueLocal = form.length == 16 && (form[0] & 0xFE) == 0xFC;
        return host.isSiteLocalAddress() || host.isLinkLocalAddress() || shared || uniqueLocal ? PRIVATE : PUBLIC;
    }

    /**
     * Returns the claimed addresses of a peer without those of narrower networks than the one from which it has connected. A peer
     * from the public network must not name addresses of this host or of its private network, and neither must one behind a relay: its
     * network is the one that the relay names, and may be another one than the private network of this peer.
     *
     * @param from the address from which the peer has connected
     */
    static List<EndpointAddress> credible(List<EndpointAddress> claimed, EndpointAddress from) {
        AddressScope scope = from.isRelayed() ? PUBLIC : of(from);
        return claimed.stream()
                .filter(address -> of(address).compareTo(scope) >= 0)
                .toList();
    }
}

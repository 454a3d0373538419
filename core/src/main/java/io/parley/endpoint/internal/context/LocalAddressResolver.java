package io.parley.endpoint.internal.context;

import io.parley.transport.EndpointAddress;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Resolves a wildcard listening address to the addresses of the local network interfaces. */
public final class LocalAddressResolver {

    private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::", "0:0:0:0:0:0:0:0");

    private LocalAddressResolver() {}

    public static boolean isWildcard(EndpointAddress address) {
        return WILDCARDS.contains(address.host());
    }

    /** Returns the address itself, or for a wildcard host the local addresses, loopback addresses last. */
    static List<EndpointAddress> resolve(EndpointAddress address) {
        if (!isWildcard(address)) {
            return List.of(address);
        }
        boolean ipv4Only = address.host().indexOf(':') < 0;
        List<InetAddress> found = new ArrayList<>();
        try {
            NetworkInterface.networkInterfaces()
                    .filter(LocalAddressResolver::isUp)
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(local -> !local.isLinkLocalAddress() && !local.isMulticastAddress())
                    .filter(local -> !ipv4Only || local instanceof Inet4Address)
                    .forEach(found::add);
        } catch (SocketException e) {
            found.add(InetAddress.getLoopbackAddress());
        }
        return found.stream()
                .sorted(Comparator.comparing(InetAddress::isLoopbackAddress))
                .map(local -> address.withHost(withoutScope(local.getHostAddress())))
                .toList();
    }

    private static boolean isUp(NetworkInterface network) {
        try {
            return network.isUp();
        } catch (SocketException e) {
            return false;
        }
    }

    private static String withoutScope(String host) {
        int percent = host.indexOf('%');
        return percent < 0 ? host : host.substring(0, percent);
    }
}

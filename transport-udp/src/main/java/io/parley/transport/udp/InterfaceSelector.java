package io.parley.transport.udp;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Selects the network interfaces to use. */
final class InterfaceSelector {

    /** Container hosts have hundreds of interfaces. Each one takes two sockets and a copy of every datagram. */
    static final int MAX_INTERFACES = 32;

    private final Set<String> names;

    /** @param names the interfaces to use; empty for all that are suitable */
    InterfaceSelector(Set<String> names) {
        this.names = names;
    }

    /** Returns the interfaces to use, by ascending index. */
    List<NetworkInterface> select(Collection<NetworkInterface> interfaces) {
        return interfaces.stream()
                .filter(this::isSelected)
                .sorted(Comparator.comparingInt(NetworkInterface::getIndex))
                .limit(MAX_INTERFACES)
                .toList();
    }

    private boolean isSelected(NetworkInterface network) {
        try {
            if (!network.isUp() || network.isVirtual()) {
                return false; // an alias is the same interface as its parent
            }
            if (!names.isEmpty()) {
                return names.contains(network.getName());
            }
            // Linux reports that the loopback interface does not support multicast, but it does.
            return network.isLoopback() || (network.supportsMulticast() && !network.isPointToPoint());
        } catch (SocketException e) {
            return false; // removed since it was listed
        }
    }
}

package io.parley.transport.udp;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Which interfaces are used. */
final class InterfaceSelector {

    /** Container hosts have hundreds, and each costs two sockets and a copy of all that is sent. */
    static final int MAX_INTERFACES = 32;

    private final Set<String> names;

    /** @param names those to use, or none for all that fit */
    InterfaceSelector(Set<String> names) {
        this.names = names;
    }

    /** Those to use, the longest known first. */
    List<NetworkInterface> among(Collection<NetworkInterface> interfaces) {
        return interfaces.stream()
                .filter(this::isChosen)
                .sorted(Comparator.comparingInt(NetworkInterface::getIndex))
                .limit(MAX_INTERFACES)
                .toList();
    }

    private boolean isChosen(NetworkInterface network) {
        try {
            if (!network.isUp() || network.isVirtual()) {
                return false; // an alias is its parent once more
            }
            if (!names.isEmpty()) {
                return names.contains(network.getName());
            }
            // Linux says of the loopback interface that it has no multicast, but it does.
            return network.isLoopback() || (network.supportsMulticast() && !network.isPointToPoint());
        } catch (SocketException e) {
            return false; // gone since it was listed
        }
    }
}

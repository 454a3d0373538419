package io.parley.sockets;

import io.parley.group.PeerGroup;
import java.net.SocketException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The running peers of this JVM with sockets, for factories that a program creates by the name of their class. A peer is here from its first
 * {@link PeerSockets#of} until it is closed.
 */
final class LocalPeers {

    private static final Set<SocketRegistry> OPEN = ConcurrentHashMap.newKeySet();

    private LocalPeers() {}

    static void add(SocketRegistry registry) {
        OPEN.add(registry);
    }

    static void remove(SocketRegistry registry) {
        OPEN.remove(registry);
    }

    /**
     * Returns the sockets of a peer.
     *
     * @param text the name or the id of the peer, and after a slash the name of the group if it has sockets in several; empty for the only one
     * @throws SocketException if there is none, or several
     */
    static PeerSockets find(String text) throws SocketException {
        List<SocketRegistry> found = OPEN.stream()
                .filter(registry -> matches(registry.group(), text))
                .toList();
        if (found.size() == 1) {
            return PeerSockets.of(found.get(0).group());
        }
        List<String> known = OPEN.stream()
                .map(registry -> describe(registry.group()))
                .sorted()
                .toList();
        throw new SocketException("peer \"" + text + "\": " + (found.isEmpty() ? "no" : "more than one")
                + " peer of this JVM with that name or id (expected: <peer>, or <peer>/<group>, of " + known
                + "; a peer is known after PeerSockets.of(group))");
    }

    private static boolean matches(PeerGroup group, String text) {
        if (text.isEmpty()) {
            return true;
        }
        return List.of(group.peerName(), group.endpoint().peerId().text()).stream()
                .anyMatch(peer -> text.equals(peer) || text.equals(peer + "/" + group.name()));
    }

    private static String describe(PeerGroup group) {
        return group.peerName() + "/" + group.name();
    }
}

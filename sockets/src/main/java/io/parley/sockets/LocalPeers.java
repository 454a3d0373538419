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

    private static final Set<PeerGroup> OPEN = ConcurrentHashMap.newKeySet();

    private LocalPeers() {}

    static void add(PeerGroup group) {
        OPEN.add(group);
    }

    static void remove(PeerGroup group) {
        OPEN.remove(group);
    }

    /**
     * Returns a group in which a peer has sockets.
     *
     * @param text the name or the id of the peer, and after a slash the name of the group if it has sockets in several; empty for the only one
     * @throws SocketException if there is none, or several
     */
    static PeerGroup find(String text) throws SocketException {
        List<PeerGroup> found =
                OPEN.stream().filter(group -> matches(group, text)).toList();
        if (found.size() == 1) {
            return found.get(0);
        }
        List<String> known = OPEN.stream().map(LocalPeers::describe).sorted().toList();
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

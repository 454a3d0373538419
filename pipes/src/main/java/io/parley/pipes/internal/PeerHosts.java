package io.parley.pipes.internal;

import io.parley.common.internal.HostPrefix;
import io.parley.endpoint.Endpoint;
import io.parley.id.PeerId;

/** Names the hosts of remote peers, for limits that count hosts because identities cost nothing. */
public final class PeerHosts {

    /** The common host of peers that have disconnected meanwhile. No address has this text. */
    private static final String UNKNOWN = "?";

    private PeerHosts() {}

    /** Returns the {@linkplain HostPrefix#of prefix} of a peer's address. This peer itself is a host of its own. */
    public static String of(Endpoint endpoint, PeerId peer) {
        return peer.equals(endpoint.peerId())
                ? peer.text()
                : endpoint.remoteAddress(peer)
                        .map(address -> HostPrefix.of(address.host()))
                        .orElse(UNKNOWN);
    }
}

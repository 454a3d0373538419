package io.parley.resolver.internal;

import io.parley.common.internal.HostPrefix;
import io.parley.endpoint.Endpoint;
import io.parley.id.PeerId;

/** Names the hosts of remote peers, for limits that count hosts because identities cost nothing. */
public final class RemoteHosts {

    /** The common host of all peers without a connection, because their number costs nothing. No address has this text. */
    private static final String UNKNOWN = "?";

    private RemoteHosts() {}

    /** Returns the {@linkplain HostPrefix#of prefix} of a peer's address. This peer itself is a host of its own. */
    public static String of(Endpoint endpoint, PeerId peer) {
        if (peer.equals(endpoint.peerId())) {
            return peer.text();
        }
        return endpoint.remoteAddress(peer)
                .map(address -> HostPrefix.of(address.host()))
                .orElse(UNKNOWN);
    }
}

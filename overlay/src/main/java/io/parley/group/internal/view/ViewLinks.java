package io.parley.group.internal.view;

import io.parley.id.PeerId;
import io.parley.transport.PeerAddress;

/** How a {@link PartialView} reaches other members, and learns its neighbors. The calls do not block and do not call the view. */
interface ViewLinks {

    /** Sends a message in the order of the calls. Connects first if necessary. A failure is reported by {@link PartialView#onFailed}. */
    void send(PeerAddress member, ViewMessage message);

    /** Called when a member has become a neighbor. */
    void onNeighborUp(PeerId neighbor);

    /** Called when a member has ceased to be a neighbor. */
    void onNeighborDown(PeerId neighbor);
}

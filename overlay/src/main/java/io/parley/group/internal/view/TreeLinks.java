package io.parley.group.internal.view;

import io.parley.id.PeerId;

/**
 * The links of this peer to its neighbors, as a {@link BroadcastTree} uses them. The methods are called on the executor of the tree,
 * must not block, and must not call the tree: a link that fails is reported by a later task of the executor.
 */
interface TreeLinks {

    /** Returns whether the queue of the link has room for a message. The tree sends nothing to a neighbor while it has none. */
    boolean isWritable(PeerId neighbor);

    /** Sends a message, best effort, in the order of the calls. */
    void send(PeerId neighbor, TreeMessage message);
}

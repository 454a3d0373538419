package io.parley.resolver.internal;

/** How far something goes that is said to many. */
public enum PropagationScope {
    /** To the peers of the local network. */
    LOCAL_NETWORK,
    /** To all peers of the group that can be reached, through its rendezvous too. */
    GROUP
}

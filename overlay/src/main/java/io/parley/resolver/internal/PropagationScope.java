package io.parley.resolver.internal;

/** The peers that receive a propagated message. */
public enum PropagationScope {
    /** The peers of the local network. */
    LOCAL_NETWORK,
    /** All reachable peers of the group, including those reachable through its rendezvous. */
    GROUP
}

package io.parley.bench.operation;

/** The operations of a peer from its start to its shutdown, in this order: ten, and two searches of its own cache. */
public enum Operation {
    /** Reads the identity and starts the services. */
    BOOT("boot", MeasuredPeer::boot),
    /** Waits until a rendezvous has granted a lease; does nothing without a rendezvous. */
    FIND_RENDEZVOUS("find a rendezvous", MeasuredPeer::findRendezvous),
    /** Joins a group without other members and waits until the rendezvous has accepted it. */
    JOIN_GROUP("join a new group", MeasuredPeer::joinGroup),
    /** Publishes a new pipe and waits until the rendezvous has the advertisement. */
    PUBLISH_PIPE("publish a pipe", MeasuredPeer::publishPipe),
    /** Opens the input pipe of that pipe. */
    OPEN_INPUT("open the input pipe", MeasuredPeer::openInput),
    /** Finds the advertisements of peers in the own cache. */
    FIND_LOCAL_PEERS("find peers in the cache", MeasuredPeer::findLocalPeers),
    /** Finds the advertisement of the remote peer by its name. */
    FIND_PEER("find a peer", MeasuredPeer::findPeer),
    /** Finds the advertisements of pipes in the own cache. */
    FIND_LOCAL_PIPES("find pipes in the cache", MeasuredPeer::findLocalPipes),
    /** Finds the advertisement of the remote peer's pipe by its name. */
    FIND_PIPE("find its pipe", MeasuredPeer::findPipe),
    /** Connects an output pipe to the remote peer and waits for its response. */
    OPEN_OUTPUT("open the output pipe", MeasuredPeer::openOutput),
    /** Sends a message and waits until the remote peer has received it. */
    FIRST_MESSAGE("first message", MeasuredPeer::send),
    /** Leaves the group and stops the peer. */
    SHUT_DOWN("leave and stop", MeasuredPeer::shutDown);

    private final String label;
    private final Step step;

    Operation(String label, Step step) {
        this.label = label;
        this.step = step;
    }

    /** Returns the name in results. */
    public String label() {
        return label;
    }

    /** Returns whether it is one of the ten, which the sums contain: not a search of the own cache. */
    public boolean isInSums() {
        return this != FIND_LOCAL_PEERS && this != FIND_LOCAL_PIPES;
    }

    /** Performs this operation. */
    public void run(MeasuredPeer subject) throws Exception {
        step.run(subject);
    }

    private interface Step {
        void run(MeasuredPeer subject) throws Exception;
    }
}

package io.parley.bench.operation;

/** The ten things that a peer does until it talks to another, in that order. */
public enum Operation {
    /** Reads its identity, and starts its services. */
    BOOT("boot", MeasuredPeer::boot),
    /** Until a rendezvous has granted a lease; nothing where there is none. */
    FIND_RENDEZVOUS("find a rendezvous", MeasuredPeer::findRendezvous),
    /** A group in which nobody else is, until the rendezvous knows. */
    JOIN_GROUP("join a new group", MeasuredPeer::joinGroup),
    /** A pipe of its own, until the rendezvous has the advertisement. */
    PUBLISH_PIPE("publish a pipe", MeasuredPeer::publishPipe),
    /** Of that pipe. */
    OPEN_INPUT("open the input pipe", MeasuredPeer::openInput),
    /** The other's advertisement, by the other's name. */
    FIND_PEER("find a peer", MeasuredPeer::findPeer),
    /** The advertisement of the other's pipe, by its name. */
    FIND_PIPE("find its pipe", MeasuredPeer::findPipe),
    /** To the other, until it has answered. */
    OPEN_OUTPUT("open the output pipe", MeasuredPeer::openOutput),
    /** Until the other has it. */
    FIRST_MESSAGE("first message", MeasuredPeer::send),
    /** Leaves the group and stops. */
    SHUT_DOWN("leave and stop", MeasuredPeer::shutDown);

    private final String label;
    private final Step step;

    Operation(String label, Step step) {
        this.label = label;
        this.step = step;
    }

    /** The words used in results. */
    public String label() {
        return label;
    }

    /** Does it. */
    public void run(MeasuredPeer subject) throws Exception {
        step.run(subject);
    }

    private interface Step {
        void run(MeasuredPeer subject) throws Exception;
    }
}

package io.parley.bench.operation;

/** The ten things that a peer does until it talks to another, in that order. */
public enum Operation {
    /** Reads its identity, and starts its services. */
    BOOT("boot", Subject::boot),
    /** Until a rendezvous has granted a lease; nothing where there is none. */
    FIND_RENDEZVOUS("find a rendezvous", Subject::findRendezvous),
    /** A group in which nobody else is, until the rendezvous knows. */
    JOIN_GROUP("join a new group", Subject::joinGroup),
    /** A pipe of its own, until the rendezvous has the advertisement. */
    PUBLISH_PIPE("publish a pipe", Subject::publishPipe),
    /** Of that pipe. */
    OPEN_INPUT("open the input pipe", Subject::openInput),
    /** The other's advertisement, by the other's name. */
    FIND_PEER("find a peer", Subject::findPeer),
    /** The advertisement of the other's pipe, by its name. */
    FIND_PIPE("find its pipe", Subject::findPipe),
    /** To the other, until it has answered. */
    OPEN_OUTPUT("open the output pipe", Subject::openOutput),
    /** Until the other has it. */
    FIRST_MESSAGE("first message", Subject::send),
    /** Leaves the group and stops. */
    SHUT_DOWN("leave and stop", Subject::shutDown);

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
    public void run(Subject subject) throws Exception {
        step.run(subject);
    }

    private interface Step {
        void run(Subject subject) throws Exception;
    }
}

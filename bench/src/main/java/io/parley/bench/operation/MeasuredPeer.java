package io.parley.bench.operation;

/** A peer whose operations are timed. Each method is called once at most, in the order of {@link Operation}, and waits. */
public interface MeasuredPeer {

    /** {@link Operation#BOOT}. */
    void boot() throws Exception;

    /** {@link Operation#FIND_RENDEZVOUS}. */
    void findRendezvous() throws Exception;

    /** {@link Operation#JOIN_GROUP}. */
    void joinGroup() throws Exception;

    /** {@link Operation#PUBLISH_PIPE}. */
    void publishPipe() throws Exception;

    /** {@link Operation#OPEN_INPUT}. */
    void openInput() throws Exception;

    /** {@link Operation#FIND_PEER}. */
    void findPeer() throws Exception;

    /** {@link Operation#FIND_PIPE}. */
    void findPipe() throws Exception;

    /** {@link Operation#OPEN_OUTPUT}. */
    void openOutput() throws Exception;

    /** {@link Operation#FIRST_MESSAGE}: returns when it is on its way. */
    void send() throws Exception;

    /** {@link Operation#SHUT_DOWN}. */
    void shutDown() throws Exception;
}

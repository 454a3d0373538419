package io.parley.bench.operation;

/**
 * A peer whose operations are timed. Each method is called at most once, in the order of {@link Operation}, and blocks
 * until the operation is complete.
 */
public interface MeasuredPeer {

    /** Performs {@link Operation#BOOT}. */
    void boot() throws Exception;

    /** Performs {@link Operation#FIND_RENDEZVOUS}. */
    void findRendezvous() throws Exception;

    /** Performs {@link Operation#JOIN_GROUP}. */
    void joinGroup() throws Exception;

    /** Performs {@link Operation#PUBLISH_PIPE}. */
    void publishPipe() throws Exception;

    /** Performs {@link Operation#OPEN_INPUT}. */
    void openInput() throws Exception;

    /** Performs {@link Operation#FIND_LOCAL_PEERS}. */
    void findLocalPeers() throws Exception;

    /** Performs {@link Operation#FIND_PEER}. */
    void findPeer() throws Exception;

    /** Performs {@link Operation#FIND_LOCAL_PIPES}. */
    void findLocalPipes() throws Exception;

    /** Performs {@link Operation#FIND_PIPE}. */
    void findPipe() throws Exception;

    /** Performs {@link Operation#OPEN_OUTPUT}. */
    void openOutput() throws Exception;

    /** Performs {@link Operation#FIRST_MESSAGE}. Returns when the message has been queued for sending. */
    void send() throws Exception;

    /** Performs {@link Operation#SHUT_DOWN}. */
    void shutDown() throws Exception;
}

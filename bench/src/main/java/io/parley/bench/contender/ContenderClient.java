package io.parley.bench.contender;

import java.io.IOException;

/**
 * The connecting side. Must be called from one thread at a time; the listener of {@link ReplyDispatcher} may also call
 * {@link #send}, on the thread that announced a reply.
 */
public interface ContenderClient extends AutoCloseable {

    /** Prepares messages of {@code bytes} bytes in the contender's own form. This call is not measured. */
    void prepare(int bytes) throws Exception;

    /** Sends one {@link Signal#ECHO} message without delay. */
    void send() throws Exception;

    /**
     * Sends {@code messages} - 1 {@link Signal#SINK} messages and one {@link Signal#LAST} message, as fast as
     * back-pressure allows. May return before the last message is written; the receiver's confirmation arrives like any
     * reply.
     *
     * @param expected the messages after which the receiver confirms: those of all clients that send at the same time
     */
    void flood(long messages, long expected) throws Exception;

    /** Returns the port on which the server may connect back; 0 if it never does. */
    default int port() {
        return 0;
    }

    @Override
    void close() throws IOException;
}

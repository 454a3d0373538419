package io.parley.bench.contender;

import java.io.IOException;

/**
 * The connecting side. Called from one thread at a time; {@link #send} may also be called by {@link ReplyDispatcher}, on the
 * thread that announced a reply.
 */
public interface ContenderClient extends AutoCloseable {

    /** Makes ready to send messages of that many bytes in the contender's own form; not measured. */
    void prepare(int bytes) throws Exception;

    /** Sends one {@link Signal#ECHO} message, which leaves at once. */
    void send() throws Exception;

    /**
     * Sends {@code messages} - 1 {@link Signal#SINK} messages and one {@link Signal#LAST}, as fast as back-pressure
     * allows. May return before the last has left; the receiver's answer comes like any reply.
     */
    void flood(long messages) throws Exception;

    /** The port on which the server may call back; 0 if it never does. */
    default int port() {
        return 0;
    }

    @Override
    void close() throws IOException;
}

package io.parley.bench.contender;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A messaging stack under test, which carries messages between two processes.
 *
 * <p>{@link java.util.ServiceLoader} locates the implementations in the order of the services file, which is the order
 * of the report. The runner loads the class too. Code that needs {@linkplain #ownJars a class path of its own} must
 * therefore be called only from {@link #serve} and {@link #connect}, which run only in the contender's own processes.
 *
 * <p>Every message starts with a {@link Header}, which determines whether the receiver echoes or counts the message.
 */
public interface Contender {

    /** Returns the short, stable name: the key in {@code results.json} and on the command line. */
    String name();

    /** Returns one sentence for the report that describes what is measured. */
    String description();

    /** Returns whether replies arrive on a thread of the stack that may send the next message. */
    boolean eventDriven();

    /** Returns the names of the contenders to compare with this one, the most relevant first. */
    default List<String> comparators() {
        return List.of();
    }

    /**
     * Returns the jars of the contender's processes. If the list is not empty, the class path of those processes
     * consists only of these jars and the code of the benchmarks, without the runner's class path.
     */
    default List<Path> ownJars() {
        return List.of();
    }

    /** Returns whether it runs only if it is requested by name or if a suite names it. */
    default boolean onlyByName() {
        return false;
    }

    /** Returns the reason why this contender cannot run here; empty if it can. */
    default Optional<String> obstacle() {
        return Optional.empty();
    }

    /** Returns the choices made at run time (transport, TLS engine). Called in the contender's own process. */
    default String details() {
        return "";
    }

    /**
     * Serves on loopback. The server sends {@link Signal#ECHO} messages back unchanged and passes all others to
     * {@code counter}. If {@link MessageCounter#count} returns true, it sends {@linkplain Header#reply one small message}
     * back.
     */
    Server serve(ProcessLocation location, MessageCounter counter) throws Exception;

    /**
     * Connects to the address of a {@link Server} and returns after messages can flow.
     *
     * @param replies gets each message that arrives. The client may be a {@link BlockingContenderClient}, which reads
     *     replies itself.
     */
    ContenderClient connect(String address, ProcessLocation location, ReplyDispatcher replies) throws Exception;

    /** The serving side. */
    interface Server extends AutoCloseable {

        /** Returns the port that the server listens on, which may differ from the advertised port. */
        int port();

        /**
         * Returns the address for {@link #connect}: one line, with the {@linkplain ProcessLocation#advertised
         * advertised} port.
         */
        String address();

        @Override
        void close() throws IOException;
    }
}

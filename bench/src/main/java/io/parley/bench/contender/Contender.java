package io.parley.bench.contender;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A way to carry messages between two processes, measured beside the others.
 *
 * <p>Found by {@link java.util.ServiceLoader}, in the order of the services file, which is the order of the report. The
 * class itself is loaded in the runner too, so whatever needs a class path of its own belongs behind
 * {@link #serve} and {@link #connect}, which are called in the contender's own processes only.
 *
 * <p>Every message starts with a {@link Header}: the receiving side looks at it to know whether to echo or to count.
 */
public interface Contender {

    /** Short and stable: the key in {@code results.json} and on the command line. */
    String name();

    /** One sentence for the report: what exactly is measured. */
    String description();

    /** Whether replies arrive on a thread of the stack, which may send the next message from there. */
    boolean eventDriven();

    /** Names of the contenders this one is to be compared with, the most telling first. */
    default List<String> comparators() {
        return List.of();
    }

    /**
     * Jars for processes that must not see the runner's class path. When this is not empty, a process gets these and
     * the code of the benchmarks themselves, nothing else.
     */
    default List<Path> ownJars() {
        return List.of();
    }

    /** Whether it runs only in suites that are about it, or when it is asked for by name. */
    default boolean onlyByName() {
        return false;
    }

    /** Why this contender cannot run here, if it cannot. */
    default Optional<String> obstacle() {
        return Optional.empty();
    }

    /** What was chosen at run time (transport, TLS engine); asked in the contender's own process. */
    default String details() {
        return "";
    }

    /**
     * Serves on loopback: sends {@link Signal#ECHO} messages back as they are, counts {@link Signal#SINK} and
     * {@link Signal#LAST} ones with {@code tally} and, when that says so, sends one small message back.
     */
    Server serve(ProcessLocation site, MessageCounter tally) throws Exception;

    /**
     * Connects to the address a {@link Server} has named, and returns when messages can flow.
     *
     * @param replies told of each message that arrives, unless the link is a {@link BlockingContenderClient} that reads itself
     */
    ContenderClient connect(String address, ProcessLocation site, ReplyDispatcher replies) throws Exception;

    /** The serving side. */
    interface Server extends AutoCloseable {

        /** The port listened on, whatever port is advertised. */
        int port();

        /** What {@link #connect} needs: one line, with the {@linkplain ProcessLocation#advertised advertised} port. */
        String address();

        @Override
        void close() throws IOException;
    }
}

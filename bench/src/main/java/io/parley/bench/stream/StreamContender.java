package io.parley.bench.stream;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A byte stream between two processes. Both sides read and write with a thread that blocks, as a program with sockets does.
 *
 * <p>The runner and the processes of other contenders load the class too. Code that needs {@linkplain #ownJars a class path of its own}
 * must therefore be called only from {@link #serve} and {@link #connect}, which run only in the contender's own processes.
 */
public interface StreamContender {

    /** Returns the short, stable name: the key in {@code results.json} and on the command line. */
    String name();

    /** Returns one sentence for the report that describes what is measured. */
    String description();

    /** Returns the names of the stream contenders to compare with this one, the most relevant first. */
    List<String> comparators();

    /** Returns whether it can have several connections between the same two processes. */
    default boolean hasManyConnections() {
        return false;
    }

    /** Returns the jars of the contender's processes, see {@link io.parley.bench.contender.Contender#ownJars}. */
    default List<Path> ownJars() {
        return List.of();
    }

    /** Returns the reason why this contender cannot run here; empty if it can. Called by the runner only. */
    default Optional<String> obstacle() {
        return Optional.empty();
    }

    /** Returns the choices made at run time. Called in the contender's own process. */
    default String details() {
        return "";
    }

    /** Listens on the host of {@code site}. */
    Server serve(StreamSite site) throws Exception;

    /** Returns a client for the address of a {@link Server}, without a connection. */
    Client connect(String address, StreamSite site) throws Exception;

    /** The serving side. */
    interface Server extends AutoCloseable {

        /** Returns the address for {@link #connect}: one line. */
        String address();

        /** Waits for the next connection. Throws if the server has been closed. */
        StreamEnd accept() throws Exception;

        @Override
        void close() throws IOException;
    }

    /** The connecting side. */
    interface Client extends AutoCloseable {

        /** Opens a connection. */
        StreamEnd open() throws Exception;

        @Override
        void close() throws IOException;
    }
}

package io.parley.bench.operation;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Peers of one make: the one whose operations are timed, the other that it talks to, and a rendezvous. Found by
 * {@link java.util.ServiceLoader}; loaded in the runner too, so whatever needs a class path of its own belongs behind
 * the last four methods, each of which is called in a process of its own.
 */
public interface PeerStack {

    /** The name under which the other peer is found. */
    String OTHER = "bench-other";

    /** The name of the other's pipe. */
    String PIPE = "bench-pipe";

    /** Short and stable: the key in {@code results.json}. */
    String name();

    /** The contender of other suites that is the same software: this takes part where that does. */
    String contender();

    /** Jars for processes that must not see the runner's class path; empty where they may. */
    List<Path> ownJars();

    /** Whether the peers around one serve the next one too; else they are started anew for each. */
    boolean neighboursStay();

    /** What its peers can do here. */
    Set<Operation> operations(boolean hasRendezvous);

    /** The shortest way from the start to a first message through a pipe that is known by its name. */
    Set<Operation> straight();

    /** Makes a home as a peer leaves it behind that knows so many advertisements. */
    void fill(Path home, int advertisements) throws Exception;

    /** Starts a rendezvous. */
    Rendezvous rendezvous(PeerLocation place) throws Exception;

    /**
     * Starts the other peer, which has published its pipe when this returns.
     *
     * @param arrived runs when a message has arrived
     */
    AutoCloseable other(PeerLocation place, Runnable arrived) throws Exception;

    /** A peer that does nothing yet. */
    MeasuredPeer subject(PeerLocation place) throws Exception;

    /** A running rendezvous. */
    interface Rendezvous extends AutoCloseable {

        /** The port that it listens on. */
        int port();
    }
}

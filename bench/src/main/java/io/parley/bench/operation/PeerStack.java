package io.parley.bench.operation;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Creates the peers of one implementation: the peer whose operations are timed, the remote peer that it communicates
 * with, and a rendezvous. Implementations are loaded by {@link java.util.ServiceLoader}, in the runner too. Code that
 * needs a class path of its own must be in the last four methods, each of which is called in a process of its own.
 */
public interface PeerStack {

    /** The name of the remote peer. */
    String REMOTE_PEER_NAME = "bench-other";

    /** The name of the remote peer's pipe. */
    String PIPE_NAME = "bench-pipe";

    /** Returns the key in {@code results.json}, short and stable. */
    String name();

    /**
     * Returns the contender of other suites that is the same software. This stack is selected if that contender is
     * selected.
     */
    String contender();

    /** Returns the jars of processes that must not use the runner's class path; empty if they may use it. */
    List<Path> ownJars();

    /**
     * Returns whether the remote peer and the rendezvous can serve several measured peers. If not, they are restarted
     * for each.
     */
    boolean neighboursStay();

    /** Returns the operations that its peers support in the given surroundings. */
    Set<Operation> operations(boolean hasRendezvous);

    /** Returns the operations that are necessary from the start to a first message through a pipe with a known name. */
    Set<Operation> straight();

    /** Creates the home of a stopped peer that has received the given number of advertisements. */
    void fill(Path home, int advertisements) throws Exception;

    /** Starts a rendezvous. */
    Rendezvous rendezvous(PeerLocation place) throws Exception;

    /**
     * Starts the remote peer. The peer has published its pipe when this method returns.
     *
     * @param arrived called for each received message
     */
    AutoCloseable other(PeerLocation place, Runnable arrived) throws Exception;

    /** Creates the peer to be measured without starting it. */
    MeasuredPeer subject(PeerLocation place) throws Exception;

    /** A running rendezvous. */
    interface Rendezvous extends AutoCloseable {

        /** Returns the port that the rendezvous listens on. */
        int port();
    }
}

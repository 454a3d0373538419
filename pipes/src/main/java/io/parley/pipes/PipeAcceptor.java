package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.id.PipeId;

/**
 * Accepts bidirectional pipes. Closing refuses further and undecided requests, and withdraws the advertisement. Pipes that were accepted
 * stay open. Thread-safe.
 */
public interface PipeAcceptor extends AsyncCloseable {

    /** Returns the pipe id. */
    PipeId id();

    /** Returns the ticket, with which another peer can connect without a search. */
    PipeTicket ticket();
}
